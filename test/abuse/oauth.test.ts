import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertError } from '../support/attacks.ts'
import { Client } from '../support/browser.ts'
import {
  askToken,
  authorizeRequest,
  connect,
  consent,
  issuerOf,
  openRequest,
  redeem,
  refresh,
  registerClient,
} from '../support/oauth.ts'
import { administrator, changeRole, member, PASSWORD } from '../support/people.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'

/** The address to which a request redirects the browser; it must be the client's own. */
async function sentTo(postern: Postern, path: string): Promise<URL> {
  const answer = await postern.client().get(path)
  assert.equal(answer.status, 303, answer.text)
  return new URL(answer.headers.get('location') ?? '')
}

onBothEngines('attacks on OAuth', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('90 a redirect URI that is not exactly one of the client leads to a page of Postern', async () => {
    const postern = await server()
    const client = await registerClient(postern, {
      redirectUris: ['https://client.test/callback', 'http://127.0.0.1/native'],
    })
    for (const redirect_uri of [
      'https://evil.test/callback',
      'https://client.test/callback/',
      'https://client.test/callback?x=1',
      'https://client.test/callback#f',
      'https://client.test.evil.test/callback',
      'https://client.test@evil.test/callback',
      'https://CLIENT.test/callback',
      'http://client.test/callback',
      'https://client.test:444/callback',
      'https://client.test/callback%00',
      'https://client.test\\@evil.test/callback',
      '//client.test/callback',
      'http://127.0.0.2/native',
      'http://127.0.0.1.evil.test/native',
      'http://user@127.0.0.1:4000/native',
      'http://127.0.0.1:4000/other',
      'javascript:alert(1)//client.test/callback',
      undefined,
    ]) {
      const at = await sentTo(postern, authorizeRequest(postern, client, { redirect_uri }).path)
      assert.equal(at.origin, issuerOf(postern), `${redirect_uri} led to ${at.href}`)
      assert.ok(at.searchParams.has('error'), at.href)
    }
    const native = authorizeRequest(postern, client, { redirect_uri: 'http://127.0.0.1:51234/native' })
    assert.ok((await sentTo(postern, native.path)).searchParams.has('request'))
    const unknown = { id: 'ocl_01a20a47-53b4-76e3-bec5-4ec4e1163612', redirectUri: 'https://evil.test/' }
    assert.equal((await sentTo(postern, authorizeRequest(postern, unknown).path)).origin, issuerOf(postern))
  })

  test('102 a client does not register with an address that is not https or of this machine, or a name that hides', async () => {
    const postern = await server()
    const register = (body: object) =>
      postern.client().post('/oauth/register', {
        ...{ client_name: 'x', grant_types: ['authorization_code'], response_types: ['code'] },
        ...{ token_endpoint_auth_method: 'none', redirect_uris: ['https://client.test/'] },
        ...body,
      })
    for (const uri of [
      'http://client.test/',
      'custom:/callback',
      'https://user:pass@client.test/',
      'https://client.test/#f',
      'http://127.0.0.1@evil.test/',
      'javascript:alert(1)',
      `https://client.test/${'x'.repeat(2_000)}`,
    ]) {
      const answer = await register({ redirect_uris: [uri] })
      assert.equal(answer.status, 400, `${uri}: ${answer.text}`)
      assert.match(answer.body.error, /^invalid_(redirect_uri|client_metadata)$/)
    }
    for (const body of [
      { client_name: 'Bank\u202eknaB' },
      { client_name: 'x'.repeat(101) },
      { client_name: ' ' },
      { redirect_uris: [] },
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://client.test/${at}`) },
      { grant_types: ['client_credentials'], response_types: [] },
      { grant_types: ['implicit'], response_types: ['token'] },
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://169.254.169.254/' },
    ]) {
      const answer = await register(body)
      assert.equal(answer.status, 400, `${JSON.stringify(body).slice(0, 200)}: ${answer.text}`)
    }
  })

  it('105 a code is valid once, for its client, its redirect URI and the verifier of its request; a second use ends the grant', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const [client, other] = [await registerClient(postern), await registerClient(postern)]
    const request = authorizeRequest(postern, client)
    const at = await consent(person, request)
    const refusals = [
      redeem(postern, other, request, at),
      redeem(postern, client, request, at, { redirect_uri: 'https://client.test/other' }),
      redeem(postern, client, request, at, { code_verifier: 'x'.repeat(43) }),
      redeem(postern, client, request, at, { code_verifier: '' }),
    ]
    for (const refused of await Promise.all(refusals)) {
      assert.equal(refused.status, 400, refused.text)
      assert.match(refused.body.error, /^invalid_(grant|request)$/)
    }
    const both = await Promise.all([1, 2, 3].map(() => redeem(postern, client, request, at)))
    const good = both.filter(({ status }) => status === 200)
    assert.ok(good.length <= 1, 'a code was redeemed twice')
    for (const { body } of good)
      assertError(await postern.client().get('/v1/webhooks', { token: body.access_token }), 'UNAUTHORIZED')
  })

  it('106 a refresh token that was replaced ends the grant, of any number of uses at once', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const first = await connect(postern, person)
    const second = (await refresh(postern, first.client, first.refresh)).body
    assert.equal((await postern.client().get('/v1/webhooks', { token: second.access_token })).status, 200)
    assert.equal((await refresh(postern, first.client, first.refresh)).body.error, 'invalid_grant')
    assertError(await postern.client().get('/v1/webhooks', { token: second.access_token }), 'UNAUTHORIZED')
    assert.equal((await refresh(postern, first.client, second.refresh_token)).body.error, 'invalid_grant')
    const race = await connect(postern, person)
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(postern, race.client, race.refresh)))
    assert.ok(all.filter(({ status }) => status === 200).length <= 1, 'a refresh token was used twice')
    const stolen = await connect(postern, person)
    const other = await registerClient(postern)
    assert.equal((await refresh(postern, other, stolen.refresh)).body.error, 'invalid_grant')
  })

  test('107 there is no way without PKCE by S256, no other flow, and each refusal names its issuer, so that a client of several servers mixes up none', async () => {
    const postern = await server()
    const client = await registerClient(postern)
    for (const more of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { response_type: 'token' },
      { response_type: 'id_token', nonce: 'n', scope: 'openid' },
      { response_type: 'code id_token', nonce: 'n', scope: 'openid' },
      { prompt: 'none' },
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      { request_uri: 'https://evil.test/request' },
      { resource: 'https://elsewhere.test/' },
    ]) {
      const at = await sentTo(postern, authorizeRequest(postern, client, more).path)
      assert.ok(
        at.searchParams.has('error') || at.hash.includes('error'),
        `${JSON.stringify(more)}: ${at.href}`,
      )
      assert.ok(!at.searchParams.has('code') && !at.searchParams.has('request'), at.href)
      if (at.origin === issuerOf(postern)) continue
      const answer = at.hash === '' ? at.searchParams : new URLSearchParams(at.hash.slice(1))
      assert.equal(answer.get('iss'), issuerOf(postern), at.href)
    }
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ]) {
      const answer = await askToken(postern, { grant_type, client_id: client.id })
      assert.equal(answer.status, 400, answer.text)
    }
  })

  it('108 consent is refused for another organization, from another site, without a session, and a second time', async () => {
    const postern = await server()
    const [person, stranger] = [await administrator(postern), await administrator(postern)]
    const client = await registerClient(postern)
    const id = await openRequest(person.client, authorizeRequest(postern, client))
    const path = `/v1/auth/authorizations/${id}`
    const foreign = { allow: true, organizationId: stranger.organizationId }
    assertError(await person.client.post(path, foreign), 'FORBIDDEN', { reason: 'not_a_member' })
    const own = { allow: true, organizationId: person.organizationId }
    const headers = { origin: 'https://evil.test' }
    assertError(await person.client.post(path, own, { headers }), 'FORBIDDEN', { reason: 'cross_site' })
    const signedOut = new Client(postern.url)
    for (const [name, value] of person.client.cookies)
      if (name !== 'session') signedOut.cookies.set(name, value)
    assertError(await signedOut.post(path, own), 'UNAUTHORIZED')
    const answers = await Promise.all([1, 2, 3].map(() => person.client.post(path, own)))
    assert.equal(
      answers.filter(({ status }) => status === 200).length,
      1,
      answers.map(({ text }) => text).join(),
    )
    const page = await person.client.get('/consent')
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })

  test('109 a grant gives no more than the member may do now, and nothing after the membership', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin, 'administrator')
    const {
      access,
      client,
      refresh: token,
    } = await connect(postern, person, { scope: 'events:write webhooks:read' })
    const event = { type: 'agent.run.completed', data: {} }
    const publish = () => postern.client().post('/v1/events', event, { token: access })
    assert.notEqual((await publish()).status, 403)
    await changeRole(postern, admin, person, 'member')
    assertError(await publish(), 'FORBIDDEN')
    assert.equal((await postern.client().get('/v1/webhooks', { token: access })).status, 200)
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    assert.equal((await admin.client.delete(path, { token: admin.token })).status, 204)
    assertError(await postern.client().get('/v1/webhooks', { token: access }), 'UNAUTHORIZED')
    assert.equal((await refresh(postern, client, token)).body.error, 'invalid_grant')
  })

  it('110 a grant ends with the account, the sessions, a changed password and, where it is bound to it, the session', async () => {
    const postern = await server()
    const isGood = async (token: string) =>
      (await postern.client().get('/v1/webhooks', { token })).status === 200
    const first = await administrator(postern)
    const disabled = await connect(postern, first)
    await command(postern, 'account', '--email', first.email, '--disable', '--force')
    const second = await administrator(postern)
    const changed = await connect(postern, second)
    const passwords = { currentPassword: PASSWORD, newPassword: 'another horse 8 battery' }
    assert.equal((await second.client.post('/v1/auth/change-password', passwords)).status, 200)
    assert.equal(await isGood(changed.access), false)
    const bound = await connect(postern, second, { scope: 'openid webhooks:read' })
    assert.equal(bound.refresh, undefined)
    assert.equal(await isGood(bound.access), true)
    await second.client.post('/v1/auth/sign-out')
    assert.equal(await isGood(bound.access), false)
    assert.equal((await refresh(postern, disabled.client, disabled.refresh)).body.error, 'invalid_grant')
  })

  test('111 a token of one organization, or of another kind, opens nothing else', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const { access } = await connect(postern, person, { scope: 'openid offline_access members:read' })
    const path = (id: string) => `/v1/organizations/${id}/members`
    assert.equal((await postern.client().get(path(person.organizationId), { token: access })).status, 200)
    assertError(await postern.client().get(path(other.organizationId), { token: access }), 'ENTITY_NOT_FOUND')
    const headers = { 'postern-organization': other.organizationId }
    assertError(
      await postern.client().get(path(person.organizationId), { token: access, headers }),
      'FORBIDDEN',
    )
    // The token is not valid for routes of sessions.
    for (const session of ['/v1/auth/session', '/v1/auth/token', '/v1/auth/grants'])
      assertError(await postern.client().get(session, { token: access }), 'UNAUTHORIZED')
    const claims = decodeJwt(access)
    assert.equal(claims.email, undefined)
    assert.deepEqual(claims.aud, issuerOf(postern))
  })

  it('112 a revoked refresh token ends the grant, and a client cannot revoke that of another', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { client, access, refresh: token } = await connect(postern, person)
    const other = await registerClient(postern)
    const revoke = (id: string) =>
      postern.client().post('/oauth/revoke', new URLSearchParams({ client_id: id, token }).toString(), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    assert.equal((await revoke(other.id)).status, 200)
    assert.equal((await postern.client().get('/v1/webhooks', { token: access })).status, 200)
    assert.equal((await revoke(client.id)).status, 200)
    assertError(await postern.client().get('/v1/webhooks', { token: access }), 'UNAUTHORIZED')
  })

  test('113 an invalid request causes no error of the server, and its log has no secret', async () => {
    const postern = await server()
    const client = postern.client()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [body, headers] of [
      ['', form],
      ['grant_type=authorization_code&grant_type=refresh_token', form],
      ['%%%', form],
      ['{"grant_type":"refresh_token"}', { 'content-type': 'application/json' }],
      ['x'.repeat(10_000), form],
      ['grant_type=refresh_token&refresh_token=a&client_id=https://169.254.169.254/client', form],
    ] as const) {
      const answer = await client.post('/oauth/token', body, { headers })
      assert.ok(answer.status >= 400 && answer.status < 500, `${body.slice(0, 80)}: ${answer.status}`)
      assert.doesNotMatch(answer.text, /at .*node_modules|<html/)
    }
    const person = await administrator(postern)
    const { access, refresh: token } = await connect(postern, person)
    for (const secret of [access, token]) assert.ok(!postern.log().includes(secret), 'a token is in the log')
  })
})
