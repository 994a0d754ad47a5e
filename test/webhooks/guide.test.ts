import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { count, startHandler } from '../support/handler.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
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

onOneEngineByDay('the handlers of the guide for receivers', (engine) => {
  const sender = useSender(usePostern(engine))

  for (const [heading, program, file] of HANDLERS) {
    const isMissing = spawnSync(program, ['--version']).status !== 0
    const skip = isMissing ? `${program} is not on this machine` : false
    it(`${heading}: accepts each genuine event once, and refuses other calls, before and after a rotation`, {
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
        const repeated = (await own.post(`/v1/deliveries/${deliveryId}/retry`)).body.id
        await until(
          () => own.get(`/v1/deliveries/${repeated}`),
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

it('the test vectors of the guide are valid', async () => {
  const { serviceSignature, standardSignature } = await import('#src/delivery/attempt/signature.ts')
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
