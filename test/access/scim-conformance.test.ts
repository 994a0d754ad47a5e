import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fetches } from '../support/fetched.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { directoryOf } from '../support/scim.ts'

const PACKAGES = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2', 'scim2-models==0.12.3']
/** What is installed stays for the next night, outside of the working tree. */
const FOLDER = join(homedir(), '.cache', 'postern-scim2-tester-0.5.2')
const STEP_MS = 300_000

interface Finding {
  status: string
  title: string
  reason: string
  of: string | null
}

onBothEngines('a public suite for servers of SCIM', (engine) => {
  const server = usePostern(engine)

  it('finds nothing to mend', { skip: IS_NIGHTLY ? false : 'by night' }, async (context) => {
    const python = await install(context)
    if (python === undefined) return
    const postern = await server()
    const { key } = await directoryOf(postern, await administrator(postern))
    const script = resolve('test/support/scim-tester.py')
    const { stdout } = await promisify(execFile)(python, [script, `${postern.url}/scim/v2`, key], {
      timeout: STEP_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
    const found = JSON.parse(stdout) as Finding[]
    const wrong = found.filter(({ status }) => ['ERROR', 'CRITICAL', 'DEVIATION'].includes(status))
    assert.deepEqual(wrong, [])
    // It skips a check where the server does not offer what is checked; most are made.
    const skipped = found.filter(({ status }) => status === 'SKIPPED').map(({ title }) => title)
    assert.deepEqual([...new Set(skipped)], ['search_with_attributes'])
    assert.ok(found.length - skipped.length > 60, `${found.length} checks`)
  })
})

/** @returns a Python that has the suite; undefined where it cannot be installed, which is said */
async function install(context: TestContext): Promise<string | undefined> {
  const python = join(FOLDER, 'bin', 'python')
  mkdirSync(FOLDER, { recursive: true })
  const isThere = existsSync(python) || (await fetches('python3', ['-m', 'venv', FOLDER]))
  if (isThere && (await fetches(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES]))) return python
  context.skip('Python could not install scim2-tester.')
  return undefined
}
