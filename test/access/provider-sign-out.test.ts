import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { enrolTotp } from '../support/factors.ts'
import { type ForgingProvider, startForgingProvider } from '../support/forging-provider.ts'
import { inviteByMail } from '../support/invitees.ts'
import { administrator, signUpBody } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { assertSignedIn, CALLBACK } from '../support/social.ts'
import { atProvider, beginSso, useSso } from '../support/sso.ts'

const BACK = `${new URL(CALLBACK).origin}/bye?from=postern`

onBothEngines('a sign-out at the identity provider that began a session', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, acme, signIn } = useSso(engine)
  const running: ForgingProvider[] = []
  after(() => Promise.all(running.map((one) => one.stop())))

  const pageOf = async () => `http://localhost:${(await server()).postern.env.PORT}/sign-out`
  const signOut = async (client: Client, query = '') => {
    const answer = await client.post(`/v1/auth/sign-out${query}`, {})
    assert.equal(answer.status, 200, answer.text)
    assert.equal(client.cookies.has('session'), false)
    assert.equal(answer.body.success, true)
    return answer.body.redirectTo as string | undefined
  }
  const locationOf = async (client: Client, path: string) => {
    const answer = await client.get(path)
    assert.equal(answer.status, 303, answer.text)
    return answer.headers.get('location')
  }

  it('is led to where its organization wants it, knows the session by its ID token, and comes back once', async () => {
    const { openId } = await server()
    const org = await acme({ createsMemberships: true, endsProviderSession: true })
    const person = atProvider(org.email())
    const { client, answer } = await signIn(person, { identityProviderId: org.id })
    await assertSignedIn(client, answer)
    assert.equal(openId.isSignedIn(person.sub), true)
    const to = new URL((await signOut(client, `?callbackURL=${encodeURIComponent(BACK)}`)) ?? '')
    assert.equal(to.origin + to.pathname, `${openId.issuer}/session/end`)
    const asked = Object.fromEntries(to.searchParams)
    const back = new URL(asked.post_logout_redirect_uri ?? '')
    assert.equal(back.pathname, `/v1/auth/signed-out/${org.id}`)
    assert.equal(asked.client_id, openId.oidc.clientId)
    const [, payload = ''] = (asked.id_token_hint ?? '').split('.')
    assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).sub, person.sub)
    // The session here has ended already, whatever becomes of the one there.
    assert.equal((await client.get('/v1/auth/session')).status, 401)
    const path = (await openId.signOut(to.href, person.sub)) ?? ''
    assert.equal(openId.isSignedIn(person.sub), false)
    assert.equal(path, `${back.pathname}?${new URLSearchParams({ state: asked.state ?? '' })}`)
    // Without the browser's cookie, for another provider, and a second time, the return leads to our page.
    const { postern } = await server()
    assert.equal(await locationOf(postern.client(), path), await pageOf())
    const other = await acme({ endsProviderSession: true })
    assert.equal(await locationOf(client, path.replace(org.id, other.id)), await pageOf())
    assert.equal(await locationOf(client, path), BACK)
    assert.equal(await locationOf(client, path), await pageOf())
    assert.equal(await signOut(client), undefined)
  })

  test('is not led there where the organization has not said so, nor after any other sign-in, nor to where it may not go', async () => {
    const { postern, openId } = await server()
    const quiet = await acme()
    const person = atProvider(quiet.email())
    const { client } = await signIn(person, { identityProviderId: quiet.id })
    assert.equal(await signOut(client), undefined)
    assert.equal(openId.isSignedIn(person.sub), true)
    assert.equal(await signOut(quiet.admin.client), undefined)
    const org = await acme({ createsMemberships: true, endsProviderSession: true })
    const again = await signIn(atProvider(org.email()), { identityProviderId: org.id })
    const refused = await again.client.post('/v1/auth/sign-out?callbackURL=https://evil.test/', {})
    assertError(refused, 'VALIDATION_FAILED', { field: 'callbackURL', reason: 'origin_not_allowed' })
    assert.equal((await again.client.get('/v1/auth/session')).status, 200)
    // A state of signing in is none of signing out, and the other way round.
    const authUrl = await beginSso(again.client, { identityProviderId: org.id })
    const state = new URL(authUrl).searchParams.get('state') ?? ''
    assert.equal(
      await locationOf(again.client, `/v1/auth/signed-out/${org.id}?state=${state}`),
      await pageOf(),
    )
    const to = new URL((await signOut(again.client)) ?? '')
    const left = to.searchParams.get('state') ?? ''
    const callback = await again.client.get(`/v1/auth/callback/${org.id}?code=x&state=${left}`)
    assertError(callback, 'VALIDATION_FAILED', { field: 'state' })
    assert.equal(
      await locationOf(again.client, `/v1/auth/signed-out/${org.id}?state=${left}`),
      await pageOf(),
    )
    assert.equal((await postern.client().get('/v1/auth/signed-out/idp_x')).status, 303)
  })

  it('keeps the ID token sealed, with the session alone, and not where it was not asked for', async () => {
    const { postern } = await server()
    const org = await acme({ createsMemberships: true, endsProviderSession: true })
    const { admin } = org
    const hints = () =>
      postern.app.database.db
        .selectFrom('session')
        .select('provider_hint')
        .where('identity_provider_id', '=', org.id as `idp_${string}` as never)
        .execute()
    const person = atProvider(org.email())
    const { client } = await signIn(person, { identityProviderId: org.id })
    const hint = (await hints())[0]?.provider_hint
    assert.ok(hint)
    assert.equal(hint.includes('.ey') || hint.startsWith('ey'), false)
    // The administrator turns it off: the stored hint is no longer used, and goes with the session.
    const path = `/v1/identity-providers/${org.id}`
    const off = await postern.client().patch(path, { endsProviderSession: false }, { token: admin.token })
    assert.deepEqual([off.status, off.body.endsProviderSession], [200, false])
    assert.equal(await signOut(client), undefined)
    assert.deepEqual(await hints(), [])
    await signIn(person, { identityProviderId: org.id })
    assert.deepEqual(
      (await hints()).map(({ provider_hint }) => provider_hint),
      [null],
    )
    // After a change of the client, a session from before it is named without its hint.
    await postern.client().patch(path, { endsProviderSession: true }, { token: admin.token })
    const later = await signIn(person, { identityProviderId: org.id })
    const sessions = await hints()
    assert.equal(sessions.filter(({ provider_hint }) => provider_hint === null).length, 1)
    await postern
      .client()
      .patch(
        path,
        { oidc: { issuer: (await server()).openId.issuer, clientId: 'other' } },
        { token: admin.token },
      )
    const to = new URL((await signOut(later.client)) ?? '')
    assert.deepEqual(
      [to.searchParams.get('client_id'), to.searchParams.has('id_token_hint')],
      ['other', false],
    )
  })

  test('goes on to the application that has asked for it', async () => {
    const { openId } = await server()
    const org = await acme({ createsMemberships: true, endsProviderSession: true })
    const person = atProvider(org.email())
    const { client, answer } = await signIn(person, { identityProviderId: org.id })
    await assertSignedIn(client, answer)
    const ended = await client.post('/v1/auth/sign-out/application', {})
    assert.equal(ended.status, 200, ended.text)
    const path = (await openId.signOut(ended.body.redirectTo, person.sub)) ?? ''
    assert.equal(await locationOf(client, path), await pageOf())
    const again = await client.post('/v1/auth/sign-out/application', {})
    assert.deepEqual(again.body, { redirectTo: null })
  })

  test('knows the session, too, that began once a second factor was shown here', async () => {
    const { postern, openId } = await server()
    const org = await acme({ createsMemberships: true, endsProviderSession: true })
    const email = org.email()
    const invited = await inviteByMail(postern, await administrator(postern), email)
    const own = postern.client()
    await own.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: invited.token }))
    const { code } = await enrolTotp(postern, { client: own })
    const person = atProvider(email)
    const { client, answer } = await signIn(person, { identityProviderId: org.id })
    assert.match(answer.headers.get('location') ?? '', /#second-factor$/)
    const shown = await client.post('/v1/auth/sign-in/second-factor', { code: code() })
    assert.equal(shown.status, 200, shown.text)
    const to = new URL((await signOut(client)) ?? '')
    const hint = to.searchParams.get('id_token_hint') ?? ''
    assert.match(hint, /^ey/)
    await openId.signOut(to.href, person.sub)
    assert.equal(openId.isSignedIn(person.sub), false)
  })

  test('leads nowhere that a provider must not choose, and ends the session here where it fails', async () => {
    const { postern } = await server()
    const idp = await startForgingProvider()
    running.push(idp)
    const oidc = { issuer: idp.issuer, clientId: 'postern', clientSecret: 'a-secret' }
    for (const [end, expected] of [
      [`${idp.issuer}/logout?tenant=a`, `${idp.issuer}/logout?tenant=a&client_id=postern`],
      [undefined, undefined],
      ['https://evil.test/logout', undefined],
      ['https://169.254.169.254/logout', undefined],
      ['http://127.0.0.1:1/logout', undefined],
      ['javascript:alert(document.cookie)//localhost', undefined],
      ['data:text/html,x', undefined],
      ['/logout', undefined],
      [`${idp.issuer.replace('//', '//ada:secret@')}/logout`, undefined],
      [`${idp.issuer}.evil.test/logout`, undefined],
      [{ toString: 'x' }, undefined],
      [`${idp.issuer}/${'x'.repeat(3_000)}`, undefined],
    ] as const) {
      idp.metadata = { end_session_endpoint: end }
      const org = await acme({ createsMemberships: true, endsProviderSession: true, oidc })
      idp.claims = { sub: 'eve', email: org.email() }
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      await assertSignedIn(client, await client.get(idp.authorize(authUrl)))
      const to = await signOut(client)
      if (expected === undefined) assert.equal(to, undefined, JSON.stringify(end))
      else assert.equal(to?.slice(0, expected.length + 15), `${expected}&id_token_hint=`)
      assert.equal((await client.get('/v1/auth/session')).status, 401)
    }
    assert.deepEqual(idp.strayed, [])
    // The cached metadata has expired, and the provider is down.
    const org = await acme({ createsMemberships: true, endsProviderSession: true, oidc })
    idp.metadata = { end_session_endpoint: `${idp.issuer}/logout` }
    idp.claims = { sub: 'eve', email: org.email() }
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    await assertSignedIn(client, await client.get(idp.authorize(authUrl)))
    idp.instead = { metadata: (_request, response) => void response.writeHead(503).end() }
    postern.clock.advance(61 * 60_000)
    assert.equal(await signOut(client), undefined)
    assert.equal((await client.get('/v1/auth/session')).status, 401)
  })
})
