import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ask, type ChatServer, say, startChatServer } from '../support/chat-server.ts'
import { freePort } from '../support/free-port.ts'
import { close } from '../support/http-server.ts'
import { IS_NIGHTLY, nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { type Postern, startPostern } from '../support/postern.ts'

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')
/**
 * The others ask for tools of a model server, or for resources and prompts, which Postern has none of. Each scenario is a process, and
 * begins as `server-initialize` does.
 */
const OF_SERVERS = [...nightly(['server-initialize', 'ping'], []), 'tools-list', 'dns-rebinding-protection']
/** Each with how many tools its server has. */
const OF_CLIENTS: Record<string, number> = { initialize: 0, tools_call: 1, 'sse-retry': 1 }
/** Why the rest is no matter of Postern's as a client: README.md says more. */
const LEFT_OUT = [/^auth\//, /^elicitation-/]
const LONGEST_MS = 60_000

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO'
  errorMessage?: string
  details?: { actualDelayMs?: number; minAcceptableMs?: number }
}

describe('the official conformance suite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-conformance-'))
  let postern: Postern
  let chat: ChatServer
  let proxy: Server
  let url = ''
  let key = ''

  /** The suite has no way to show a token: this adds it, and changes nothing else. */
  before(async () => {
    const port = await freePort()
    url = `http://localhost:${port}/mcp`
    chat = await startChatServer()
    // Calls each tool that it is offered, and takes its word for it.
    chat.answer = ({ messages, tools = [] }, response) =>
      messages.some(({ role }) => role === 'tool')
        ? say(response, 'Done.')
        : ask(
            response,
            tools.map(({ function: { name } }) => [name, '{"a":2,"b":3}']),
          )
    const env = { ALLOWED_ORIGINS: `http://localhost:${port}`, MCP_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }
    postern = await startPostern('sqlite', { env: { ...chat.env, ...env } })
    key = await apiKey(postern, await administrator(postern))
    proxy = createServer((incoming, outgoing) => {
      const { method = 'GET', url: path = '/' } = incoming
      const headers = { ...incoming.headers, authorization: `Bearer ${key}` }
      const asked = request(new URL(path, postern.url), { method, headers })
      asked.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      asked.on('error', () => outgoing.destroy())
      incoming.pipe(asked)
    })
    await new Promise<void>((listening) => proxy.listen(port, 'localhost', listening))
  })
  after(async () => {
    await close(proxy)
    await postern.stop()
    await chat.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const suite = (...options: string[]) =>
    new Promise<{ code: unknown; out: string }>((done) => {
      const env = { ...process.env, CONFORMANCE_POSTERN: postern.url, CONFORMANCE_KEY: key }
      execFile(
        process.execPath,
        [SUITE, ...options],
        { cwd: folder, env, timeout: LONGEST_MS },
        (error, stdout, stderr) =>
          done({ code: error === null ? 0 : (error.code ?? 'killed'), out: stdout + stderr }),
      )
    })

  for (const scenario of OF_SERVERS) {
    it(`finds nothing wrong in ${scenario}`, async () => {
      const { code, out } = await suite('server', '--url', url, '--scenario', scenario)
      assert.equal(code, 0, out)
      assert.match(out, /Passed: ([1-9]\d*)\/\1, 0 failed/, out)
    })
  }

  for (const [scenario, tools] of Object.entries(OF_CLIENTS)) {
    // The two other ones begin with it.
    if (scenario === 'initialize' && !IS_NIGHTLY) continue
    it(`finds nothing wrong with the client in ${scenario}`, async () => {
      const command = `${process.execPath} ${resolve('test/support/conformance-client.ts')}`
      const { out } = await suite('client', '--command', command, '--scenario', scenario, '-o', folder)
      const read = (name: string) => {
        const [file] = globSync(join(folder, `${scenario}-*`, name))
        return readFileSync(file ?? assert.fail(out), 'utf8')
      }
      assert.equal(read('stdout.txt'), `called ${tools}\n`, out)
      const checks = (JSON.parse(read('checks.json')) as Check[]).filter(({ status }) => status !== 'INFO')
      assert.ok(checks.length > 0)
      assert.deepEqual(
        checks.filter((check) => check.status !== 'SUCCESS' && !isLate(check)),
        [],
        out,
      )
    })
  }

  it('asks nothing else of a client that Postern is', async () => {
    const { out } = await suite('list', '--client')
    const named = [...out.matchAll(/^ *(?:- )?([a-z0-9_/-]+)(?: \[.*\])?$/gm)].map(([, name = '']) => name)
    assert.ok(named.length > 20, out)
    assert.deepEqual(
      named.filter((name) => !LEFT_OUT.some((left) => left.test(name))).sort(),
      Object.keys(OF_CLIENTS).sort(),
    )
  })
})

/** After the wait that the server asked for, by as much as a busy machine takes: sooner would be wrong. */
function isLate({ id, details = {} }: Check): boolean {
  const { actualDelayMs = 0, minAcceptableMs = Number.POSITIVE_INFINITY } = details
  return id === 'client-sse-retry-timing' && actualDelayMs >= minAcceptableMs
}
