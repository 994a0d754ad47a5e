import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { close } from '../support/http-server.ts'
import { administrator, apiKey } from '../support/people.ts'
import { type Postern, startPostern } from '../support/postern.ts'

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')
/** The others ask for tools of a model server, or for resources and prompts, which Postern has none of. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
const LONGEST_MS = 60_000

describe('the official conformance suite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-conformance-'))
  let postern: Postern
  let proxy: Server
  let url = ''

  /** The suite has no way to show a token: this adds it, and changes nothing else. */
  before(async () => {
    const port = await freePort()
    url = `http://localhost:${port}/mcp`
    postern = await startPostern('sqlite', { env: { ALLOWED_ORIGINS: `http://localhost:${port}` } })
    const authorization = `Bearer ${await apiKey(postern, await administrator(postern))}`
    proxy = createServer((incoming, outgoing) => {
      const { method = 'GET', url: path = '/', headers } = incoming
      const asked = request(new URL(path, postern.url), { method, headers: { ...headers, authorization } })
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
    rmSync(folder, { recursive: true, force: true })
  })

  for (const scenario of SCENARIOS) {
    it(`finds nothing wrong in ${scenario}`, async () => {
      const { code, out } = await new Promise<{ code: unknown; out: string }>((done) => {
        execFile(
          process.execPath,
          [SUITE, 'server', '--url', url, '--scenario', scenario],
          { cwd: folder, timeout: LONGEST_MS },
          (error, stdout, stderr) =>
            done({ code: error === null ? 0 : (error.code ?? 'killed'), out: stdout + stderr }),
        )
      })
      assert.equal(code, 0, out)
      assert.match(out, /Passed: ([1-9]\d*)\/\1, 0 failed/, out)
    })
  }
})
