import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { accountOf, inviteByMail } from '../support/invitees.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'
import { administrator, newEmail } from '../support/people.ts'
import { onBothEngines, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import {
  assertNoSession,
  assertRefused,
  assertSignedIn,
  assertUnknownState,
  begin,
  counts,
  failures,
  newOid,
  SOCIAL_ENV,
  storeOf,
  TENANT,
  useSocial,
  vouched,
  withCookiesOf,
} from '../support/social.ts'

onBothEngines('social sign-in under attack', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { come, refuse, server } = useSocial(engine)

  test('61: a callback without a state, or with one that is not ours, opens no session', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    google.claims = vouched(email)
    const client = postern.client()
    const authUrl = await begin(client, 'google')
    const good = google.authorize(authUrl)
    const state = new URL(authUrl).searchParams.get('state') ?? ''
    for (const wrong of [
      '/v1/auth/callback/google',
      '/v1/auth/callback/google?code=x',
      '/v1/auth/callback/google?code=x&state=',
      `/v1/auth/callback/google?code=x&state=${'A'.repeat(43)}`,
      good.replace(state, `${state}x`),
      good.replace(state, state.slice(0, -1)),
      good.replace(state, state.toLowerCase()),
      '/v1/auth/callback/google?error=access_denied&state=unknown',
    ]) {
      assertUnknownState(client, await client.get(wrong))
    }
    const twice = await client.get(`${good}&state=${state}`)
    assert.equal(twice.status, 400)
    assertNoSession(client)
    await assertSignedIn(client, await client.get(good))
  })

  it('61: a state expires after ten minutes', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    google.claims = vouched(email)
    const client = postern.client()
    const late = google.authorize(await begin(client, 'google'))
    postern.clock.advance(LIFETIME.socialState)
    assertUnknownState(client, await client.get(late))
    using _still = postern.clock.stop()
    const timely = google.authorize(await begin(client, 'google'))
    postern.clock.advance(LIFETIME.socialState - 1)
    await assertSignedIn(client, await client.get(timely))
  })

  it('61: a state of another browser opens no session, and stays valid for its own', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    google.claims = vouched(email)
    const attacker = postern.client()
    const callback = google.authorize(await begin(attacker, 'google'))
    const withoutCookie = postern.client()
    assertUnknownState(withoutCookie, await withoutCookie.get(callback))
    const withOwnCookie = postern.client()
    await begin(withOwnCookie, 'google')
    assertUnknownState(withOwnCookie, await withOwnCookie.get(callback))
    const withForgedCookie = postern.client()
    for (const value of ['', 'x', 'A'.repeat(43)]) {
      const answer = await withForgedCookie.get(callback, { headers: { cookie: `social=${value}` } })
      assertUnknownState(withForgedCookie, answer)
    }
    await assertSignedIn(attacker, await attacker.get(callback))
  })

  it('61: a state is valid once, for any number of concurrent callbacks', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    google.claims = vouched(email)
    const client = postern.client()
    const callback = google.authorize(await begin(client, 'google'))
    const rows = await counts(postern)
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => postern.client().get(callback, { headers: { cookie } })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [302, ...Array<number>(19).fill(400)])
    assert.equal((await counts(postern)).session, (rows.session ?? 0) + 1)
    const replayed = postern.client()
    assertUnknownState(replayed, await replayed.get(callback, { headers: { cookie } }))
  })

  test('61: a state of google is not valid at microsoft', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    google.claims = vouched(email)
    const client = postern.client()
    const callback = google.authorize(await begin(client, 'google'))
    assertUnknownState(client, await client.get(callback.replace('/google?', '/microsoft?')))
    await assertSignedIn(client, await client.get(callback))
  })

  test('62: a code that was used, is of another application or of another browser opens no session', async () => {
    const real: OpenIdProvider = await startOpenIdProvider()
    const own = await startPostern(engine, { env: { ...SOCIAL_ENV, ...real.env('GOOGLE') } })
    try {
      const { email } = await administrator(own)
      const person = { ...vouched(email) }
      /** Sends the callback of one flow with the code of another one. */
      const inject = async (code: string): Promise<void> => {
        const client = own.client()
        const state = new URL(await begin(client, 'google')).searchParams.get('state')
        const iss = encodeURIComponent(real.issuer)
        const rows = await counts(own)
        const answer = await client.get(`/v1/auth/callback/google?code=${code}&state=${state}&iss=${iss}`)
        assertRefused(client, answer, 'UNAUTHORIZED')
        assert.deepEqual(await counts(own), rows)
        assert.equal((await failures(own))[0]?.reason, code === '' ? 'no_code' : 'code')
      }
      const codeOf = (callback: string) => new URL(callback, own.url).searchParams.get('code') ?? ''
      const client = own.client()
      const authUrl = await begin(client, 'google')

      const used = await real.signIn(authUrl, person)
      await assertSignedIn(client, await client.get(used))
      await inject(codeOf(used))

      // RFC 9700 2.1.1: a stolen code is useless without the verifier of its own flow.
      await inject(codeOf(await real.signIn(await begin(own.client(), 'google'), person)))

      const withoutChallenge = new URL(await begin(own.client(), 'google'))
      withoutChallenge.searchParams.delete('code_challenge')
      withoutChallenge.searchParams.delete('code_challenge_method')
      await inject(codeOf(await real.signIn(withoutChallenge.href, person)))

      const foreign = new URL(await begin(own.client(), 'google'))
      foreign.searchParams.set('client_id', real.otherClientId)
      await inject(codeOf(await real.signIn(foreign.href, person)))

      await inject('made-up')
      await inject('')
    } finally {
      await own.stop()
      await real.stop()
    }
  })

  it('68: a verified person without an invitation gets FORBIDDEN, and no account is made', async () => {
    const { postern } = await server()
    await refuse('FORBIDDEN', 'google', vouched(newEmail('stranger')))
    await refuse('FORBIDDEN', 'microsoft', {
      tid: TENANT,
      oid: newOid(),
      email: newEmail('stranger'),
      xms_edov: true,
    })
    const admin = await administrator(postern)
    const revoked = await inviteByMail(postern, admin)
    await postern.client().delete(`/v1/invitations/${revoked.id}`, { token: admin.token })
    await refuse('FORBIDDEN', 'google', vouched(revoked.email))
    assert.equal((await accountOf(postern, revoked.email))?.status, 'inactive')
  })

  test('69: an invitation opens nothing to another address', async () => {
    const { postern } = await server()
    const admin = await administrator(postern)
    const invited = await inviteByMail(postern, admin)
    const alsoInvited = await inviteByMail(postern, admin)
    const member = await administrator(postern)
    const known = vouched(member.email)
    await come('google', known)
    const { token: invitationToken } = invited
    for (const claims of [vouched(newEmail('stranger')), vouched(alsoInvited.email), known]) {
      await refuse('FORBIDDEN', 'google', claims, { invitationToken })
    }
    await refuse('FORBIDDEN', 'google', vouched(invited.email), { invitationToken: 'made-up' })
    await refuse(
      'UNAUTHORIZED',
      'google',
      { ...vouched(invited.email), email_verified: false },
      { invitationToken },
    )
    const { client, answer } = await come('google', vouched(invited.email), { invitationToken })
    await assertSignedIn(client, answer)
  })

  test('72: a provider that was switched off during the flow admits no person', async () => {
    const { google } = await server()
    const before = await startPostern(engine, { env: { ...SOCIAL_ENV, ...google.env('GOOGLE') } })
    const { email } = await administrator(before)
    google.claims = vouched(email)
    const client = before.client()
    const callback = google.authorize(await begin(client, 'google'))
    await before.stop()
    const env0 = storeOf(before)
    const off = await startPostern(engine, { env: SOCIAL_ENV, env0 })
    const browser = withCookiesOf(client, off.client())
    const answer = await browser.get(callback)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'VALIDATION_FAILED')
    assert.equal(answer.body.error.details.field, 'provider')
    assertNoSession(browser)
    await off.stop()
    const on = await startPostern(engine, { env: before.env, env0 })
    const repeated = withCookiesOf(client, on.client())
    await assertSignedIn(repeated, await repeated.get(callback))
    await on.stop()
  })
})
