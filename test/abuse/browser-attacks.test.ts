import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn } from '../support/attacks.ts'
import { inviteByMail } from '../support/invitees.ts'
import { administrator, PASSWORD, signUpBody, tokenOf } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

const CROSS_SITE = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
const FORM = 'application/x-www-form-urlencoded'

onOneEngineByDay('attacks through a browser', (engine) => {
  const server = usePostern(engine, { env: { ALLOWED_ORIGINS: 'https://app.acme.test' } })

  it('39: a form of another site neither signs in nor sends a mail', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const routes = {
      '/v1/auth/sign-in/email': { email, password: PASSWORD },
      '/v1/auth/sign-up/email': signUpBody(email),
      '/v1/auth/magic-link': { email },
      '/v1/auth/forget-password': { email },
    }
    const before = await countMails(postern)
    for (const [path, fields] of Object.entries(routes)) {
      const form = new URLSearchParams(fields as Record<string, string>).toString()
      const bodies = {
        [FORM]: form,
        'text/plain': JSON.stringify(fields),
        'multipart/form-data; boundary=x': form,
      }
      for (const [type, body] of Object.entries(bodies)) {
        const client = postern.client()
        const crossSite = await client.post(path, body, { headers: { ...CROSS_SITE, 'content-type': type } })
        assertError(crossSite, 'FORBIDDEN', { reason: 'cross_site' })
        // An old browser sends no `Origin`, but cannot send JSON either.
        const silent = await client.post(path, body, { headers: { 'content-type': type } })
        assertError(silent, 'VALIDATION_FAILED', { field: 'body' })
        assert.equal(client.cookies.size, 0)
      }
      const json = await postern.client().post(path, fields, { headers: CROSS_SITE })
      assertError(json, 'FORBIDDEN', { reason: 'cross_site' })
    }
    assert.equal(await countMails(postern), before)
  })

  it('40: an origin that only looks like an allowed one is refused', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const origins = [
      'https://evil.test',
      'null',
      'https://app.acme.test.evil.test',
      'https://evil.test#https://app.acme.test',
      'https://evil.test/https://app.acme.test',
      'https://app.acme.test:8443',
      'http://app.acme.test',
      'https://app.acme.test.',
      'https://xapp.acme.test',
    ]
    for (const origin of origins) {
      const answer = await postern
        .client()
        .post('/v1/auth/sign-in/email', { email, password: PASSWORD }, { headers: { origin } })
      assertError(answer, 'FORBIDDEN', { reason: 'cross_site' })
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site }
      const answer = await postern
        .client()
        .post('/v1/auth/sign-in/email', { email, password: PASSWORD }, { headers })
      assertError(answer, 'FORBIDDEN', { reason: 'cross_site' })
    }
    const allowed = await postern
      .client()
      .post(
        '/v1/auth/sign-in/email',
        { email, password: PASSWORD },
        { headers: { origin: 'https://app.acme.test', 'sec-fetch-site': 'cross-site' } },
      )
    assert.equal(allowed.status, 200, allowed.text)
  })

  it('41: a preflight of a foreign origin is granted nothing, and never *', async () => {
    const postern = await server()
    for (const origin of ['https://evil.test', 'null', 'https://app.acme.test.evil.test']) {
      for (const path of ['/v1/auth/sign-in/email', '/v1/auth/token', '/v1/invitations', '/v1/errors']) {
        const headers = { origin, 'access-control-request-method': 'POST' }
        const preflight = await postern.client().call(path, { method: 'OPTIONS', headers })
        const simple = await postern.client().get(path, { headers: { origin } })
        for (const answer of [preflight, simple]) {
          assert.equal(answer.headers.get('access-control-allow-origin'), null, `${origin} ${path}`)
        }
      }
    }
    const origin = 'https://app.acme.test'
    const granted = await postern.client().call('/v1/auth/token', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    assert.equal(granted.headers.get('access-control-allow-origin'), origin)
    assert.equal(granted.headers.get('access-control-allow-credentials'), 'true')
    assert.match(String(granted.headers.get('vary')), /origin/i)
  })

  it('42: another site cannot sign a person out', async () => {
    const postern = await server()
    const { client, email } = await administrator(postern)
    const { id } = (await client.get('/v1/auth/session')).body.session
    assertError(await client.get('/v1/auth/sign-out', { headers: CROSS_SITE }), 'ENTITY_NOT_FOUND')
    assertError(await client.post('/v1/auth/sign-out', {}, { headers: CROSS_SITE }), 'FORBIDDEN')
    const form = { headers: { ...CROSS_SITE, 'content-type': FORM } }
    assertError(await client.post('/v1/auth/sign-out', 'a=b', form), 'FORBIDDEN')
    assertError(await client.delete(`/v1/auth/sessions/${id}`, { headers: CROSS_SITE }), 'FORBIDDEN')
    const after = await client.get('/v1/auth/session')
    assert.equal(after.status, 200)
    assert.equal(after.body.user.email, email)
  })

  it('42: an Authorization header of its own does not let another site past the check', async () => {
    const postern = await server()
    const { client, email } = await administrator(postern)
    const { id } = (await client.get('/v1/auth/session')).body.session
    for (const authorization of ['Bearer x', 'Basic eDp5', '']) {
      const headers = { ...CROSS_SITE, authorization }
      for (const answer of [
        await client.post('/v1/auth/sign-out', {}, { headers }),
        await client.delete(`/v1/auth/sessions/${id}`, { headers }),
        await postern.client().post('/v1/auth/sign-in/email', { email, password: PASSWORD }, { headers }),
        await client.post('/v1/auth/magic-link', { email }, { headers }),
      ]) {
        assertError(answer, 'FORBIDDEN', { reason: 'cross_site' })
        assert.deepEqual(answer.headers.getSetCookie(), [])
      }
    }
    assert.equal((await client.get('/v1/auth/session')).status, 200)
  })

  it('42: a read that another site causes in a browser changes nothing for the next request', async () => {
    const postern = await server()
    const [first, other] = [await administrator(postern), await administrator(postern)]
    await inviteByMail(postern, other, first.email)
    assert.equal((await signIn(first.client, first.email, PASSWORD)).status, 200)
    const organizationOf = async () => {
      const [, payload = ''] = (await tokenOf(first.client)).split('.')
      return JSON.parse(Buffer.from(payload, 'base64url').toString()).org_id
    }
    assert.equal(await organizationOf(), first.organizationId)
    const asked = await first.client.get(`/v1/auth/token?organizationId=${other.organizationId}`, {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    })
    assert.equal(asked.status, 200)
    assert.equal(await organizationOf(), first.organizationId)
  })

  it('43: a cookie planted before the sign-in never becomes its session', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const planted = 'A'.repeat(43)
    const client = postern.client()
    client.cookies.set('session', planted)
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    const first = client.cookies.get('session')
    assert.notEqual(first, planted)
    assertError(
      await postern.client().get('/v1/auth/session', { headers: { cookie: `session=${planted}` } }),
      'UNAUTHORIZED',
    )
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    assert.notEqual(client.cookies.get('session'), first)
  })

  it('44: of two cookies of one name one counts completely, and no request fails', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    const good = client.cookies.get('session')
    for (const cookie of [`session=${good}; session=evil`, `__Secure-session=evil; session=${good}`]) {
      assert.equal((await postern.client().get('/v1/auth/session', { headers: { cookie } })).status, 200)
    }
    for (const cookie of [
      `session=evil; session=${good}`,
      `__Host-session=${good}`,
      'session=',
      'session',
      ';;=',
    ]) {
      assertError(await postern.client().get('/v1/auth/session', { headers: { cookie } }), 'UNAUTHORIZED')
    }
  })

  it('45: on plain http of this machine the cookie is HttpOnly and Lax, without Secure', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const answer = await signIn(postern.client(), email, PASSWORD)
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('session='))
    assert.match(cookie ?? '', /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal(answer.headers.get('strict-transport-security'), null)
  })
})

