import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { administrator, apiKey } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { PATIENCE } from '../support/waits.ts'

const run = promisify(execFile)
const NODE = process.execPath
const TSC = resolve('node_modules/.bin/tsc')

const folder = mkdtempSync(join(tmpdir(), 'postern-packed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** What somebody writes on their first day: a list, an error, a webhook verified. It says `done`. */
const PROGRAM = `
const postern = new Postern({ baseUrl: URL_OF_POSTERN, apiKey: KEY })
const webhook = await postern.webhooks.create({ url: 'https://example.com/', events: ['*'] })
for await (const one of postern.webhooks.list()) if (one.id !== webhook.id) throw new Error('another webhook')
await postern.webhooks.delete(webhook.id)
const gone = await postern.webhooks.read(webhook.id).catch((error) => error)
if (!isCode(gone, 'ENTITY_NOT_FOUND')) throw gone
const body = JSON.stringify({ id: 'evt_1', type: 'file.processed', createdAt: '', data: {} })
const event = await verify({ body, headers: await sign({ body, secret: webhook.secret }), secrets: webhook.secret })
const { isGenuine } = await diagnose({ body, headers: await sign({ body, secret: webhook.secret }), secrets: webhook.secret })
const bad = await verifyToken('garbage', { baseUrl: URL_OF_POSTERN }).catch((error) => error)
if (!(bad instanceof TokenError) || event.type !== 'file.processed' || !isGenuine) throw new Error('not verified')
console.log('done')
`
const IMPORTS = `
import { isCode, Postern } from 'postern-sdk'
import { diagnose } from 'postern-sdk/doctor'
import { TokenError, verifyToken } from 'postern-sdk/token'
import { sign, verify } from 'postern-sdk/webhooks'
`
const REQUIRES = IMPORTS.replace(/import (.*) from (.*)/g, 'const $1 = require($2)')
const TYPES = `
import type { CreateWebhookBody, Webhook } from 'postern-sdk'
const named: CreateWebhookBody = { url: 'https://example.com/', events: ['*'] }
const hint = (one: Webhook): string => one.secretHint
// @ts-expect-error: there is no such code
isCode(undefined, 'NO_SUCH_CODE')
// @ts-expect-error: an address is missing
const lacking: CreateWebhookBody = { events: ['*'] }
export { hint, lacking, named }
`

describe('the package', () => {
  const server = usePostern('sqlite')
  let project = ''
  let constants = ''

  /** npm, with nothing of the network. */
  const npm = (cwd: string, ...args: string[]) =>
    run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--silent'], { cwd, timeout: PATIENCE })

  before(async () => {
    const [source, blank] = [join(folder, 'sdk'), join(folder, 'project')]
    for (const one of [source, blank]) mkdirSync(one)
    for (const file of ['package.json', 'README.md']) cpSync(join('sdk', file), join(source, file))
    await run(TSC, ['-p', 'sdk/tsconfig.build.json', '--outDir', join(source, 'dist')], { timeout: PATIENCE })
    await npm(source, 'pack', '--ignore-scripts', '--pack-destination', folder)
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    writeFileSync(join(blank, 'package.json'), JSON.stringify({ name: 'blank', private: true }))
    await npm(blank, 'install', join(folder, tarball))
    const postern = await server()
    const key = await apiKey(postern, await administrator(postern))
    constants = `const URL_OF_POSTERN = '${postern.url}'\nconst KEY = '${key}'\n`
    project = blank
  })

  async function says(program: string, ...args: string[]): Promise<void> {
    const { stdout } = await run(program, args, { cwd: project, timeout: PATIENCE })
    assert.equal(stdout, 'done\n')
  }

  it('brings nothing along, and nothing but what runs and its types', () => {
    assert.deepEqual(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['postern-sdk'],
    )
    const files = readdirSync(join(project, 'node_modules/postern-sdk'), { recursive: true }).map(String)
    assert.ok(files.includes(join('dist', 'postern.d.ts')))
    assert.deepEqual(
      files.filter((name) => !/^(dist|package\.json|README\.md|dist.[\w.]+\.(js|d\.ts))$/.test(name)),
      [],
    )
    assert.deepEqual(
      files.filter((name) => name.includes('.test.')),
      [],
    )
  })

  it('works in a project in JavaScript, by import and by require', async () => {
    writeFileSync(join(project, 'index.mjs'), IMPORTS + constants + PROGRAM)
    await says(NODE, 'index.mjs')
    writeFileSync(join(project, 'index.cjs'), `${REQUIRES}${constants}void (async () => {${PROGRAM}})()`)
    await says(NODE, 'index.cjs')
  })

  it('works in a project in TypeScript, with types that say what is wrong', async () => {
    writeFileSync(join(project, 'index.mts'), IMPORTS + TYPES + constants + PROGRAM)
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023']
    const out = join(project, 'built')
    await run(
      TSC,
      [...options, '--lib', 'es2024,dom', '--types', '', '--ignoreConfig', '--outDir', out, 'index.mts'],
      {
        cwd: project,
        timeout: PATIENCE,
      },
    ).catch(({ stdout, message }) => assert.fail(stdout || message))
    await says(NODE, join(out, 'index.mjs'))
  })

  for (const [program, ...args] of [
    ['deno', 'run', '--allow-net', 'index.mjs'],
    ['bun', 'run', 'index.mjs'],
  ] as const) {
    it(`works in ${program}`, async (t) => {
      const isThere = await run(program, ['--version']).then(
        () => true,
        () => false,
      )
      if (!isThere) return t.skip(`${program} is not on this machine`)
      writeFileSync(join(project, 'index.mjs'), IMPORTS + constants + PROGRAM)
      await says(program, ...args)
    })
  }
})
