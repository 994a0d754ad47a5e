import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ErrorCode } from '#src/core/errors.ts'
import { assertError } from '../support/attacks.ts'
import { accountOf, inviteByMail } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** `[[[…]]]` of a depth, as JSON. */
function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

onOneEngineByDay('malformed requests', (engine) => {
  const server = usePostern(engine)

  it('22: a value of the wrong type is TYPE_MISMATCH and reaches no query', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const values = [{ $ne: null }, { $gt: '' }, [email], [], {}, 1, 1.5, true, false, null]
    const client = postern.client()
    for (const value of values) {
      assertError(await client.post('/v1/auth/sign-in/email', { email, password: value }), 'TYPE_MISMATCH', {
        field: 'password',
        value: '[redacted]',
      })
      for (const path of ['/v1/auth/sign-in/email', '/v1/auth/forget-password', '/v1/auth/magic-link']) {
        const answer = await client.post(path, { email: value, password: PASSWORD })
        assert.equal(answer.status, 400)
        assert.ok(
          answer.body.error.details.issues.some(
            ({ field, code }: { field: string; code: string }) =>
              field === 'email' && code === 'TYPE_MISMATCH',
          ),
        )
      }
      for (const field of ['firstName', 'lastName', 'email', 'password', 'invitationToken']) {
        const answer = await client.post('/v1/auth/sign-up/email', signUpBody(newEmail(), { [field]: value }))
        assertError(answer, 'TYPE_MISMATCH', { field })
      }
      for (const path of ['/v1/auth/verify-email', '/v1/auth/magic-link/verify', '/v1/auth/reset-password']) {
        const answer = await client.post(path, { token: value, newPassword: PASSWORD })
        assert.equal(answer.status, 400, answer.text)
      }
    }
    assert.equal(client.cookies.size, 0)
  })

  const bodies: Record<string, { body: string | Uint8Array; code: ErrorCode; field: string }> = {
    nothing: { body: '', code: 'VALIDATION_FAILED', field: 'body' },
    null: { body: 'null', code: 'VALIDATION_FAILED', field: 'body' },
    'a list': { body: '[]', code: 'TYPE_MISMATCH', field: 'body' },
    'a text': { body: '"x"', code: 'TYPE_MISMATCH', field: 'body' },
    'half a document': { body: '{"email":"a@acme.test"', code: 'VALIDATION_FAILED', field: 'body' },
    'two documents': { body: '{}{}', code: 'VALIDATION_FAILED', field: 'body' },
    'single quotes': { body: "{'email':1}", code: 'VALIDATION_FAILED', field: 'body' },
    'a form': { body: 'email=a%40acme.test&password=x', code: 'VALIDATION_FAILED', field: 'body' },
    '10,000 levels': { body: nested(10_000), code: 'TYPE_MISMATCH', field: 'body' },
    '30,000 levels': { body: nested(30_000), code: 'VALIDATION_FAILED', field: 'body' },
    '10,000 levels in a field': {
      body: `{"email":${nested(10_000)},"password":"x"}`,
      code: 'TYPE_MISMATCH',
      field: 'email',
    },
    '10,000 objects in a field': {
      body: `{"email":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)},"password":"x"}`,
      code: 'TYPE_MISMATCH',
      field: 'email',
    },
    '4,000 unknown members': {
      body: `{"password":"x",${Array.from({ length: 4_000 }, (_, index) => `"a${index}":1`).join()}}`,
      code: 'MISSING_REQUIRED_FIELD',
      field: 'email',
    },
    'a number of 60,000 digits': {
      body: `{"email":${'9'.repeat(60_000)},"password":"x"}`,
      code: 'TYPE_MISMATCH',
      field: 'email',
    },
    'an address of 60,000 characters': {
      body: `{"email":"${'a@'.repeat(30_000)}","password":"x"}`,
      code: 'INVALID_EMAIL',
      field: 'email',
    },
    'bytes that are no UTF-8': {
      body: Buffer.concat([
        Buffer.from('{"email":"a'),
        Buffer.from([0xff, 0xfe, 0xc0, 0xaf]),
        Buffer.from('@acme.test","password":"x"}'),
      ]),
      code: 'VALIDATION_FAILED',
      field: 'body',
    },
    'UTF-16': {
      body: Buffer.from('{"email":"a@acme.test","password":"x"}', 'utf16le'),
      code: 'VALIDATION_FAILED',
      field: 'body',
    },
  }
  for (const [what, { body, code, field }] of Object.entries(bodies)) {
    it(`22: a body of ${what} is refused quickly`, async () => {
      const postern = await server()
      const start = process.cpuUsage()
      const answer = await postern.client().post('/v1/auth/sign-in/email', body, { headers: JSON_TYPE })
      const { user, system } = process.cpuUsage(start)
      assertError(answer, code, { field })
      assert.ok(answer.text.length < 20_000, `${answer.text.length} characters`)
      // The time of this process, including the client and the mail server.
      assert.ok(user + system < 250_000, `${(user + system) / 1_000} ms`)
    })
  }

  it('22: of a member named twice the one that is checked is the one that is used', async () => {
    const postern = await server()
    const [eve, victim] = [newEmail('eve'), newEmail('victim')]
    const { token } = await administrator(postern)
    const body = `{"email":"${eve}","email":"${victim}"}`
    const answer = await postern.client().post('/v1/invitations', body, { token, headers: JSON_TYPE })
    assert.equal(answer.body.email, victim)
    assert.equal(await accountOf(postern, eve), undefined)
    assert.deepEqual((await postern.mailbox.next(victim)).recipients, [victim])
  })

  it('22: a mark of byte order before the document is skipped (RFC 8259 8.1)', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const body = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(JSON.stringify({ email, password: PASSWORD })),
    ])
    const answer = await postern.client().post('/v1/auth/sign-in/email', body, { headers: JSON_TYPE })
    assert.equal(answer.status, 200, answer.text)
  })

  it('22: a password of bytes that are no UTF-8 is not taken for another', async () => {
    const postern = await server()
    const { email, token } = await inviteByMail(postern, await administrator(postern))
    const bytes = (broken: number) => {
      const [before = '', after = ''] = JSON.stringify(
        signUpBody(email, { password: 'horse-8-|-battery', invitationToken: token }),
      ).split('|')
      return Buffer.concat([Buffer.from(before), Buffer.from([broken]), Buffer.from(after)])
    }
    const answer = await postern.client().post('/v1/auth/sign-up/email', bytes(0xff), { headers: JSON_TYPE })
    assertError(answer, 'VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
    assert.equal((await accountOf(postern, email))?.status, 'inactive')
  })

  it('22: only JSON is accepted, for any media type', async () => {
    const postern = await server()
    const body = JSON.stringify({ email: newEmail(), password: PASSWORD })
    const types = [
      'text/plain',
      'text/json',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/json/x',
      'x',
      '',
    ]
    for (const type of types) {
      const answer = await postern
        .client()
        .post('/v1/auth/sign-in/email', body, { headers: { 'content-type': type } })
      assertError(answer, 'VALIDATION_FAILED', { field: 'body', reason: 'media_type_not_supported' })
    }
    const untyped = await sendRaw(
      postern.url,
      rawHead('POST /v1/auth/sign-in/email', { 'content-length': body.length }),
      body,
    )
    assert.equal(untyped.status, 400)
    assert.equal(untyped.body.error.details.field, 'body')
  })

  it('22: a body that is declared as compressed, or not as UTF-8, is refused', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const text = JSON.stringify({ email, password: PASSWORD })
    const signIn = (type: string, encoding: object = {}, body: string | Uint8Array = text) =>
      postern
        .client()
        .post('/v1/auth/sign-in/email', body, { headers: { 'content-type': type, ...encoding } })
    const charsets = [
      'utf-16',
      'UTF-16LE',
      'iso-8859-1',
      'utf-7',
      '"utf-16"',
      '" utf-8"',
      '',
      'x'.repeat(5_000),
    ]
    for (const charset of charsets) {
      const field = { field: 'body', reason: 'charset_not_supported' }
      assertError(await signIn(`application/json; charset=${charset}`), 'VALIDATION_FAILED', field)
      const twice = `application/json; charset=utf-8; a="; charset=utf-8";Charset = ${charset}`
      assertError(await signIn(twice), 'VALIDATION_FAILED', field)
    }
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
    const unsaid = { field: 'body', reason: 'malformed_json' }
    assertError(await signIn('application/json', {}, utf16), 'VALIDATION_FAILED', unsaid)
    const form = new URLSearchParams({ email, code: 'ABCD2345' }).toString()
    const type = 'application/x-www-form-urlencoded; charset=utf-16'
    const verified = await postern
      .client()
      .post('/v1/auth/magic-link/verify', form, { headers: { 'content-type': type } })
    assertError(verified, 'VALIDATION_FAILED', { field: 'body', reason: 'charset_not_supported' })
    for (const encoding of ['gzip', 'br', 'deflate, gzip', 'identity, gzip', 'x', ','])
      for (const body of [text, gzipSync(text)])
        assertError(
          await signIn('application/json', { 'content-encoding': encoding }, body),
          'VALIDATION_FAILED',
          { field: 'body', reason: 'content_encoding_not_supported' },
        )
    for (const charset of [
      'utf-8',
      'UTF-8',
      '"utf-8"',
      'utf8',
      'us-ascii',
      '"utf-8"; a="; charset=utf-16"',
    ]) {
      const { status, text: said } = await signIn(`application/json; charset=${charset}`, {
        'content-encoding': 'identity',
      })
      assert.equal(status, 200, `${charset}: ${said}`)
    }
  })

  it('22: a form of bytes that are no UTF-8 is not taken for another', async () => {
    const postern = await server()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = Buffer.from([...Buffer.from('token='), 0xff, ...Buffer.from('&code=ABCD2345')])
    assertError(
      await postern.client().post('/v1/auth/magic-link/verify', form, { headers }),
      'VALIDATION_FAILED',
      { field: 'body', reason: 'malformed_form' },
    )
  })

  it('22: chunks that are packed are refused, and not read as they came', async () => {
    const postern = await server()
    const packed = rawHead('POST /v1/auth/sign-in/email', {
      ...JSON_TYPE,
      'transfer-encoding': 'gzip, chunked',
    })
    const { status, body } = await sendRaw(postern.url, packed, '2\r\n{}\r\n0\r\n\r\n')
    assert.equal(status, 400)
    assert.deepEqual(body.error.details, { field: 'body', reason: 'content_encoding_not_supported' })
  })

  it('22: a body of 10 MB is refused before it is read', async () => {
    const postern = await server()
    const path = 'POST /v1/auth/sign-in/email'
    const length = 10 * 1024 * 1024
    // The body is only announced: the answer does not wait for it.
    const announced = await sendRaw(
      postern.url,
      rawHead(path, { ...JSON_TYPE, 'content-length': length }),
      '{',
    )
    assert.equal(announced.status, 400)
    assert.deepEqual(announced.body.error.details, { field: 'body', reason: 'too_large' })
    const chunk = `${(64 * 1024 + 1).toString(16)}\r\n${'x'.repeat(64 * 1024 + 1)}\r\n`
    const chunked = await sendRaw(
      postern.url,
      rawHead(path, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }),
      chunk,
    )
    assert.equal(chunked.status, 400)
    assert.equal(chunked.body.error.code, 'VALIDATION_FAILED')
  })
})
