import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { type Cause, type DiagnoseOptions, diagnose } from './doctor.ts'
import { sign } from './webhooks.ts'

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const other = `whsec_${btoa('another secret of thirty-two byte')}`
const body = '{"id":"evt_1","type":"a.b","createdAt":"2026-11-18T10:26:40.000Z","data":{"text":"Grüße"}}'
const now = 1_795_000_000_000
const headers = await sign({ body, secret, id: 'evt_1', now })
const id = headers['webhook-id']
const stamp = headers['webhook-timestamp']
const whole = secret
const decoded = Buffer.from(secret.slice(6), 'base64')
const hmac = (key: string | Buffer, text: string, as: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(as)

async function assertCauses(more: Partial<DiagnoseOptions>, causes: Cause[], isGenuine = false) {
  const found = await diagnose({ body, headers, secrets: secret, now, ...more })
  assert.deepEqual(
    found.findings.map(({ cause }) => cause),
    causes,
    JSON.stringify(more),
  )
  assert.equal(found.isGenuine, isGenuine)
  for (const { text } of found.findings) assert.match(text, /^[A-Z].+\.$/)
}

it('a call that is genuine has no finding, by either header', async () => {
  await assertCauses({}, [], true)
  for (const name of ['webhook-signature', 'x-service-signature'])
    await assertCauses(
      { headers: { 'webhook-id': id, 'webhook-timestamp': stamp, [name]: headers[name] } },
      [],
      true,
    )
})

it('a call whose secret is on its way out is genuine, and says so', async () => {
  await assertCauses({ secrets: [other, secret] }, ['previous_secret'], true)
})

it('what was done to the secret or the body is named', async () => {
  for (const bad of [`${secret}\n`, ` ${secret}`, `"${secret}"`, secret.slice(6)])
    await assertCauses({ secrets: bad, headers: { 'x-service-signature': headers['x-service-signature'] } }, [
      'secret_has_guest',
    ])
  for (const spaces of [2, 4])
    await assertCauses({ body: JSON.stringify(JSON.parse(body), null, spaces) }, ['body_was_parsed'])
  for (const changed of [`${body}\n`, `\uFEFF${body}`])
    await assertCauses({ body: changed }, ['body_changed'])
  await assertCauses({ body: new TextEncoder().encode(`${body}\r\n`) }, ['body_changed'])
})

it('what a receiver computes otherwise is named', async () => {
  const prefixed = `${id}.${stamp}.${body}`
  await assertCauses({ computed: hmac(whole, body, 'hex') }, [])
  await assertCauses({ computed: `v1,${hmac(decoded, prefixed, 'base64')}` }, [])
  await assertCauses({ computed: hmac(decoded, body, 'hex') }, ['wrong_key_form'])
  await assertCauses({ computed: `v1,${hmac(whole, prefixed, 'base64')}` }, ['wrong_key_form'])
  await assertCauses({ computed: `v1,${hmac(decoded, body, 'base64')}` }, ['wrong_content'])
  await assertCauses({ computed: hmac(whole, body, 'base64') }, ['wrong_encoding'])
  await assertCauses({ computed: `sha256=${hmac(whole, body, 'hex').toUpperCase()}` }, ['wrong_encoding'])
  await assertCauses({ computed: `v1,${hmac(decoded, prefixed, 'hex')}` }, ['wrong_encoding'])
  await assertCauses({ computed: hmac(whole, JSON.stringify(JSON.parse(body), null, 2), 'hex') }, [
    'body_was_parsed',
  ])
})

it('the age of a call is told beside what else is wrong', async () => {
  await assertCauses({ now: now + 301_000 }, ['too_old'], true)
  await assertCauses({ now: now - 301_000, secrets: other }, ['wrong_secret', 'too_new'])
})

it('what nothing explains is another secret, what is no signature is malformed, and none at all is missing', async () => {
  await assertCauses({ secrets: other }, ['wrong_secret'])
  await assertCauses(
    { headers: { ...headers, 'webhook-signature': 'nonsense', 'x-service-signature': '' } },
    ['malformed'],
  )
  await assertCauses({ headers: {} }, ['missing_header'])
})
