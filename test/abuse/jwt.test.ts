import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose'
import { LIFETIME } from '#src/core/limits.ts'
import { sealContext } from '#src/db/sealed.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, member, type Person, tokenOf } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'

/** The current private key, as an attacker with the database and its key would have it. */
async function stolenKey(postern: Postern) {
  const row = await postern.app.database.db.selectFrom('signing_key').selectAll().executeTakeFirstOrThrow()
  const jwk = JSON.parse(postern.app.vault.open(row.private_jwk, sealContext('signing_key', row.kid))) as JWK
  return { kid: row.kid, key: await importJWK(jwk, 'ES256'), publicJwk: JSON.parse(row.public_jwk) as JWK }
}

function probe(postern: Postern, authorization: string) {
  return postern.client().get('/v1/organizations', { headers: { authorization } })
}

/** A token with changed claims and header of a valid one, signed by `sign`. */
function forge(good: string, claims: object, header: object = {}) {
  const { kid } = decodeProtectedHeader(good)
  return new SignJWT({ ...decodeJwt(good), ...claims }).setProtectedHeader({
    alg: 'ES256',
    kid: String(kid),
    typ: 'at+jwt',
    ...header,
  })
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

onBothEngines('JWT', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('73: a token that was not signed by our key with ES256 is refused', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { publicJwk, kid } = await stolenKey(postern)
    const foreign = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(foreign.publicKey)
    const hmac = [JSON.stringify(publicJwk), String(publicJwk.x), String(publicJwk.y)]
    const claims = decodeJwt(token)
    const forged: Record<string, string> = {
      'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      'alg None with signature': `${encode({ alg: 'None', kid, typ: 'at+jwt' })}.${payload}.${signature}`,
      'edited payload': `${header}.${encode({ ...claims, role: 'administrator', x: 1 })}.${signature}`,
      'edited header': `${encode({ alg: 'ES256', kid, typ: 'at+jwt', x: 1 })}.${payload}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'two parts': `${header}.${payload}`,
      'four parts': `${token}.x`,
      'cut signature': token.slice(0, -4),
      'foreign key, our kid': await forge(token, {}).sign(foreign.privateKey),
      'unknown kid': await forge(token, {}, { kid: 'other' }).sign(foreign.privateKey),
      'kid of a path': await forge(token, {}, { kid: '../../dev/null' }).sign(foreign.privateKey),
      'embedded jwk': await forge(token, {}, { jwk, kid: 'mine' }).sign(foreign.privateKey),
      jku: await forge(token, {}, { jku: 'http://127.0.0.1/jwks', kid: 'mine' }).sign(foreign.privateKey),
      crit: `${encode({ alg: 'ES256', kid, typ: 'at+jwt', crit: ['exp'] })}.${payload}.${signature}`,
    }
    for (const [index, secret] of hmac.entries()) {
      const key = new TextEncoder().encode(secret)
      forged[`HS256 with the public key ${index}`] = await forge(token, {}, { alg: 'HS256' }).sign(key)
    }
    for (const [name, value] of Object.entries(forged)) {
      const answer = await probe(postern, `Bearer ${value}`)
      assert.equal(answer.status, 401, name)
      assertError(answer, 'UNAUTHORIZED')
    }
    assert.equal((await probe(postern, `Bearer ${token}`)).status, 200)
  })

  test('73: a token signed by our key is refused when its claims are not those of an access token', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const { key } = await stolenKey(postern)
    const now = Math.floor(postern.clock.now() / 1_000)
    const claims: Record<string, object> = {
      'foreign issuer': { iss: 'https://evil.test' },
      'foreign audience': { aud: 'https://evil.test' },
      'no issuer': { iss: undefined },
      'no audience': { aud: undefined },
      'expired by a second': { exp: now - 1 },
      'expires now': { exp: now },
      'not valid yet': { nbf: now + 60 },
      'no expiry': { exp: undefined },
      'expiry as text': { exp: String(now + 60) },
      'no session': { sid: undefined },
      'no subject': { sub: undefined },
      'no organization': { org_id: undefined },
      'unknown role': { role: 'owner' },
      'two roles': { role: 'member,administrator' },
      'role as list': { role: ['administrator'] },
      'another kind of id': { sub: decodeJwt(token).sid },
    }
    const forged: Record<string, string> = {}
    for (const [name, change] of Object.entries(claims)) forged[name] = await forge(token, change).sign(key)
    for (const typ of ['JWT', 'id_token', 'logout+jwt', '']) {
      forged[`typ ${typ}`] = await forge(token, {}, { typ }).sign(key)
    }
    forged.huge = await forge(token, { x: 'y'.repeat(8_000) }).sign(key)
    for (const [name, value] of Object.entries(forged)) {
      const answer = await probe(postern, `Bearer ${value}`)
      assert.equal(answer.status, 401, name)
      assertError(answer, 'UNAUTHORIZED')
    }
    assert.equal((await probe(postern, `Bearer ${await forge(token, {}).sign(key)}`)).status, 200)
  })

  test('73: the header holds one bearer token, its scheme in any case, and the query none', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
      assert.equal((await probe(postern, `${scheme} ${token}`)).status, 200, scheme)
    }
    const headers = ['Bearer', 'Bearer ', `Bearer Bearer ${token}`, `Bearer ${token}, Bearer ${token}`, token]
    headers.push(`Basic ${token}`, `Bearer${token}`, `Bearer ${token} x`, 'Bearer %%%', 'Bearer ~~~.~~~.~~~')
    headers.push(
      `Bearer ${'a'.repeat(9_000)}`,
      'Bearer psk_x',
      'Bearer null',
      'DPoP x',
      ',',
      `"Bearer ${token}"`,
    )
    for (const header of headers) assertError(await probe(postern, header), 'UNAUTHORIZED')
    // RFC 9110 5.3: the field is not a list, so only the first of two lines counts.
    const twice = (one: string, two: string) =>
      sendRaw(postern.url, rawHead('GET /v1/organizations', { authorization: one, Authorization: two }))
    assert.equal((await twice('Bearer x', `Bearer ${token}`)).status, 401)
    assert.equal((await twice(`Bearer ${token}`, 'Bearer x')).status, 200)
    for (const name of ['access_token', 'token', 'authorization']) {
      assertError(await postern.client().get(`/v1/organizations?${name}=${token}`), 'UNAUTHORIZED')
    }
    const cookie = { headers: { cookie: `session=${token}; authorization=Bearer ${token}` } }
    assertError(await postern.client().get('/v1/organizations', cookie), 'UNAUTHORIZED')
  })

  test('73: a token ends after 60 minutes to the second', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const { exp, iat } = decodeJwt(token)
    assert.equal(Number(exp) - Number(iat), 3_600)
    using _still = postern.clock.stop()
    postern.clock.advance(Number(exp) * 1_000 - postern.clock.now() - 1)
    assert.equal((await probe(postern, `Bearer ${token}`)).status, 200)
    postern.clock.advance(1)
    assertError(await probe(postern, `Bearer ${token}`), 'UNAUTHORIZED')
  })

  it('74: nothing of another organization can be seen or changed with a token', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const ours = await member(postern, ada)
    const invited = await postern
      .client()
      .post('/v1/invitations', { email: 'x@acme.test' }, { token: ada.token })
    await apiKey(postern, ada)
    const [{ id: keyId }] = (await postern.client().get('/v1/api-keys', { token: ada.token })).body.data
    const members = `/v1/organizations/${ada.organizationId}/members`
    const calls: [string, string, object?][] = [
      ['GET', members],
      ['PATCH', `${members}/${ours.accountId}`, { role: 'administrator' }],
      ['DELETE', `${members}/${ours.accountId}`],
      // An account of another organization with the caller's organization.
      ['PATCH', `/v1/organizations/${eve.organizationId}/members/${ours.accountId}`, { role: 'member' }],
      ['DELETE', `/v1/organizations/${eve.organizationId}/members/${ours.accountId}`],
      ['GET', `/v1/invitations/${invited.body.id}`],
      ['DELETE', `/v1/invitations/${invited.body.id}`],
      ['POST', `/v1/invitations/${invited.body.id}/resend`],
      ['DELETE', `/v1/api-keys/${keyId}`],
    ]
    for (const [method, path, body] of calls) {
      assertError(await postern.client().call(path, { method, body, token: eve.token }), 'ENTITY_NOT_FOUND')
    }
    const after = await postern.client().get(`/v1/invitations/${invited.body.id}`, { token: ada.token })
    assert.equal(after.body.status, 'pending')
  })

  test('75: there is no token for an organization that the account left or never joined', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const left = await member(postern, ada)
    await remove(postern, ada, left)
    for (const { client } of [eve, left]) {
      const answer = await client.get(`/v1/auth/token?organizationId=${ada.organizationId}`)
      assertError(answer, 'FORBIDDEN', { reason: 'not_a_member' })
    }
    const unknown = await eve.client.get(`/v1/auth/token?organizationId=org_${crypto.randomUUID()}`)
    assertError(unknown, 'INVALID_UUID', { field: 'organizationId' })
  })

  it('76: a lowered role applies at once, for any role in the token', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const second = await member(postern, ada, 'administrator')
    const invite = () => postern.client().get('/v1/invitations', { token: second.token })
    assert.equal((await invite()).status, 200)
    const path = `/v1/organizations/${ada.organizationId}/members/${second.accountId}`
    assert.equal((await postern.client().patch(path, { role: 'member' }, { token: ada.token })).status, 200)
    assert.equal(decodeJwt(second.token).role, 'administrator')
    assertError(await invite(), 'FORBIDDEN', { reason: 'administrator_required' })
    assert.equal(decodeJwt(await tokenOf(second.client)).role, 'member')
    assert.equal(
      (await postern.client().patch(path, { role: 'administrator' }, { token: ada.token })).status,
      200,
    )
    assert.equal((await invite()).status, 200)
  })
})

onBothEngines('JWT, checked without the database', (engine) => {
  const server = usePostern(engine, { env: { TOKEN_CHECK: 'stateless' } })

  it('46: with TOKEN_CHECK=stateless a token is valid for its 60 minutes, also after the end of its session', async () => {
    const postern = await server()
    const { client, token } = await administrator(postern)
    await client.post('/v1/auth/sign-out')
    assert.equal((await probe(postern, `Bearer ${token}`)).status, 200)
    postern.clock.advance(LIFETIME.jwt)
    assertError(await probe(postern, `Bearer ${token}`), 'UNAUTHORIZED')
  })
})

async function remove(postern: Postern, admin: Person, { accountId }: Person): Promise<void> {
  const path = `/v1/organizations/${admin.organizationId}/members/${accountId}`
  assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
}
