import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Reason, sign, type VerifyOptions, verify, WebhookError } from './webhooks.ts'

/** The test vectors of docs/webhooks.md, as they are published. */
const guide = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')
const published = (name: string) =>
  new RegExp(`^\\| ${name} \\| \`(.*)\` \\|$`, 'm').exec(guide)?.[1] ?? assert.fail(name)
const secret = published('secret')
const body = published('body')
const now = Number(published('webhook-timestamp')) * 1_000
const headers = {
  'webhook-id': published('webhook-id'),
  'webhook-timestamp': published('webhook-timestamp'),
  'webhook-signature': published('webhook-signature'),
  'X-Service-Signature': published('X-Service-Signature'),
}
const other = `whsec_${btoa('another secret of thirty-two byte')}`
const call: VerifyOptions = { body, headers, secrets: secret, now }

async function assertReason(options: unknown, reason: Reason) {
  await assert.rejects(verify(options as VerifyOptions), (error) => {
    assert.ok(error instanceof WebhookError)
    assert.equal(error.reason, reason, error.message)
    return true
  })
}

describe('verify', () => {
  it('takes the published call by either signature, and gives its event', async () => {
    for (const scheme of ['standard', 'service'] as const) {
      const event = await verify({ ...call, scheme })
      assert.deepEqual(event, JSON.parse(body))
      if (event.type === 'agent.run.completed') assert.equal(event.data.runId, 'run_1')
    }
  })

  it('takes text, bytes, a buffer, and headers in every form that platforms give them', async () => {
    const bytes = new TextEncoder().encode(body)
    for (const one of [body, bytes, bytes.buffer, Buffer.from(body)]) await verify({ ...call, body: one })
    const several = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    for (const one of [new Headers(headers), several]) await verify({ ...call, headers: one })
  })

  it('takes any of several secrets, and any of several signatures', async () => {
    await verify({ ...call, secrets: [other, secret] })
    const wrong = `v1,${btoa('x'.repeat(32))}`
    const signatures = `v1a,unknown ${wrong} ${headers['webhook-signature']}`
    await verify({ ...call, headers: { ...headers, 'webhook-signature': signatures } })
    await assertReason({ ...call, headers: { ...headers, 'webhook-signature': wrong } }, 'wrong_secret')
  })

  it('signs a body once for each secret, however many signatures a stranger sends with it', async (t) => {
    const compute = t.mock.method(crypto.subtle, 'sign')
    const compare = t.mock.method(crypto.subtle, 'verify')
    const many = Array(1_000).fill(`v1,${btoa('x'.repeat(32))}`)
    const send = (signatures: string[]) =>
      verify({ ...call, headers: { ...headers, 'webhook-signature': signatures.join(' ') } })
    await assert.rejects(send([...many, 'v1,AA==', 'v1,']), WebhookError)
    await send([...many, headers['webhook-signature']])
    const times = compute.mock.callCount() + compare.mock.callCount()
    assert.ok(times <= 4, `the body was hashed ${times} times`)
  })

  it('names what is wrong', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await assertReason({ ...call, headers: { ...headers, [name]: undefined } }, 'missing_header')
    await assertReason({ ...call, headers: {}, scheme: 'service' }, 'missing_header')
    await assertReason({ ...call, now: now + 301_000 }, 'too_old')
    await assertReason({ ...call, now: now - 301_000 }, 'too_new')
    await assertReason({ ...call, secrets: other }, 'wrong_secret')
    await assertReason({ ...call, body: body.replace('run_1', 'run_2') }, 'wrong_secret')
    await assertReason({ ...call, body: JSON.parse(body) }, 'body_was_parsed')
    await assertReason({ ...call, body: JSON.stringify(JSON.parse(body), null, 2) }, 'body_was_parsed')
    for (const bad of ['v1,***', 'sha256=00', 'v2,AAAA'])
      await assertReason({ ...call, headers: { ...headers, 'webhook-signature': bad } }, 'malformed')
    for (const bad of [
      'sha256=zz',
      headers['X-Service-Signature'].toUpperCase(),
      headers['X-Service-Signature'].slice(7),
    ])
      await assertReason({ ...call, scheme: 'service', headers: { 'x-service-signature': bad } }, 'malformed')
    await assertReason({ ...call, headers: { ...headers, 'webhook-timestamp': '1795000000.5' } }, 'malformed')
    for (const bad of ['', 'whsec_', 'whsec_***']) await assertReason({ ...call, secrets: bad }, 'malformed')
  })

  it('holds to the tolerance that is set, to the second', async () => {
    await verify({ ...call, now: now + 300_000 })
    await verify({ ...call, now: now + 900_000, toleranceSeconds: 900 })
    await assertReason({ ...call, now: now + 1_000, toleranceSeconds: 0 }, 'too_old')
  })

  it('does not fall back to the signature without a time when the other is taken away', async () => {
    const { 'X-Service-Signature': only } = headers
    await assertReason({ ...call, headers: { 'x-service-signature': only } }, 'missing_header')
  })

  it('takes what `sign` makes, and what is published is what `sign` makes', async () => {
    const signed = await sign({ body, secret, id: headers['webhook-id'], now })
    for (const [name, value] of Object.entries(headers)) assert.equal(signed[name.toLowerCase()], value)
    for (const scheme of ['standard', 'service'] as const)
      await verify({ body, headers: await sign({ body, secret }), secrets: secret, scheme })
  })
})
