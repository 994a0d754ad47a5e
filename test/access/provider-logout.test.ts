import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { newIdentity } from '../support/certificate.ts'
import { enrolTotp } from '../support/factors.ts'
import {
  type Claims,
  type Forge,
  type ForgingProvider,
  startForgingProvider,
} from '../support/forging-provider.ts'
import { holdRows } from '../support/held-rows.ts'
import { auditOf, inviteByMail } from '../support/invitees.ts'
import { administrator, signUpBody, tokenOf } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { takeRsaKeys } from '../support/rsa-keys.ts'
import { newSamlProvider } from '../support/saml-provider.ts'
import { assertRefused, assertSignedIn, CALLBACK, failures } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

onBothEngines('what an identity provider of an organization says beside sign-ins', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, acme: acmeOf } = useSso(engine)
  let issuer: Promise<ForgingProvider> | undefined
  const issuerOf = () => {
    issuer ??= startForgingProvider()
    return issuer
  }
  after(async () => (await issuer)?.stop())

  /** An organization whose provider is an issuer that a test controls. */
  async function acme() {
    const { issuer } = await issuerOf()
    return acmeOf({
      createsMemberships: true,
      oidc: { issuer, clientId: 'postern', clientSecret: 'a-secret' },
    })
  }

  type Acme = Awaited<ReturnType<typeof acme>>

  /** Signs a person in, in a session that the provider calls `sid`, and returns how the provider signs. */
  async function signIn({ id }: Acme, { sub, email, sid }: { sub: string; email: string; sid?: string }) {
    const { postern } = await server()
    const idp = await issuerOf()
    let made: Forge | undefined
    idp.claims = { sub, email, ...(sid !== undefined && { sid }) }
    idp.forge = (forge) => {
      made = forge
      return forge.sign(forge.claims)
    }
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: id })
    await assertSignedIn(client, await client.get(idp.authorize(authUrl)))
    assert.ok(made)
    return { client, token: await tokenOf(client), forge: made }
  }

  let counter = 0
  async function logoutToken({ forge }: { forge: Forge }, more: Claims, header: object = {}) {
    const { postern } = await server()
    counter += 1
    const now = Math.floor(postern.clock.now() / 1_000)
    const { iss, aud } = forge.claims
    return forge.sign(
      { iss, aud, iat: now, exp: now + 120, jti: `logout-${counter}`, events: { [EVENT]: {} }, ...more },
      { typ: 'logout+jwt', ...header },
    )
  }

  async function send({ id }: Pick<Acme, 'id'>, token: string) {
    const { postern } = await server()
    const body = new URLSearchParams({ logout_token: token }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return postern.client().post(`/v1/auth/logout/${id}`, body, { headers })
  }

  it('ends the session that it names, or all of a person that it began, with their tokens, and no other', async () => {
    const { postern } = await server()
    const org = await acme()
    const email = org.email()
    const person = { sub: 'ada', email }
    const first = await signIn(org, { ...person, sid: 'one' })
    const second = await signIn(org, { ...person, sid: 'two' })
    const other = await signIn(org, { sub: 'grace', email: org.email(), sid: 'three' })
    const isIn = async ({ client, token }: typeof first) => {
      const session = (await client.get('/v1/auth/session')).status
      const events = (await postern.client().get('/v1/events', { token })).status
      assert.equal(session === 200, events === 200, `the session ${session}, its token ${events}`)
      return session === 200
    }
    const all = async () => [await isIn(first), await isIn(second), await isIn(other)]
    assert.deepEqual(await all(), [true, true, true])
    const said = await send(org, await logoutToken(first, { sub: 'ada', sid: 'one' }))
    assert.deepEqual([said.status, said.text], [200, ''])
    assert.deepEqual(await all(), [false, true, true])
    // Of another organization with the same issuer: another provider, and other sessions.
    const theirs = await acme()
    assert.equal((await send(theirs, await logoutToken(first, { sub: 'ada' }))).status, 200)
    assert.equal((await send(org, await logoutToken(first, { sub: 'nobody' }))).status, 200)
    assert.deepEqual(await all(), [false, true, true])
    assert.equal((await send(org, await logoutToken(first, { sub: 'ada' }))).status, 200)
    assert.deepEqual(await all(), [false, false, true])
    const noted = await auditOf(postern, email, 'sign_out')
    assert.deepEqual(
      noted.map(({ actor_id, details }) => [actor_id, JSON.parse(details).how]),
      [
        [org.id, 'back_channel'],
        [org.id, 'back_channel'],
      ],
    )
    assert.equal((await org.admin.client.get('/v1/auth/session')).status, 200)
  })

  test('ends nothing by what is forged, of another, too old, no logout token, or sent again', async () => {
    const { postern } = await server()
    const org = await acme()
    const signedIn = await signIn(org, { sub: 'eve', email: org.email(), sid: 'four' })
    const now = Math.floor(postern.clock.now() / 1_000)
    const { privateKey } = takeRsaKeys()
    const { forge } = signedIn
    const good: JWTPayload = {
      iss: String(forge.claims.iss),
      aud: String(forge.claims.aud),
      iat: now,
      events: { [EVENT]: {} },
      sub: 'eve',
    }
    const unsigned = (claims: object) =>
      `${['{"alg":"none"}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.`
    for (const [what, token, reason] of [
      ['nothing', '', 'missing'],
      ['no token', 'x', 'ERR_JWS_INVALID'],
      ['not signed', unsigned({ ...good, jti: 'n' }), 'ERR_JOSE_ALG_NOT_ALLOWED'],
      [
        'signed by a stranger',
        await new SignJWT({ ...good, jti: 's' }).setProtectedHeader(forge.header).sign(privateKey),
        'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
      ],
      [
        'signed with the public key',
        await new SignJWT({ ...good, jti: 'h' })
          .setProtectedHeader({ ...forge.header, alg: 'HS256' })
          .sign(Buffer.from(forge.publicPem)),
        'ERR_JOSE_ALG_NOT_ALLOWED',
      ],
      [
        'for another client',
        await logoutToken(signedIn, { ...good, aud: 'other' }),
        'ERR_JWT_CLAIM_VALIDATION_FAILED',
      ],
      ['of another issuer', await logoutToken(signedIn, { ...good, iss: 'https://other.test' }), 'iss'],
      ['an ID token', await logoutToken(signedIn, { ...good, nonce: 'n' }), 'nonce'],
      ['without an event', await logoutToken(signedIn, { ...good, events: {} }), 'events'],
      ['with another event', await logoutToken(signedIn, { ...good, events: { other: {} } }), 'events'],
      ['of nobody', await logoutToken(signedIn, { ...good, sub: undefined }), 'sub'],
      [
        'without an id',
        await logoutToken(signedIn, { ...good, jti: undefined }),
        'ERR_JWT_CLAIM_VALIDATION_FAILED',
      ],
      ['too old', await logoutToken(signedIn, { ...good, iat: now - 900, exp: now + 60 }), 'ERR_JWT_EXPIRED'],
      [
        'expired',
        await logoutToken(signedIn, { ...good, iat: now - 300, exp: now - 120 }),
        'ERR_JWT_EXPIRED',
      ],
      ['too long', `${await logoutToken(signedIn, good)}${'x'.repeat(20_000)}`, 'missing'],
    ] as const) {
      const answer = await send(org, token)
      assertError(answer, 'VALIDATION_FAILED', { field: 'logout_token', reason })
      assert.equal(answer.body.error.details.value, '[redacted]', what)
      assert.equal((await signedIn.client.get('/v1/auth/session')).status, 200, what)
    }
    // Of concurrent uses of a token one counts, and no later use does.
    const stale = await logoutToken(signedIn, { sub: 'nobody', jti: 'once' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(org, stale)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const again = await logoutToken(signedIn, { sub: 'eve', jti: 'once' })
    assertError(await send(org, again), 'VALIDATION_FAILED', { reason: 'used' })
    assert.equal((await signedIn.client.get('/v1/auth/session')).status, 200)
    assertError(await send({ id: 'idp_01890a5d-ac96-774b-bcce-b302099a8057' }, again), 'ENTITY_NOT_FOUND')
  })

  it('ends a sign-in under way for which the provider has vouched before, and none that begins later', async () => {
    const { postern } = await server()
    const org = await acme()
    const idp = await issuerOf()
    const person = { sub: 'ida', email: org.email() }
    const first = await signIn(org, { ...person, sid: 'first' })
    for (const [what, more, isEnded] of [
      ['its session', { sid: 'under-way' }, true],
      ['all of the person', { sub: 'ida' }, true],
      ['another session', { sub: 'ida', sid: 'another' }, false],
    ] as const) {
      const client = postern.client()
      idp.claims = { ...person, sid: 'under-way' }
      const back = idp.authorize(await beginSso(client, { identityProviderId: org.id }))
      postern.clock.advance(SECOND)
      assert.equal((await send(org, await logoutToken(first, more))).status, 200, what)
      const answer = await client.get(back)
      if (!isEnded) {
        await assertSignedIn(client, answer)
        continue
      }
      assertRefused(client, answer, 'UNAUTHORIZED')
      assert.equal((await failures(postern))[0]?.reason, 'signed_out', what)
      await signIn(org, { ...person, sid: 'under-way' })
    }
  })

  if (engine === 'postgres') {
    it('ends a session whose sign-in it has waited for, and a sign-in that has waited for it', async () => {
      const { postern } = await server()
      const org = await acme()
      const idp = await issuerOf()
      const person = { sub: 'hedy', email: org.email() }
      const { forge } = await signIn(org, person)
      for (const isReportFirst of [false, true]) {
        const client = postern.client()
        const back = idp.authorize(await beginSso(client, { identityProviderId: org.id }))
        postern.clock.advance(SECOND)
        const token = await logoutToken({ forge }, { sub: 'hedy' })
        const rows = await holdRows(postern, 'identity_provider', 'id = $1', [org.id])
        try {
          const works = [() => client.get(back), () => send(org, token)]
          const answers = []
          for (const work of isReportFirst ? works.toReversed() : works) answers.push(await rows.lineUp(work))
          await rows.release()
          for (const { answer } of answers) assert.ok((await answer).status < 400)
        } finally {
          await rows.release()
        }
        assert.equal((await client.get('/v1/auth/session')).status, 401)
      }
    })

    it('never waits in a circle with a sign-in that shows its second factor', async () => {
      const { postern } = await server()
      const org = await acme()
      const email = org.email()
      const own = postern.client()
      const invited = await inviteByMail(postern, await administrator(postern), email)
      await own.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: invited.token }))
      const person = { sub: 'mary', email }
      const { forge } = await signIn(org, person)
      const { code } = await enrolTotp(postern, { client: own })
      const idp = await issuerOf()
      const begin = async () => {
        const client = postern.client()
        const asked = await client.get(idp.authorize(await beginSso(client, { identityProviderId: org.id })))
        assert.match(asked.headers.get('location') ?? '', /#second-factor$/)
        return client
      }
      const show = (client: Client) => client.post('/v1/auth/sign-in/second-factor', { code: code() })
      assert.equal((await show(await begin())).status, 200)
      const client = await begin()
      const rows = await holdRows(postern, 'session', 'identity_provider_id = $1', [org.id])
      try {
        const token = await logoutToken({ forge }, { sub: 'mary' })
        const reported = await rows.lineUp(() => send(org, token))
        const shown = await rows.lineUp(() => show(client))
        await rows.release()
        assert.equal((await reported.answer).status, 200)
        assertError(await shown.answer, 'UNAUTHORIZED', { reason: 'no_pending_sign_in' })
      } finally {
        await rows.release()
      }
    })
  }

  test('makes a provider be asked the less, the longer its metadata or keys are missing, and takes none from its sign-ins', async () => {
    const { postern } = await server()
    const idp = await startForgingProvider()
    // A busy machine may take longer for a flood than the provider is left alone after it.
    using _stopped = postern.clock.stop()
    try {
      const oidc = { issuer: idp.issuer, clientId: 'postern', clientSecret: 'a-secret' }
      const org = await acmeOf({ createsMemberships: true, oidc })
      const { privateKey } = takeRsaKeys()
      const flood = async (kid: string) => {
        const now = Math.floor(postern.clock.now() / 1_000)
        const claims = { iss: idp.issuer, aud: 'postern', iat: now, exp: now + 120, jti: `${kid}-${now}` }
        const token = await new SignJWT({ ...claims, sub: 'eve', events: { [EVENT]: {} } })
          .setProtectedHeader({ alg: 'RS256', kid })
          .sign(privateKey)
        const before = idp.asked.length
        const one = async () => (await send(org, token)).status
        const statuses = [...(await Promise.all([one(), one(), one()])), await one(), await one()]
        return [[...new Set(statuses)], idp.asked.slice(before)]
      }
      const down = (_request: unknown, response: { writeHead(status: number): { end(): void } }) =>
        response.writeHead(503).end()
      const signInNow = async () => {
        idp.claims = { sub: 'zoe', email: org.email() }
        const client = postern.client()
        const authUrl = await beginSso(client, { identityProviderId: org.id })
        return client.get(idp.authorize(authUrl))
      }
      idp.instead = { metadata: down }
      assert.deepEqual(await flood('x'), [[502], ['metadata']])
      postern.clock.advance(SECOND)
      assert.deepEqual(await flood('x'), [[502], ['metadata']])
      postern.clock.advance(4 * SECOND)
      assert.deepEqual(await flood('x'), [[502], []])
      postern.clock.advance(SECOND)
      assert.deepEqual(await flood('x'), [[502], ['metadata']])
      postern.clock.advance(29 * SECOND)
      assert.deepEqual(await flood('x'), [[502], []])
      idp.instead = { jwks: down }
      postern.clock.advance(SECOND)
      assert.deepEqual(await flood('x'), [[502], ['metadata', 'jwks']])
      assert.deepEqual(await flood('x'), [[502], []])
      // A sign-in does not wait for that pause, and floods after it use the metadata that it has fetched.
      idp.instead = {}
      const signedIn = await signInNow()
      assert.equal(signedIn.headers.get('location'), CALLBACK, signedIn.text)
      assert.deepEqual(idp.asked.slice(-2), ['token', 'jwks'])
      assert.deepEqual(await flood('y'), [[400], ['jwks']])
      assert.deepEqual(await flood('z'), [[400], []])
      // Known keys stay valid when a fetch for an unknown key fails, and that fetch does not delay a new key.
      idp.instead = { jwks: down }
      postern.clock.advance(30 * SECOND)
      assert.deepEqual((await flood('z'))[1], ['jwks'])
      assert.equal((await signInNow()).headers.get('location'), CALLBACK)
      idp.instead = {}
      await idp.rotate()
      assert.equal((await signInNow()).headers.get('location'), CALLBACK)
    } finally {
      await idp.stop()
    }
  })

  test('begins a session that signs out for an application as every other one', async () => {
    const { postern } = await server()
    const org = await acme()
    const { client, token } = await signIn(org, { sub: 'joan', email: org.email() })
    const ended = await client.post('/v1/auth/sign-out/application', {})
    assert.deepEqual([ended.status, ended.body], [200, { redirectTo: null }])
    assert.equal(client.cookies.has('session'), false)
    assertError(await postern.client().get('/v1/events', { token }), 'UNAUTHORIZED')
    const again = await client.post('/v1/auth/sign-out/application', {})
    assert.equal(again.status, 200)
  })

  test('is tested without a person, and what is wrong is a result', async () => {
    const { postern } = await server()
    const idp = await issuerOf()
    const org = await acme()
    const { token } = org.admin
    const test = async (id = org.id) => {
      const answer = await postern.client().post(`/v1/identity-providers/${id}/test`, {}, { token })
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    assert.deepEqual(await test(), { works: true, findings: [], certificatesEndAt: null })
    const code = 'INTEGRATION_PROVIDER_ERROR'
    const field = 'oidc.issuer'
    for (const [change, reason] of [
      [() => Object.assign(idp.metadata, { issuer: 'https://other.test' }), 'foreign_issuer'],
      [() => Object.assign(idp.metadata, { jwks_uri: undefined }), 'no_keys'],
      [() => Object.assign(idp.metadata, { authorization_endpoint: 'javascript:alert(1)' }), 'no_endpoints'],
      [
        () => {
          idp.instead.jwks = (_request, response) => void response.writeHead(500).end()
        },
        'keys_status_500',
      ],
      [
        () => {
          idp.instead.metadata = (_request, response) => void response.writeHead(302, { location: '/' }).end()
        },
        'redirected',
      ],
    ] as const) {
      change()
      assert.deepEqual((await test()).findings, [{ code, reason, field }])
      idp.metadata = {}
      idp.instead = {}
    }
    // A repaired provider works at once.
    assert.equal((await test()).works, true)

    const make = async (saml: object) => {
      const body = { kind: 'saml', name: 'SAML', saml: { ...newSamlProvider().saml, ...saml } }
      const made = await postern.client().post('/v1/identity-providers', body, { token })
      assert.equal(made.status, 201, made.text)
      return made.body.id as string
    }
    const past = newIdentity({ until: '2021-01-01T00:00:00.000Z' }).certificate
    const future = newIdentity({ from: '2048-01-01T00:00:00.000Z' }).certificate
    const today = newIdentity().certificate
    const signOnUrl = `${idp.issuer}/sso`
    const wrong = (reason: string) => ({ code: 'VALIDATION_FAILED', reason, field: 'saml.certificates' })
    for (const [saml, findings] of [
      [{ signOnUrl, certificates: [today] }, []],
      [{ signOnUrl, certificates: [past, today] }, []],
      [{ signOnUrl, certificates: [past] }, [wrong('certificate_expired')]],
      [{ signOnUrl, certificates: [future] }, [wrong('certificate_not_yet_valid')]],
      [
        { signOnUrl: 'https://10.0.0.1/sso', certificates: [today] },
        [{ code, reason: 'blocked_address', field: 'saml.signOnUrl' }],
      ],
    ] as const)
      assert.deepEqual((await test(await make(saml))).findings, findings)
    const stranger = await acme()
    assertError(
      await postern
        .client()
        .post(`/v1/identity-providers/${org.id}/test`, {}, { token: stranger.admin.token }),
      'ENTITY_NOT_FOUND',
    )
  })
})
