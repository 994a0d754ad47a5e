import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { auditOf } from '../support/invitees.ts'
import {
  authorizeRequest,
  consent,
  issuerOf,
  REDIRECT_URI,
  redeem,
  registerClient,
} from '../support/oauth.ts'
import { administrator, type Person } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const AFTER = 'https://client.test/signed-out?from=postern'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

onBothEngines('a sign-out that an application begins', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** An application of the operator's, and the ID token that it has of a person. */
  async function signedIn(postern: Postern, person: Person): Promise<{ id: string; hint: string }> {
    const wish = { name: 'Portal', redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [AFTER] }
    const made = await callsOf(postern, OPERATOR_TOKEN).post('/v1/operator/oauth-clients', wish)
    assert.equal(made.status, 201, made.text)
    const client = { id: made.body.id as string, redirectUri: REDIRECT_URI }
    const request = authorizeRequest(postern, client, { scope: 'openid webhooks:read' })
    const answer = await redeem(postern, client, request, await consent(person, request))
    assert.equal(answer.status, 200, answer.text)
    return { id: client.id, hint: answer.body.id_token }
  }

  const logout = async (browser: Client, parameters: Record<string, string>) => {
    const answer = await browser.get(`/oauth/logout?${new URLSearchParams(parameters)}`)
    assert.equal(answer.status, 303, answer.text)
    return new URL(answer.headers.get('location') ?? '')
  }
  const isIn = async ({ client }: Person) => (await client.get('/v1/auth/session')).status === 200

  it('ends the session at once with an ID token of the person, and leads back with the state', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { hint, id } = await signedIn(postern, person)
    const { body: metadata } = await postern.client().get('/.well-known/openid-configuration')
    assert.equal(metadata.end_session_endpoint, `${issuerOf(postern)}/oauth/logout`)
    const asked = { id_token_hint: hint, post_logout_redirect_uri: AFTER, state: 'a b' }
    const head = await person.client.call(`/oauth/logout?${new URLSearchParams(asked)}`, { method: 'HEAD' })
    assert.equal(head.status, 303)
    assert.equal(await isIn(person), true)
    const to = await logout(person.client, { ...asked, client_id: id })
    assert.equal(to.href, `${AFTER}&state=a+b`)
    assert.equal(await isIn(person), false)
    assert.equal(person.client.cookies.has('session'), false)
    assert.equal((await auditOf(postern, person.email, 'sign_out')).length, 1)
    // Without a session there is nothing to ask.
    assert.equal((await logout(person.client, asked)).href, to.href)
  })

  test('asks in every other case, and leads to no address that the operator has not registered', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const { id, hint } = await signedIn(postern, person)
    const ofOther = await signedIn(postern, other)
    const itself = await registerClient(postern, { post_logout_redirect_uris: [AFTER] })
    const cases: Record<string, string>[] = [
      {},
      { client_id: id, post_logout_redirect_uri: AFTER },
      { id_token_hint: ofOther.hint, post_logout_redirect_uri: AFTER },
      { id_token_hint: hint, client_id: ofOther.id, post_logout_redirect_uri: AFTER },
      { id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' },
      { id_token_hint: hint, post_logout_redirect_uri: `${AFTER}&x=1` },
      { id_token_hint: person.token, post_logout_redirect_uri: AFTER },
      { id_token_hint: `${hint.slice(0, -4)}AAAA`, post_logout_redirect_uri: AFTER },
      { client_id: itself.id, post_logout_redirect_uri: AFTER },
      { id_token_hint: 'x'.repeat(5_000), client_id: 'y'.repeat(3_000), state: '\u0000' },
    ]
    for (const asked of cases) {
      const page = await logout(person.client, asked)
      assert.equal(page.pathname, '/sign-out', JSON.stringify(asked))
      assert.equal((await person.client.get(`${page.pathname}${page.search}`)).status, 200)
      assert.equal(await isIn(person), true, JSON.stringify(asked))
    }
    // A form of another site is sent on, and does nothing by itself.
    const form = new URLSearchParams({ client_id: id, post_logout_redirect_uri: AFTER }).toString()
    const headers = { ...FORM, origin: 'https://client.test', 'sec-fetch-site': 'cross-site' }
    const posted = await postern.client().post('/oauth/logout', form, { headers })
    assert.equal(posted.status, 303, posted.text)
    assert.equal(new URL(posted.headers.get('location') ?? '').pathname, '/oauth/logout')

    const press = (body: object, more: object = {}) =>
      person.client.post('/v1/auth/sign-out/application', body, more)
    const foreign = { headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' } }
    assertError(await press({}, foreign), 'FORBIDDEN', { reason: 'cross_site' })
    assert.equal(await isIn(person), true)
    const pressed = await press({ clientId: id, postLogoutRedirectUri: AFTER, state: 's' })
    assert.deepEqual(pressed.body, { redirectTo: `${AFTER}&state=s` }, pressed.text)
    assert.equal(await isIn(person), false)
    assert.deepEqual((await press({ clientId: id, postLogoutRedirectUri: 'https://evil.test/' })).body, {
      redirectTo: null,
    })
    assert.equal(await isIn(other), true)
  })

  test('leads to the registered address letter by letter, with the state appended', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const addresses = ['https://client.test/out?next=%2Fhome%20x&b', 'https://client.test']
    const wish = { name: 'Portal', redirectUris: [REDIRECT_URI], postLogoutRedirectUris: addresses }
    const made = await callsOf(postern, OPERATOR_TOKEN).post('/v1/operator/oauth-clients', wish)
    assert.equal(made.status, 201, made.text)
    const expected = [`${addresses[0]}&state=s%26t`, `${addresses[1]}?state=s%26t`]
    for (const [index, uri] of addresses.entries()) {
      const asked = { client_id: made.body.id, post_logout_redirect_uri: uri, state: 's&t' }
      const { headers } = await postern.client().get(`/oauth/logout?${new URLSearchParams(asked)}`)
      assert.equal(headers.get('location'), expected[index])
      const press = { clientId: made.body.id, postLogoutRedirectUri: uri, state: 's&t' }
      const pressed = await person.client.post('/v1/auth/sign-out/application', press)
      assert.deepEqual(pressed.body, { redirectTo: expected[index] })
    }
  })

  test('takes a hint that has expired', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { hint } = await signedIn(postern, person)
    postern.clock.advance(DAY / 2)
    await logout(person.client, { id_token_hint: hint })
    assert.equal(await isIn(person), false)
  })

  test('is registered with addresses that a browser may be sent to, and no others', async () => {
    const postern = await server()
    for (const [uri, reason] of [
      ['javascript:alert(1)', 'scheme'],
      ['https://client.test/out?state=mine', 'state'],
      ['https://client.test/out?a&st%61te', 'state'],
    ]) {
      const wish = { name: 'Portal', redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [AFTER, uri] }
      const refused = await callsOf(postern, OPERATOR_TOKEN).post('/v1/operator/oauth-clients', wish)
      assertError(refused, 'VALIDATION_FAILED', { field: 'postLogoutRedirectUris.1', reason })
    }
  })
})
