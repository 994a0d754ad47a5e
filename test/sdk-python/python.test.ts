import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Tokens } from '#sdk/login.ts'
import { runCommand } from '#src/cli/command.ts'
import { loginStore } from '#src/cli/logins.ts'
import { MINUTE } from '#src/core/clock.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey, PASSWORD, type Person } from '../support/people.ts'
import { platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, type Postern, usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'

const run = promisify(execFile)

/** The interpreter that is tried; any of 3.10 or newer. */
const PYTHON = process.env.PYTHON ?? 'python3'
/** Packages of PyPI are fetched, and a type checker reads thousands of lines. */
const PATIENCE = 8 * MINUTE
/** The wheel is the same whenever it is built. */
const EPOCH = '1750000000'

/** Why the client in Python is not tried here; undefined where it is. */
async function reasonToSkip(): Promise<string | undefined> {
  if (!IS_NIGHTLY && process.env.POSTERN_TEST_PYTHON !== 'yes') return 'npm run test:sdk:python tries it'
  const isThere = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
  const found = await run(PYTHON, ['-c', isThere]).catch(() => undefined)
  return found === undefined ? 'there is no Python 3.10 or newer with venv on this machine' : undefined
}

const missing = await reasonToSkip()

describe('the client in Python', { skip: missing ?? false }, () => {
  const server = usePostern('sqlite')
  const folder = mkdtempSync(join(tmpdir(), 'postern-python-'))
  const bin = join(folder, 'venv', process.platform === 'win32' ? 'Scripts' : 'bin')
  const source = join(folder, 'sdk-python')
  after(() => rmSync(folder, { recursive: true, force: true }))

  const call = (program: string, args: string[], env: Record<string, string> = {}) =>
    run(program, args, {
      cwd: folder,
      timeout: PATIENCE,
      maxBuffer: 64 * 1_048_576,
      env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
    }).catch(({ stdout, stderr, message }) => assert.fail(`${stdout}\n${stderr}` || message))
  const pip = (...args: string[]) => call(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', ...args])

  async function build(name: string): Promise<string[]> {
    const out = join(folder, name)
    await call(join(bin, 'python'), ['-m', 'build', '--no-isolation', '--outdir', out, source], {
      SOURCE_DATE_EPOCH: EPOCH,
    })
    return readdirSync(out)
      .sort()
      .map((file) => join(out, file))
  }

  before(
    async () => {
      cpSync('sdk-python', source, {
        recursive: true,
        filter: (path) => !/__pycache__|[/\\]dist$/.test(path),
      })
      cpSync(join('docs', 'webhooks.md'), join(source, 'tests', 'webhooks.md'))
      await call(PYTHON, ['-m', 'venv', join(folder, 'venv')])
      await pip('build', 'hatchling')
    },
    { timeout: PATIENCE },
  )

  it('is the same wheel whenever it is built, and holds nothing but what runs and its types', async () => {
    const [one, two] = [await build('one'), await build('two')]
    const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    assert.equal(one.length, 2)
    assert.deepEqual(one.map(digest), two.map(digest))
    const [wheel = ''] = one.filter((file) => file.endsWith('.whl'))
    const { stdout } = await call(join(bin, 'python'), ['-m', 'zipfile', '--list', wheel])
    const files = [...stdout.matchAll(/^(\S+) /gm)].map(([, name = '']) => name).slice(1)
    assert.ok(files.includes('postern_sdk/py.typed'))
    assert.deepEqual(
      files.filter((name) => !/^postern_sdk\/\w+\.(py|typed)$|^postern_sdk-[\d.]+\.dist-info\//.test(name)),
      [],
    )
    await pip(`${wheel}[tokens]`)
  })

  it('passes its own tests against a server', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const env = { HOME: folder, POSTERN_LOGIN_FILE: join(mkdirp(join(folder, 'login')), 'logins.json') }
    await logIn(postern, person, env)
    await pip('pytest', 'trio')
    const facts = {
      url: postern.url,
      issuer: postern.url.replace('127.0.0.1', 'localhost'),
      key: await apiKey(postern, person),
      token: person.token,
      platform_key: (await platformKey(postern)).key,
      operator_token: OPERATOR_TOKEN,
      email: person.email,
      password: PASSWORD,
      organization_id: person.organizationId,
      login_file: env.POSTERN_LOGIN_FILE,
    }
    const { stdout } = await call(join(bin, 'python'), ['-m', 'pytest', source, '-ra'], {
      POSTERN_TEST_SERVER: JSON.stringify(facts),
      POSTERN_TEST_VERSION: JSON.parse(readFileSync('sdk/package.json', 'utf8')).version,
    })
    assert.match(stdout, /\d+ passed/)
    assert.doesNotMatch(stdout, /skipped/)
    // What Python has renewed is what the command line goes on with.
    const kept = (await loginStore(env, postern.url).read()) as Tokens
    const { status } = await postern.client().get('/v1/webhooks', { token: kept.accessToken })
    assert.equal(status, 200)
  })

  it('is understood by type checkers', async () => {
    await pip('mypy')
    const typed = join(source, 'tests', 'typed.py')
    await call(join(bin, 'mypy'), [
      '--strict',
      '--cache-dir',
      join(folder, 'mypy'),
      join(source, 'src'),
      typed,
    ])
    await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, 'pyright'])
    const pyright = join(folder, 'node_modules', 'pyright', 'index.js')
    await call(process.execPath, [pyright, '--pythonpath', join(bin, 'python'), '--project', source, typed])
  })
})

function mkdirp(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}

/** `postern login`, allowed by a person in a browser. */
async function logIn(postern: Postern, person: Person, env: Record<string, string>): Promise<void> {
  const { organizationId } = person
  const code = await within(
    'the login',
    runCommand(['login', '--url', postern.url], {
      env,
      print: () => {},
      complain(line) {
        const [, userCode] = /enter the code (\S+)$/.exec(line) ?? []
        if (userCode !== undefined)
          void person.client.post('/v1/auth/devices/decision', { userCode, allow: true, organizationId })
      },
    }),
  )
  assert.equal(code, 0)
}