onOneEngineByDay('attacks through a browser, over https', (engine) => {
  const server = usePostern(engine, { env: { BASE_URL: 'https://auth.acme.test', NODE_ENV: 'production' } })

  it('44: a sibling domain cannot plant a session under another name', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    const good = client.cookies.get('__Host-session')
    assert.match(good ?? '', /^[\w-]{43}$/)
    const cookie = `session=evil; __Secure-session=evil; __Host-session=${good}`
    assert.equal((await postern.client().get('/v1/auth/session', { headers: { cookie } })).status, 200)
    for (const name of ['session', '__Secure-session', '__host-session']) {
      const headers = { cookie: `${name}=${good}` }
      assertError(await postern.client().get('/v1/auth/session', { headers }), 'UNAUTHORIZED')
    }
  })

  it('45: every cookie over https is __Host-, Secure, HttpOnly and Lax', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const client = postern.client()
    const signedIn = await signIn(client, email, PASSWORD)
    const asked = await client.post('/v1/auth/magic-link', { email })
    const lines = [...signedIn.headers.getSetCookie(), ...asked.headers.getSetCookie()]
    assert.ok(lines.length >= 3)
    for (const line of lines) {
      assert.match(line, /^__Host-[a-z]+=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    }
    assert.match(String(signedIn.headers.get('strict-transport-security')), /max-age=31536000/)
    const out = await client.post('/v1/auth/sign-out')
    assert.match(out.headers.getSetCookie().join(), /^__Host-session=; .*Path=\/.*HttpOnly; Secure/)
  })
})

async function countMails(postern: Awaited<ReturnType<ReturnType<typeof usePostern>>>): Promise<number> {
  const { db } = postern.app.database
  const mails = await db.selectFrom('mail').select('id').execute()
  const asked = await db.selectFrom('mail_request').select('id').execute()
  return mails.length + asked.length
}
