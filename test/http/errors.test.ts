import assert from 'node:assert/strict'
import { it } from 'node:test'
import { GUIDE } from '#src/core/error-guide.ts'
import { CATALOGUE, ERROR_CODES } from '#src/core/errors.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'
import { until } from '../support/waits.ts'

onOneEngineByDay('errors', (engine) => {
  const server = usePostern(engine)

  it('gives the code of what is wrong, with field, value and every other problem', async () => {
    const postern = await server()
    const body = { firstName: 7, email: 'no address', password: PASSWORD, termsAccepted: true, extra: [1] }
    const answer = await postern.client().post('/v1/auth/sign-up/email', body)
    assert.equal(answer.status, 400)
    const { details, code } = answer.body.error
    const { issues } = details
    assert.deepEqual(
      issues.map(({ field, code: one, value }: Record<string, unknown>) => [field, one, value]).sort(),
      [
        ['email', 'INVALID_EMAIL', 'no address'],
        ['extra', 'VALIDATION_FAILED', '[redacted]'],
        ['firstName', 'TYPE_MISMATCH', 7],
        ['lastName', 'MISSING_REQUIRED_FIELD', undefined],
      ],
    )
    // The first of them is the answer itself.
    assert.deepEqual([code, details.field, details.value], [issues[0].code, issues[0].field, issues[0].value])
    for (const { message } of issues) assert.match(message, /\w/)
  })

  it('names a nested field with dots, and an item of a list by its number', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const invitations = [{ email: newEmail() }, { email: 7 }, { role: 'member' }]
    const { body } = await postern.client().post('/v1/invitations/bulk', { invitations }, { token })
    assert.deepEqual(
      body.error.details.issues.map(({ field }: { field: string }) => field),
      ['invitations.1.email', 'invitations.2.email'],
    )
  })

  it('shows a rejected value, cut at 256 characters, and never a secret', async () => {
    const postern = await server()
    const client = postern.client()
    const long = await client.post('/v1/auth/sign-in/email', { email: 'x'.repeat(5_000), password: PASSWORD })
    assertError(long, 'INVALID_EMAIL', { field: 'email', value: 'x'.repeat(256) })
    const secret = 'the-secret-that-must-not-show'
    const slips: [string, unknown][] = [
      ['/v1/auth/sign-up/email', signUpBody(newEmail(), { password: [secret] })],
      ['/v1/auth/sign-up/email', signUpBody(newEmail(), { invitationToken: { token: secret } })],
      ['/v1/auth/sign-up/email', signUpBody(newEmail(), { pasword: secret, passwd: secret })],
      ['/v1/auth/sign-in/email', { email: newEmail(), password: { password: secret } }],
      ['/v1/auth/sign-in/email', { email: { password: secret }, password: PASSWORD }],
      ['/v1/auth/sign-in/email', secret],
      ['/v1/auth/sign-in/email', [secret]],
      ['/v1/auth/reset-password', { token: secret, newPassword: secret.slice(0, 7) }],
      ['/v1/auth/reset-password', { token: secret.repeat(100), newPassword: PASSWORD }],
      ['/v1/auth/verify-email', { token: secret }],
      ['/v1/auth/magic-link/verify', { token: secret, code: secret.repeat(3) }],
      ['/v1/auth/magic-link/verify', { email: newEmail(), code: [secret] }],
    ]
    for (const [path, body] of slips) {
      const call = { headers: { 'content-type': 'application/json' } }
      const answer = await client.post(path, JSON.stringify(body), call)
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
      assert.ok(!answer.text.includes(secret.slice(0, 7)), `${path} ${answer.text}`)
    }
    const query = await client.get(`/v1/invitations/preview?token=${secret}&tokenn=${secret}`)
    assert.ok(!query.text.includes(secret), query.text)
    assert.ok(!postern.log().includes(secret))
  })

  it('answers what no code was made for with the nearest of the catalogue', async () => {
    const postern = await server()
    const client = postern.client()
    const json = { headers: { 'content-type': 'application/json' } }
    const tooLarge = await client.post('/v1/auth/sign-in/email', `{"email":"${'x'.repeat(70_000)}"}`, json)
    assertError(tooLarge, 'VALIDATION_FAILED', { field: 'body', reason: 'too_large' })
    for (const [method, path] of [
      ['POST', '/'],
      ['GET', '/v1'],
      ['PUT', '/v1/auth/token'],
      ['DELETE', '/v1/errors'],
      ['GET', '/v1/auth/sign-in/email'],
      ['POST', '/v1/auth/sign-in/email/'],
      ['GET', `/v1/errors/${'x'.repeat(300)}`],
      ['GET', '/v1/errors/%'],
    ] as const) {
      assertError(await client.call(path, { method }), 'ENTITY_NOT_FOUND')
    }
  })

  it('says nothing of what went wrong on its own side, but to its log', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    const { database } = postern.app
    const { selectFrom } = database.db
    database.db.selectFrom = () => {
      throw new Error('the disk is on fire at /var/lib/secret')
    }
    const failed = await client.get('/v1/auth/session').finally(() => {
      database.db.selectFrom = selectFrom
    })
    assertError(failed, 'PROCESSING_FAILED', {})
    assert.deepEqual(failed.body.error.details, {})
    assert.doesNotMatch(failed.text, /fire|\.ts|at /)
    // What works in the background meets the same fire; of the request there is one line, found by its id.
    const lines = postern
      .log()
      .split('\n')
      .filter((one) => one.includes('on fire'))
      .map((one) => JSON.parse(one).requestId)
    assert.equal(lines.filter((id) => id === failed.body.error.requestId).length, 1)
  })

  it('answers even what is no HTTP out of the catalogue', async () => {
    const { url } = await server()
    for (const bytes of ['NONSENSE\r\n\r\n', rawHead('GET /v1/errors', { 'x-long': 'x'.repeat(20_000) })]) {
      const answer = await sendRaw(url, bytes)
      assert.equal(answer.status, 400)
      const { code, details, requestId } = answer.body.error
      assert.deepEqual([code, details.field], ['VALIDATION_FAILED', 'request'])
      assert.ok(answer.head.includes(`x-request-id: ${requestId}`))
      assert.match(answer.head, /cache-control: no-store/)
    }
  })

  it('speaks RFC 9457 to who asks for it, with the same facts', async () => {
    const postern = await server()
    for (const accept of ['application/problem+json', 'application/json;q=0.5, application/problem+json']) {
      const answer = await postern.client().get('/v1/auth/token', { headers: { accept } })
      assert.equal(answer.headers.get('content-type'), 'application/problem+json')
      const { error, ...problem } = answer.body
      assert.deepEqual(problem, {
        type: `${error.docUrl}`,
        title: 'UNAUTHORIZED',
        status: 401,
        detail: CATALOGUE.UNAUTHORIZED.message,
        instance: answer.headers.get('x-request-id'),
      })
    }
  })

  it('keeps a request id that looks like one, and makes one otherwise', async () => {
    const postern = await server()
    for (const id of ['abcdefgh', 'x'.repeat(128), 'A-Z_0-9aa']) {
      const answer = await postern.client().get('/v1/errors', { headers: { 'x-request-id': id } })
      assert.equal(answer.headers.get('x-request-id'), id)
      // A request has its line in the log when its answer has gone.
      await until(postern.log, (text) => text.includes(`"requestId":"${id}"`))
    }
    for (const id of ['short', 'x'.repeat(129), 'with space', 'a.b.c.d.e', '<script>', 'ünïcödé!']) {
      const answer = await postern.client().get('/v1/errors', { headers: { 'x-request-id': id } })
      assert.match(String(answer.headers.get('x-request-id')), /^req_[0-9a-f-]{36}$/, id)
    }
  })

  it('publishes the catalogue as data', async () => {
    const postern = await server()
    const list = await postern.client().get('/v1/errors')
    assert.deepEqual(
      list.body.data.map(({ code }: { code: string }) => code),
      ERROR_CODES,
    )
    assert.equal(list.body.nextCursor, null)
    for (const code of ERROR_CODES) {
      const one = await postern.client().get(`/v1/errors/${code}`)
      const { causes, steps } = GUIDE[code]
      const { example, ...entry } = one.body
      assert.deepEqual(entry, { code, ...CATALOGUE[code], causes, steps })
      assert.deepEqual([example.error.code, example.error.details], [code, GUIDE[code].example])
      assert.ok(example.error.docUrl.endsWith(`/v1/errors/${code}`))
    }
    for (const code of ['NOPE', 'unauthorized', '__proto__', 'constructor']) {
      assertError(await postern.client().get(`/v1/errors/${code}`), 'ENTITY_NOT_FOUND', { field: 'code' })
    }
  })
})
