import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, mailAbout, withPostern } from '../support/attacks.ts'
import { startForgingProvider } from '../support/forging-provider.ts'
import { administrator, newEmail } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

const APP = 'https://app.acme.test'

/** The headers with which a request may claim another address of the server. */
const LIES: Record<string, string>[] = [
  { host: 'evil.test' },
  { 'x-forwarded-host': 'evil.test' },
  { 'x-forwarded-proto': 'https', 'x-forwarded-port': '666' },
  { forwarded: 'for=1.2.3.4;host=evil.test;proto=https' },
  { 'x-original-host': 'evil.test', 'x-host': 'evil.test', 'x-forwarded-server': 'evil.test' },
]

/** Addresses that look like `APP` and are not on it. */
const ELSEWHERE: unknown[] = [
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  'https:evil.test',
  'https:/evil.test',
  'https:///evil.test',
  'https://app.acme.test@evil.test',
  'https://app.acme.test:x@evil.test/',
  'https://user:secret@app.acme.test/',
  'https://app.acme.test%00.evil.test',
  'https://app.acme.test%2eevil.test',
  'https://app\\.evil.test',
  'https://app.acme.test\\.evil.test',
  'https://app.acme.test\\@evil.test',
  'https://evil.test\\@app.acme.test',
  'https://evil.test#@app.acme.test',
  'https://evil.test?https://app.acme.test',
  'https://evil.test/https://app.acme.test',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)//https://app.acme.test',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://app.acme.test/1',
  'vbscript:x',
  'file:///etc/passwd',
  'https://аpp.acme.test',
  'https://app.acme.test.evil.test',
  'https://app.acme.testevil.test',
  'https://xapp.acme.test',
  'http://app.acme.test',
  'https://app.acme.test:8443/',
  'https://app.acme.test:443/',
  'https://app.acme.test./',
  'HTTPS://APP.ACME.TEST/',
  'https%3A%2F%2Fapp.acme.test',
  'https%253A%252F%252Fapp.acme.test',
  ' https://app.acme.test',
  'https://app.acme.test ',
  'https://app.acme.test\t/',
  'https://app.acme.test\r\nLocation: https://evil.test',
  'https://app.acme.test/\u0000',
  'https://app\u3002acme.test',
  '\u0001https://app.acme.test',
  `https://app.acme.test/${'a'.repeat(3_000)}`,
  '/relative',
  'relative',
  '',
  '.',
  'null',
  [APP],
  { url: APP },
  1,
  true,
  null,
]

onOneEngineByDay('links and returns', (engine) => {
  const server = usePostern(engine, {
    env: {
      ALLOWED_ORIGINS: APP,
      TRUST_PROXY: '127.0.0.1/32',
      BASE_URL: 'https://auth.acme.test',
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_ISSUER: 'http://127.0.0.1:9',
    },
  })

  it('52: no header of a request moves a link of a mail', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    for (const headers of LIES) {
      const email = newEmail('invited')
      const invited = await postern
        .client()
        .post('/v1/invitations', { email }, { token: admin.token, headers })
      assert.equal(invited.status, 201, invited.text)
      assert.match(String(invited.headers.get('location')), /^https:\/\/auth\.acme\.test\//)
      const quiet = { email: newEmail('invited'), sendEmail: false }
      const carried = await postern.client().post('/v1/invitations', quiet, { token: admin.token, headers })
      assert.match(carried.body.acceptUrl, /^https:\/\/auth\.acme\.test\//)
      await postern.client().post('/v1/auth/forget-password', { email: admin.email }, { headers })
      await postern.client().post('/v1/auth/magic-link', { email: admin.email }, { headers })
      const mails = [
        await postern.mailbox.next(email),
        await mailAbout(postern, admin.email, /new password|sign-in link/),
        await mailAbout(postern, admin.email, /new password|sign-in link/),
      ]
      for (const { link, text, html } of mails) {
        assert.match(link, /^https:\/\/auth\.acme\.test\//)
        assert.doesNotMatch(text + html, /evil|666/)
      }
      const refused = await postern.client().get('/v1/nothing', { headers })
      assert.match(refused.body.error.docUrl, /^https:\/\/auth\.acme\.test\//)
      const document = await postern.client().get('/openapi.json', { headers })
      assert.deepEqual(document.body.servers, [{ url: 'https://auth.acme.test' }])
    }
  })

  it('52: no header of a request moves the address to which a provider returns', async () => {
    const google = await startForgingProvider()
    const env = { ...google.env('GOOGLE'), ALLOWED_ORIGINS: APP, BASE_URL: 'https://auth.acme.test' }
    try {
      await withPostern(engine, { env }, async (postern) => {
        for (const headers of LIES) {
          const body = { provider: 'google', callbackURL: APP }
          const answer = await postern.client().post('/v1/auth/sign-in/social', body, { headers })
          assert.equal(answer.status, 200, answer.text)
          const returns = URL.parse(answer.body.authUrl)?.searchParams.get('redirect_uri')
          assert.equal(returns, 'https://auth.acme.test/v1/auth/callback/google')
        }
      })
    } finally {
      await google.stop()
    }
  })

  it('53: a return address must be on an allowed origin, to the letter', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const social = { provider: 'google', callbackURL: APP }
    const fields: [string, string, object][] = [
      ['/v1/auth/forget-password', 'redirectTo', { email }],
      ['/v1/auth/magic-link', 'callbackURL', { email }],
      ['/v1/auth/sign-in/social', 'callbackURL', social],
      ['/v1/auth/sign-in/social', 'errorCallbackURL', social],
    ]
    for (const [path, field, body] of fields) {
      for (const value of ELSEWHERE) {
        const answer = await postern.client().post(path, { ...body, [field]: value })
        const isText = typeof value === 'string'
        assertError(answer, isText ? 'VALIDATION_FAILED' : 'TYPE_MISMATCH', { field })
        assert.ok(String(answer.body.error.details.value ?? '').length <= 256)
      }
      for (const value of [APP, `${APP}/`, `${APP}/a?b=c#d`, `${APP}?x=https://evil.test`]) {
        const answer = await postern.client().post(path, { ...body, [field]: value })
        // The provider does not exist; the address is checked before any call to it.
        assert.equal(answer.status, path.endsWith('social') ? 502 : 200, value)
      }
    }
  })

  it('53: the token is added to the allowed address, and nothing of it is lost', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const redirectTo = `${APP}/choose?theme=dark&token=mine#top`
    await postern.client().post('/v1/auth/forget-password', { email, redirectTo })
    const { link, token } = await mailAbout(postern, email, /new password/)
    assert.equal(link, `${APP}/choose?theme=dark&token=${token}#top`)
    assert.match(token, /^[\w-]{43}$/)
  })
})
