import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it, type TestContext } from 'node:test'
import { fetches } from '../support/fetched.ts'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { consent, issuerOf, REDIRECT_URI, registerClient } from '../support/oauth.ts'
import { administrator, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'

const PROGRAMS = 'test/clients'
const PYTHON = ['authlib==1.9.10', 'joserfc==1.8.0', 'requests==2.34.2', 'mcp==2.3.0']
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const GO = ['github.com/coreos/go-oidc/v3/oidc@v3.21.0', 'golang.org/x/oauth2@v0.38.0']

describe('clients of OAuth that are fetched', { skip: !IS_NIGHTLY && 'They are fetched at night.' }, () => {
  const server = usePostern('sqlite')
  const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  let python: string | undefined

  /** An environment with the packages; undefined, and the test is skipped, where it cannot be had. */
  async function havePython(context: TestContext): Promise<string | undefined> {
    const environment = join(folder, 'python')
    const program = join(environment, 'bin', 'python')
    if (python !== undefined) return python
    if (!(await fetches('python3', ['-m', 'venv', environment])))
      return skip(context, 'Python 3 is not on this machine.')
    if (!(await fetches(program, ['-m', 'pip', 'install', '--quiet', ...PYTHON])))
      return skip(context, 'pip could not install the clients.')
    python = program
    return python
  }

  async function haveGo(context: TestContext): Promise<string | undefined> {
    const place = join(folder, 'go')
    mkdirSync(place, { recursive: true })
    copyFileSync(join(PROGRAMS, 'go', 'main.go'), join(place, 'main.go'))
    const program = join(place, 'client')
    const env = { GOPATH: join(folder, 'gopath'), GOCACHE: join(folder, 'gocache'), GOFLAGS: '-modcacherw' }
    if (!(await fetches('go', ['version']))) return skip(context, 'Go is not on this machine.')
    for (const args of [
      ['mod', 'init', 'client'],
      ['get', ...GO],
      ['build', '-o', program, '.'],
    ])
      if (!(await fetches('go', args, { cwd: place, env })))
        return skip(context, 'Go could not build the client.')
    return program
  }

  it('Authlib does code, PKCE, ID token, refresh and userinfo by discovery', async (context) => {
    const program = await havePython(context)
    if (program === undefined) return
    const { person, said } = await connect(program, [join(PROGRAMS, 'authlib_client.py')])
    const { told, ...more } = said
    assert.deepEqual([told.sub, told.email], [person.accountId, person.email])
    assertLearnt(person, more)
  })

  it('go-oidc does code, PKCE, ID token, refresh and userinfo by discovery, and verifies the access token by its issuer alone', async (context) => {
    const program = await haveGo(context)
    if (program === undefined) return
    const { person, said } = await connect(program, [])
    const { told, access, ...more } = said
    assert.deepEqual([told.sub, told.email, access], [person.accountId, person.email, person.accountId])
    assertLearnt(person, more)
  })

  it('the official MCP client in Python connects knowing the URL of /mcp alone', async (context) => {
    const program = await havePython(context)
    if (program === undefined) return
    const postern = await server()
    const person = await administrator(postern)
    const args = [join(PROGRAMS, 'mcp_client.py'), `${issuerOf(postern)}/mcp`, REDIRECT_URI]
    const said = await talk(person, program, args)
    assert.ok(said.tools.includes('list_webhooks'), said.tools.join(' '))
    assert.equal(said.isError, false)
  })

  it('the MCP inspector connects knowing the URL of /mcp alone, and calls a tool in either protocol', async (context) => {
    const place = join(folder, 'inspector')
    mkdirSync(place, { recursive: true })
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', place, INSPECTOR]
    if (!(await fetches('npm', install))) return skip(context, 'npm could not install the inspector.')
    const postern = await server()
    const person = await administrator(postern)
    const program = join(
      place,
      'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    )
    const url = `${issuerOf(postern)}/mcp`
    const inspect = (...args: string[]) =>
      inspectAs(person, place, [program, '--cli', url, '--format', 'json', ...args])
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
    const listed = await inspect('--method', 'tools/list', '--callback-url', callback)
    const names = listed.result.tools.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('list_webhooks'), names.join(' '))
    for (const era of ['legacy', 'modern']) {
      const call = ['--method', 'tools/call', '--tool-name', 'list_webhooks', '--protocol-era', era]
      const called = await inspect(...call, '--stored-auth-only')
      assert.equal(called.result.isError, false, JSON.stringify(called))
    }
    const [grant] = (await person.client.get('/v1/auth/grants')).body.data
    assert.equal(grant.resource, url)
  })

  async function connect(program: string, args: string[]) {
    const postern = await server()
    const person = await administrator(postern)
    const { id, redirectUri } = await registerClient(postern)
    const said = await talk(person, program, [...args, issuerOf(postern), id, redirectUri])
    return { person, said }
  }
})

function assertLearnt(person: Person, said: object): void {
  const { accountId, email, organizationId } = person
  const who = { sub: accountId, again: accountId, email, organization: organizationId }
  assert.deepEqual(said, { ...who, isRenewed: true, status: 200 })
}

// biome-ignore lint/suspicious/noExplicitAny: a program of another language says what it likes.
type Said = Record<string, any>

/** Runs a client: it says where the browser goes, is told where the browser ended, and says what it has learnt. */
async function talk(person: Person, program: string, args: string[]): Promise<Said> {
  // It allows http, as the server of a test is on this machine.
  const env = { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async (what: string) => {
      const { value, done } = await within(what, lines.next())
      assert.ok(!done, complaints)
      return value as string
    }
    const address = new URL(await next('the address for the browser'))
    const request = { path: `${address.pathname}${address.search}`, verifier: '', state: '' }
    child.stdin.end(`${(await consent(person, request)).href}\n`)
    return JSON.parse(await next('what the client has learnt'))
  } finally {
    child.kill()
  }
}

/**
 * Runs the command line of the inspector, which prints where the browser goes and listens for its return.
 * @param home a folder in which it keeps its tokens
 */
async function inspectAs(person: Person, home: string, args: string[]): Promise<Said> {
  const kept = { HOME: home, MCP_INSPECTOR_SECRET_STORE: 'file' }
  // It would open a browser of this machine; `BROWSER` is a command that does nothing.
  const env = { ...process.env, ...kept, MCP_AUTO_OPEN_ENABLED: 'true', BROWSER: 'true', DISPLAY: '' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complaints] = ['', '']
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  let isSent = false
  child.stderr.on('data', (chunk) => {
    complaints += chunk
    const [, address] = /Please navigate to: (\S+)\s/.exec(complaints) ?? []
    if (address === undefined || isSent) return
    isSent = true
    const { pathname, search } = new URL(address)
    void consent(person, { path: pathname + search, verifier: '', state: '' })
      .then((at) => fetch(at))
      .catch((error: unknown) => {
        complaints += String(error)
        child.kill()
      })
  })
  try {
    const [code] = await within('the end of the inspector', once(child, 'close'), { now: () => complaints })
    assert.equal(code, 0, complaints + said)
    return JSON.parse(said)
  } finally {
    child.kill()
  }
}

function skip(context: TestContext, why: string): undefined {
  context.skip(why)
}
