import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn } from '../support/attacks.ts'
import { auditOf } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'

/** A failed sign-in with bytes that no client would send in a header. */
function failWith(postern: Postern, email: string, headers: Record<string, string>) {
  const body = JSON.stringify({ email, password: 'wrong' })
  const all = { 'content-type': 'application/json', 'content-length': body.length, ...headers }
  return sendRaw(postern.url, rawHead('POST /v1/auth/sign-in/email', all), body)
}

onOneEngineByDay('logs and audit', (engine) => {
  const server = usePostern(engine)

  it('87: a user agent forges no line and fills no disk', async () => {
    const postern = await server()
    const { email, token } = await administrator(postern)
    const agents = [
      'curl \u001b[31mred\u001b[0m',
      'x\u009b31mx\u0085x',
      'a\tb',
      'x'.repeat(10_000),
      '"}{"level":60,"msg":"forged"}',
      '<script>alert(1)</script>',
    ]
    for (const agent of agents) await failWith(postern, email, { 'user-agent': agent })
    const rows = await auditOf(postern, email, 'sign_in.failed')
    for (const { user_agent } of rows) {
      assert.ok(user_agent.length <= 256)
      assert.doesNotMatch(user_agent, /[\p{Cc}\p{Cf}]/u)
    }
    const listed = await postern.client().get('/v1/audit-log?action=sign_in.failed', { token })
    assert.equal(listed.body.data.length, rows.length)
    assert.ok(rows.length >= 3)
    assert.doesNotMatch(postern.log(), /forged/)
  })

  it('87: a head of a megabyte is refused before anything is recorded', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const answer = await failWith(postern, email, { 'user-agent': 'x'.repeat(1024 * 1024) })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.error.details, { field: 'request', reason: 'headers_too_large' })
    assert.match(answer.head, /x-request-id: req_/)
    assert.deepEqual(await auditOf(postern, email, 'sign_in.failed'), [])
  })

  it('87: a line break in a header is no second header', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    for (const agent of ['x\ry', 'x\0y', 'x\n y']) {
      const answer = await failWith(postern, email, { 'user-agent': agent })
      assert.ok([400, 401].includes(answer.status), answer.head)
    }
    for (const { user_agent } of await auditOf(postern, email, 'sign_in.failed'))
      assert.doesNotMatch(user_agent, /\p{Cc}/u)
  })

  it('87: a request id that could forge a line is replaced', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    for (const id of [
      'x',
      'a'.repeat(129),
      'id with spaces',
      '<script>12345',
      '"}{"level":60',
      'ünïcode-id',
    ]) {
      const answer = await failWith(postern, email, { 'x-request-id': id })
      assert.match(answer.head, /^x-request-id: req_[0-9a-f-]{36}$/im)
    }
    const kept = await failWith(postern, email, { 'x-request-id': 'abcd-1234_EF' })
    assert.match(kept.head, /^x-request-id: abcd-1234_EF$/im)
    for (const { request_id } of await auditOf(postern, email, 'sign_in.failed'))
      assert.match(request_id, /^[\w-]{8,128}$/)
  })

  it('87: every line of the log is one JSON document, for any request', async () => {
    const postern = await server()
    const { client, token } = await administrator(postern)
    const paths = [
      '/%0d%0aforged',
      '/%1b%5b31m',
      `/${'x'.repeat(8_000)}`,
      '/v1/auth/session?x=%0aforged',
      '/v1/invitations/preview?token=sECRETtOKEN%0a',
    ]
    for (const path of paths) await client.get(path)
    await signIn(client, newEmail('a'), PASSWORD)
    const lines = postern.log().split('\n').slice(0, -1)
    assert.ok(lines.length > paths.length)
    for (const line of lines) {
      assert.ok(line.length < 4_000, `${line.length} characters`)
      assert.equal(typeof JSON.parse(line), 'object')
      assert.doesNotMatch(line, /\p{Cc}|sECRETtOKEN/u)
    }
    // A filter that no engine can search for is refused, and is not an internal error.
    const filter = await postern.client().get('/v1/audit-log?action=%00', { token })
    assertError(filter, 'VALIDATION_FAILED', { field: 'action' })
  })
})
