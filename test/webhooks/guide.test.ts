import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

const GUIDE = readFileSync('docs/webhooks.md', 'utf8')

/** The code block below a heading of the guide. */
function blockOf(heading: string): string {
  const [, section] = GUIDE.split(`\n### ${heading}\n`)
  const code = /^```\w+\n(.*?)^```$/ms.exec(section ?? '')?.[1]
  assert.ok(code, `docs/webhooks.md has no code below "${heading}"`)
  return code
}

/** A handler of the guide as a process of its own. */
interface Handler {
  out(): string
  /** Resolves when it has written a text so many times. */
  says(text: string, times?: number): Promise<void>
  stop(): Promise<void>
}

const count = (text: string, part: string) => text.split(part).length - 1

async function startHandler(
  program: string,
  file: string,
  code: string,
  env: Record<string, string>,
): Promise<Handler> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-guide-'))
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  writeFileSync(join(dir, file), code)
  const child = spawn(program, [file], { cwd: dir, env: { PATH: process.env.PATH ?? '', ...env } })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const gone = new Promise<void>((done) => child.once('close', () => done()))
  const handler: Handler = {
    out: () => out,
    says: (text, times = 1) =>
      new Promise((done, fail) => {
        const look = () => count(out, text) >= times && done()
        child.stdout.on('data', look)
        void gone.then(() => fail(new Error(`it ended without saying "${text}": ${out}${err}`)))
        look()
      }),
    async stop() {
      child.kill('SIGKILL')
      await gone
      rmSync(dir, { recursive: true, force: true })
    },
  }
  await handler.says('ready').catch(async (error) => {
    await handler.stop()
    throw error
  })
  return handler
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

const HANDLERS = [
  ['Express', process.execPath, 'handler.mjs'],
  ['Fastify', process.execPath, 'handler.mjs'],
  ['Node, no dependency', process.execPath, 'handler.mjs'],
  ['Node, with the library of Standard Webhooks', process.execPath, 'handler.mjs'],
  ['Python', 'python3', 'handler.py'],
] as const

onBothEngines('the handlers of the guide for receivers', (engine) => {
  const sender = useSender(usePostern(engine))

  for (const [heading, program, file] of HANDLERS) {
    const isMissing = spawnSync(program, ['--version']).status !== 0
    const skip = isMissing ? `${program} is not on this machine` : false
    it(`${heading}: takes what is genuine, once, and nothing else, before and after a rotation`, {
      skip,
    }, async () => {
      const { postern, key, register, publish, delivery } = await sender()
      const own = callsOf(postern, key)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/hooks`
      const { id, secret } = await register(url)
      const env = { WEBHOOK_SECRET: secret, PORT: String(port) }
      const handler = await startHandler(program, file, blockOf(heading), env)
      try {
        const event = await publish()
        const { id: deliveryId } = await delivery(id, ({ status }) => status === 'delivered')
        await handler.says(`handled agent.run.completed ${event.id}`)
        const again = (await own.post(`/v1/deliveries/${deliveryId}/retry`)).body.id
        await until(
          () => own.get(`/v1/deliveries/${again}`),
          ({ body }) => body.status === 'delivered',
        )
        for (const headers of [
          {},
          { 'x-service-signature': `sha256=${'0'.repeat(64)}` },
          { 'webhook-id': 'evt_1' },
        ]) {
          const forged = await fetch(url, { method: 'POST', body: '{"id":"evt_forged","type":"x"}', headers })
          assert.equal(forged.status, 401)
        }
        await own.post(`/v1/webhooks/${id}/rotate-secret`)
        const later = await publish()
        await delivery(id, ({ status, eventId }) => eventId === later.id && status === 'delivered')
        await handler.says(`handled agent.run.completed ${later.id}`)
        assert.equal(count(handler.out(), 'handled '), 2, handler.out())
      } finally {
        await own.delete(`/v1/webhooks/${id}`)
        await handler.stop()
      }
    })
  }
})

it('the guide shows test vectors that hold', async () => {
  const { serviceSignature, standardSignature } = await import('../../src/webhooks/signature.ts')
  const cell = (name: string) => {
    const value = new RegExp(`^\\| ${name} \\| \`(.*)\` \\|$`, 'm').exec(GUIDE)?.[1]
    assert.ok(value, name)
    return value
  }
  const [secret, id, body] = [cell('secret'), cell('webhook-id'), Buffer.from(cell('body'))]
  assert.equal(cell('X-Service-Signature'), serviceSignature(secret, body))
  const timestamp = Number(cell('webhook-timestamp'))
  assert.equal(cell('webhook-signature'), standardSignature(secret, id, timestamp, body))
})
