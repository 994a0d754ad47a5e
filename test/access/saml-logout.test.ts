import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { DAY, MINUTE, SECOND } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { newIdentity } from '../support/certificate.ts'
import { auditOf } from '../support/invitees.ts'
import { administrator, tokenOf } from '../support/people.ts'
import { postern as command, onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import {
  type Brought,
  forgedLogouts,
  formOf,
  type LogoutSaid,
  logoutRequestXml,
  logoutResponseXml,
  logoutSaid,
  readOwnForm,
  readOwnRedirect,
  signedForm,
  signedParameters,
  written,
} from '../support/saml-logout.ts'
import {
  bringAnswer,
  followAnswer,
  newSamlProvider,
  postAnswer,
  readRequest,
} from '../support/saml-provider.ts'
import { assertRefused, assertSignedIn, CALLBACK, failures } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

const BACK = `${new URL(CALLBACK).origin}/bye?from=postern`
const SLO = 'https://idp.acme.test/slo?realm=acme'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const DENIED = 'urn:oasis:names:tc:SAML:2.0:status:Responder'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let counter = 0

onBothEngines('a single logout by SAML', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, prove } = useSso(engine)

  /** An organization with a SAML identity provider that takes messages about sign-outs. */
  async function acme(saml: object = { logoutUrl: SLO }, more: object = { endsProviderSession: true }) {
    const { postern } = await server()
    const admin = await administrator(postern)
    const { name: domain } = await prove(admin)
    const idp = newSamlProvider()
    const body = {
      kind: 'saml',
      name: 'Acme login',
      saml: { ...idp.saml, ...saml },
      createsMemberships: true,
    }
    const made = await postern
      .client()
      .post('/v1/identity-providers', { ...body, ...more }, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    const id: string = made.body.id
    const own = made.body.saml as { ownEntityId: string; ownLogoutUrl: string }
    const certificateOf = async () => {
      const { pathname } = new URL(made.body.saml.ownSigningCertificateUrl)
      const answer = await postern.client().get(pathname)
      assert.equal(answer.status, 200, answer.text)
      return answer.text
    }
    const person = () => {
      counter += 1
      const email = `person-${counter}@${domain}`
      return { nameId: `person-${counter}`, attributes: { email } }
    }
    const say = (more: Partial<LogoutSaid>) =>
      logoutSaid({ issuer: idp.entityId, now: postern.clock.now(), destination: own.ownLogoutUrl, ...more })
    return { admin, idp, id, own, made: made.body, certificateOf, person, say }
  }

  type Acme = Awaited<ReturnType<typeof acme>>

  async function signIn(org: Acme, person = org.person(), session?: string) {
    const { postern } = await server()
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    const statement = session === undefined ? '' : `SessionIndex="${session}"`
    const xml = org.idp.answer(authUrl, person, { now: postern.clock.now(), statement })
    await assertSignedIn(client, await bringAnswer(client, postern.client(), readRequest(authUrl), xml))
    return client
  }

  async function signOut(client: Client, query = `?callbackURL=${encodeURIComponent(BACK)}`) {
    const answer = await client.post(`/v1/auth/sign-out${query}`, {})
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await client.get('/v1/auth/session')).status, 401)
    return answer.body.redirectTo as string | undefined
  }

  /** Brings a message, as a page of the provider has a browser do. */
  function bring({ own }: Pick<Acme, 'own'>, client: Client, brought: Brought) {
    const path = new URL(own.ownLogoutUrl).pathname
    if ('query' in brought) return client.get(`${path}?${brought.query}`)
    const headers = { ...FORM, origin: 'https://idp.acme.test', 'sec-fetch-site': 'cross-site' }
    return client.post(path, brought.form, { headers })
  }

  const isSignedIn = async (client: Client) => (await client.get('/v1/auth/session')).status === 200
  const pageOf = async () => `http://localhost:${(await server()).postern.env.PORT}/sign-out`

  /** Follows the redirect of Postern's answer in the browser. @returns where the browser is sent then */
  async function wayOf(client: Client, taken: { status: number; headers: Headers; text: string }) {
    assert.equal(taken.status, 303, taken.text)
    const { pathname, search } = new URL(taken.headers.get('location') ?? '')
    const answer = await client.get(pathname + search)
    assert.equal(answer.status, 303, answer.text)
    return answer.headers.get('location')
  }

  const reasonOf = async (org: Acme) => {
    const { postern } = await server()
    const { data } = (
      await postern.client().get('/v1/audit-log?action=sign_out.failed&limit=1', { token: org.admin.token })
    ).body
    return data[0]?.details.reason
  }

  /** Leaves keys that no master key opens, as after a restore without it. */
  async function spoilKeys({ id }: Acme) {
    const { postern } = await server()
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('saml_key')
        .set({ private_key: 'of another master key' })
        .where('identity_provider_id', '=', id as never)
        .execute(),
    )
  }

  it('is asked for with the name and the session of the sign-in, signed, and leads back once the provider answers', async () => {
    const org = await acme()
    const person = org.person()
    const client = await signIn(org, person, '_session-1')
    const to = (await signOut(client)) ?? ''
    assert.ok(to.startsWith(`${SLO}&SAMLRequest=`), to)
    const asked = readOwnRedirect(to, await org.certificateOf())
    assert.deepEqual(
      [asked.destination, asked.issuer, asked.nameId, asked.format, asked.session],
      [SLO, org.own.ownEntityId, person.nameId, PERSISTENT, '_session-1'],
    )
    const xml = logoutResponseXml(org.say({ inResponseTo: asked.id }))
    const message = { name: 'SAMLResponse' as const, xml, relayState: asked.relayState }
    const taken = await bring(org, client, { query: written(signedParameters(message, org.idp.identity)) })
    assert.equal(await wayOf(client, taken), BACK)
    assert.equal(await reasonOf(org), undefined)
    // Once, and by a form as well.
    assert.equal(
      await wayOf(client, await bring(org, client, signedForm(message, org.idp.identity))),
      await pageOf(),
    )
    const again = await signIn(org, person)
    const next = readOwnRedirect((await signOut(again)) ?? '', await org.certificateOf())
    assert.equal(next.session, '')
    const answer = logoutResponseXml(org.say({ inResponseTo: next.id }))
    const form = { name: 'SAMLResponse' as const, xml: answer, relayState: next.relayState }
    // The other site's form comes without a cookie; the redirect after it has the cookie.
    const { postern } = await server()
    const posted = await bring(org, postern.client(), signedForm(form, org.idp.identity))
    assert.equal(await wayOf(again, posted), BACK)
  })

  test('is asked for by a form where the provider takes no other, and only once', async () => {
    const org = await acme({ logoutUrl: SLO, logoutBinding: 'post' })
    const person = org.person()
    const client = await signIn(org, person, '_session-1')
    const to = new URL((await signOut(client)) ?? '')
    assert.equal(to.pathname, `/v1/auth/saml/${org.id}/leave`)
    const { postern } = await server()
    const path = to.pathname + to.search
    assert.equal((await postern.client().get(path)).headers.get('location'), await pageOf())
    const page = await client.get(path)
    assert.equal(page.status, 200, page.text)
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'sha256-/,
    )
    const asked = readOwnForm(page.text, await org.certificateOf())
    assert.deepEqual(
      [asked.action, asked.destination, asked.nameId, asked.session],
      [SLO, SLO, person.nameId, '_session-1'],
    )
    const xml = logoutResponseXml(org.say({ inResponseTo: asked.id }))
    const message = { name: 'SAMLResponse' as const, xml, relayState: asked.relayState }
    const posted = await bring(org, postern.client(), signedForm(message, org.idp.identity))
    assert.equal(await wayOf(client, posted), BACK)
    assert.equal((await client.get(path)).headers.get('location'), await pageOf())
  })

  test('is not asked for where there is no address, no wish, or no name of a session', async () => {
    const { postern } = await server()
    const mute = await acme({})
    assert.equal(await signOut(await signIn(mute)), undefined)
    const quiet = await acme({ logoutUrl: SLO }, {})
    const before = await signIn(quiet)
    assert.equal(await signOut(await signIn(quiet)), undefined)
    const path = `/v1/identity-providers/${quiet.id}`
    const { token } = quiet.admin
    const set = await postern.client().patch(path, { endsProviderSession: true }, { token })
    assert.equal(set.status, 200, set.text)
    assert.equal(await signOut(before), undefined)
    assert.ok(await signOut(await signIn(quiet)))
    await postern.client().patch(path, { saml: { logoutUrl: null } }, { token })
    assert.equal(await signOut(await signIn(quiet)), undefined)
  })

  test('ends the session here though the request cannot be signed', async () => {
    const org = await acme()
    const client = await signIn(org)
    await org.certificateOf()
    await spoilKeys(org)
    assert.equal(await signOut(client), undefined)
  })

  test('believes no answer that is not signed, of another, for another, or to another request, and says why in the audit log', async () => {
    const { postern } = await server()
    const org = await acme()
    const other = await acme()
    const person = org.person()
    const certificate = await org.certificateOf()
    const name = 'SAMLResponse' as const
    for (const [what, more, key, reason] of [
      ['to another request', { inResponseTo: '_other' }, org.idp.identity, 'request'],
      ['of another issuer', { issuer: other.idp.entityId }, org.idp.identity, 'issuer'],
      ['for another address', { destination: other.own.ownLogoutUrl }, org.idp.identity, 'destination'],
      ['by another key', {}, other.idp.identity, 'signature'],
      ['not signed', {}, undefined, 'unsigned'],
      ['not signed, in a query', {}, 'query', 'unsigned'],
      ['of long ago', { now: postern.clock.now() - 11 * MINUTE }, org.idp.identity, 'expired'],
    ] as const) {
      const client = await signIn(org, person)
      const asked = readOwnRedirect((await signOut(client)) ?? '', certificate)
      const { relayState } = asked
      const xml = logoutResponseXml(org.say({ inResponseTo: asked.id, ...more }))
      const parameters = (by: typeof org.idp.identity) => signedParameters({ name, xml, relayState }, by)
      const brought =
        key === undefined
          ? { form: formOf(name, xml, relayState) }
          : key === 'query'
            ? { query: written(parameters(org.idp.identity).filter(([one]) => !one.startsWith('Sig'))) }
            : { query: written(parameters(key)) }
      assert.equal(await wayOf(client, await bring(org, client, brought)), await pageOf(), what)
      assert.equal(await reasonOf(org), reason, what)
    }
    // A genuine answer leads back, even if it says that the provider could not sign out.
    const client = await signIn(org, person)
    const asked = readOwnRedirect((await signOut(client)) ?? '', certificate)
    const xml = logoutResponseXml(org.say({ inResponseTo: asked.id, status: DENIED }))
    const brought = signedForm({ name, xml, relayState: asked.relayState }, org.idp.identity)
    // In another browser the answer leads to our page, and is not used up.
    const taken = await bring(org, client, brought)
    assert.equal(await wayOf(postern.client(), taken), await pageOf())
    assert.equal(await wayOf(client, taken), BACK)
    assert.equal(await reasonOf(org), 'denied')
    // A relay state is no address.
    const evil = signedParameters({ name, xml, relayState: 'https://evil.test/' }, org.idp.identity)
    assert.equal(await wayOf(client, await bring(org, client, { query: written(evil) })), await pageOf())
  })

  test('leads to the page of a sign-out where the provider or the account has ended before the answer comes', async () => {
    const { postern } = await server()
    for (const end of [
      ({ id, admin: { token } }: Acme) =>
        postern.client().patch(`/v1/identity-providers/${id}`, { status: 'disabled' }, { token }),
      ({ id, admin: { token } }: Acme) => postern.client().delete(`/v1/identity-providers/${id}`, { token }),
      (_: Acme, email: string) => command(postern, 'account', '--email', email, '--delete'),
    ]) {
      const org = await acme()
      const person = org.person()
      const client = await signIn(org, person)
      const { id, relayState } = readOwnRedirect((await signOut(client)) ?? '', await org.certificateOf())
      const ended = await end(org, person.attributes.email)
      assert.ok('code' in ended ? ended.code === 0 : ended.status < 300)
      const xml = logoutResponseXml(org.say({ inResponseTo: id, status: DENIED }))
      const brought = signedForm({ name: 'SAMLResponse', xml, relayState }, org.idp.identity)
      const taken = await bring(org, postern.client(), brought)
      const isThere = 'code' in ended
      assert.equal(await wayOf(client, taken), isThere ? BACK : await pageOf())
      assert.equal(await reasonOf(org), isThere ? 'denied' : 'no_answer')
    }
  })

  test('that the provider begins ends the session though the answer cannot be signed', async () => {
    const { postern } = await server()
    const org = await acme()
    const person = org.person()
    const client = await signIn(org, person)
    await org.certificateOf()
    await spoilKeys(org)
    const xml = logoutRequestXml(org.say({ nameId: person.nameId }))
    const answer = await bring(org, client, signedForm({ name: 'SAMLRequest', xml }, org.idp.identity))
    assert.equal(await wayOf(postern.client(), answer), await pageOf())
    assert.equal(await isSignedIn(client), false)
  })

  it('that the provider begins ends the session that it names, or all of a person, with their tokens, and is answered', async () => {
    const { postern } = await server()
    const org = await acme({ logoutUrl: SLO, logoutResponseUrl: 'https://idp.acme.test/slo-done' }, {})
    const person = org.person()
    const first = await signIn(org, person, '_one')
    const token = await tokenOf(first)
    const second = await signIn(org, person, '_two')
    const third = await signIn(org, person)
    const stranger = await signIn(org, org.person(), '_one')
    const send = async (more: Partial<LogoutSaid>, by: 'query' | 'form', relayState?: string) => {
      const said = org.say({ nameId: person.nameId, ...more })
      const message = { name: 'SAMLRequest' as const, xml: logoutRequestXml(said), relayState }
      const brought =
        by === 'form'
          ? signedForm(message, org.idp.identity)
          : { query: written(signedParameters(message, org.idp.identity)) }
      const answer = await bring(org, postern.client(), brought)
      assert.equal(answer.status, 303, answer.text)
      const own = readOwnRedirect(answer.headers.get('location') ?? '', await org.certificateOf())
      assert.deepEqual(
        [own.inResponseTo, own.destination, own.issuer, own.relayState, own.status],
        [
          said.id,
          'https://idp.acme.test/slo-done',
          org.own.ownEntityId,
          relayState ?? '',
          'urn:oasis:names:tc:SAML:2.0:status:Success',
        ],
      )
    }
    // Neither a relay state nor anything else of it is followed.
    await send({ sessions: ['_one'] }, 'query', "https://evil.test/?a=b&c='(x)*!")
    assert.deepEqual(await Promise.all([first, second, third, stranger].map(isSignedIn)), [
      false,
      true,
      true,
      true,
    ])
    const refused = await postern.client().get('/v1/organizations', { token })
    assertError(refused, 'UNAUTHORIZED')
    // A name that is not known, and a session of another person, end nothing.
    await send({ nameId: 'unknown' }, 'form', 'state')
    await send({ nameId: 'unknown', sessions: ['_two'] }, 'query')
    assert.deepEqual(await Promise.all([second, third, stranger].map(isSignedIn)), [true, true, true])
    await send({}, 'form', 'state')
    assert.deepEqual(await Promise.all([second, third, stranger].map(isSignedIn)), [false, false, true])
    const entries = await auditOf(postern, person.attributes.email, 'sign_out')
    assert.deepEqual(
      entries.map(({ details, actor_id }) => [JSON.parse(details).how, actor_id]),
      Array.from({ length: 3 }, () => ['single_logout', org.id]),
    )
  })

  it('that the provider begins ends the tokens of the person at once, and has those of nobody else looked up again', async () => {
    const { postern } = await server()
    const org = await acme({ logoutUrl: SLO }, {})
    const person = org.person()
    const token = await tokenOf(await signIn(org, person))
    const neighbour = await tokenOf(await signIn(org))
    const ask = async (one: string) =>
      (await postern.client().get('/v1/organizations', { token: one })).status
    assert.deepEqual([await ask(token), await ask(neighbour)], [200, 200])
    // Without its session row the neighbour's token is accepted by its cached check alone.
    await postern.app.database.tx((tx) =>
      tx
        .deleteFrom('session')
        .where('id', '=', decodeJwt(neighbour).sid as never)
        .execute(),
    )
    const xml = logoutRequestXml(org.say({ nameId: person.nameId }))
    const brought = signedForm({ name: 'SAMLRequest', xml }, org.idp.identity)
    assert.equal((await bring(org, postern.client(), brought)).status, 303)
    assert.deepEqual([await ask(token), await ask(neighbour)], [401, 200])
    postern.clock.advance(LIFETIME.credentialCache)
    assert.equal(await ask(neighbour), 401)
  })

  it('that the provider begins ends a sign-in under way for which it has vouched before, and none that begins later', async () => {
    const { postern } = await server()
    const org = await acme({ logoutUrl: SLO }, {})
    const person = org.person()
    const report = async (more: Partial<LogoutSaid>) => {
      const xml = logoutRequestXml(org.say({ nameId: person.nameId, ...more }))
      const said = signedForm({ name: 'SAMLRequest', xml }, org.idp.identity)
      assert.equal((await bring(org, postern.client(), said)).status, 303)
    }
    // The first one ends the first sign-in of the person, whose name has no account yet.
    type Row = [what: string, session: string | undefined, more: Partial<LogoutSaid>, isEnded: boolean]
    const rows: Row[] = [
      ['its session, named twice', '_one', { sessions: ['_one', '_one'] }, true],
      ['all of the person', '_two', {}, true],
      ['all of the person, of a sign-in without a session', undefined, {}, true],
      ['another session', '_three', { sessions: ['_other'] }, false],
      ['the same session of another person', '_three', { nameId: 'unknown', sessions: ['_three'] }, false],
      ['all of another person', '_three', { nameId: 'unknown' }, false],
    ]
    for (const [what, session, more, isEnded] of rows) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const statement = session === undefined ? '' : `SessionIndex="${session}"`
      const xml = org.idp.answer(authUrl, person, { now: postern.clock.now(), statement })
      const posted = await postAnswer(postern.client(), readRequest(authUrl), xml)
      postern.clock.advance(SECOND)
      await report(more)
      const answer = await followAnswer(client, posted)
      assert.equal(await isSignedIn(client), !isEnded, what)
      if (!isEnded) continue
      assertRefused(client, answer, 'UNAUTHORIZED')
      assert.equal((await failures(postern))[0]?.reason, 'signed_out', what)
      assert.equal(await isSignedIn(await signIn(org, person, session)), true, what)
    }
  })

  test('that the provider begins is answered by a form, or by nothing, where it takes no other answer', async () => {
    const { postern } = await server()
    const org = await acme({ logoutUrl: SLO, logoutBinding: 'post' }, {})
    const person = org.person()
    const client = await signIn(org, person, '_one')
    const said = org.say({ nameId: person.nameId, sessions: ['_other', '_one'] })
    const message = { name: 'SAMLRequest' as const, xml: logoutRequestXml(said), relayState: '"><script>' }
    const page = await bring(org, client, signedForm(message, org.idp.identity))
    assert.equal(page.status, 200, page.text)
    assert.equal(page.text.includes('"><script>"'), false)
    const own = readOwnForm(page.text, await org.certificateOf())
    assert.deepEqual([own.action, own.inResponseTo], [SLO, said.id])
    assert.equal(await isSignedIn(client), false)
    const mute = await acme({}, {})
    const other = mute.person()
    const there = await signIn(mute, other)
    const xml = logoutRequestXml(mute.say({ nameId: other.nameId }))
    const answer = await bring(mute, postern.client(), signedForm({ ...message, xml }, mute.idp.identity))
    assert.equal(await wayOf(postern.client(), answer), await pageOf())
    assert.equal(await isSignedIn(there), false)
  })

  test('ends nothing by a request that is forged, wrapped, late, for another, of weak methods, sent twice, or too large', async () => {
    const { postern } = await server()
    const org = await acme({ logoutUrl: SLO }, {})
    const person = org.person()
    const client = await signIn(org, person, '_one')
    const { idp, own } = org
    const stranger = newSamlProvider(idp.entityId)
    const parts = { idp, stranger, destination: own.ownLogoutUrl, ...person }
    const forgeries = forgedLogouts({ ...parts, now: postern.clock.now() })
    for (const [what, { reason, bring: forge }] of Object.entries(forgeries)) {
      const answer = await bring(org, postern.client(), forge())
      assert.equal(answer.status, 400, `${what}: ${answer.status} ${answer.text}`)
      assert.equal(answer.body.error.details.reason, reason, what)
    }
    // Named as an answer it answers nothing.
    const asAnswer = formOf('SAMLResponse', logoutRequestXml(org.say({ nameId: person.nameId })), 'x')
    const taken = await bring(org, postern.client(), { form: asAnswer })
    assert.equal(await wayOf(postern.client(), taken), await pageOf())
    // A provider of another organization, whose address and key are its own.
    const other = await acme({ logoutUrl: SLO }, {})
    const foreign = logoutRequestXml(other.say({ nameId: person.nameId, sessions: ['_one'] }))
    const by = signedForm({ name: 'SAMLRequest', xml: foreign }, other.idp.identity)
    assertError(await bring(org, postern.client(), by), 'VALIDATION_FAILED', { reason: 'signature' })
    assert.equal((await bring(other, postern.client(), by)).status, 303)
    assert.equal(await isSignedIn(client), true)
    // Parameters in another order are the same message; sent again it is refused, by either way.
    const said = org.say({ nameId: 'unknown' })
    const message = { name: 'SAMLRequest' as const, xml: logoutRequestXml(said), relayState: 'state' }
    const query = written(signedParameters(message, idp.identity).reverse())
    assert.equal((await bring(org, postern.client(), { query })).status, 303)
    for (const again of [{ query }, signedForm(message, idp.identity)])
      assertError(await bring(org, postern.client(), again), 'VALIDATION_FAILED', { reason: 'used' })
    const { pathname } = new URL(own.ownLogoutUrl)
    const large = await postern.client().post(pathname, 'x'.repeat(70_000), { headers: FORM })
    assertError(large, 'VALIDATION_FAILED', { field: 'body' })
    assertError(await postern.client().get(pathname.replace(org.id, 'idp_x')), 'ENTITY_NOT_FOUND')
    // A message by a removed certificate is refused, and so is each message of a disabled provider.
    const truly = () =>
      signedForm({ ...message, xml: logoutRequestXml(org.say({ nameId: 'unknown' })) }, idp.identity)
    const path = `/v1/identity-providers/${org.id}`
    const { token } = org.admin
    await postern.client().patch(path, { saml: { certificates: [newIdentity().certificate] } }, { token })
    assertError(await bring(org, postern.client(), truly()), 'VALIDATION_FAILED', { reason: 'signature' })
    assert.equal(await isSignedIn(client), true)
    await postern.client().patch(path, { status: 'disabled' }, { token })
    assertError(await bring(org, postern.client(), truly()), 'ENTITY_NOT_FOUND')
  })

  test('is had from the metadata of the provider, by the binding that it names, where browsers may go there', async () => {
    const { postern } = await server()
    const { token } = await administrator(postern)
    const { identity, entityId, saml } = newSamlProvider()
    const base64 = identity.certificate.replaceAll(/-----.*-----|\s/g, '')
    const service = (binding: string, url: string, more = '') =>
      `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${url}"${more}/>`
    const create = (services: string) => {
      const metadata = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>${services}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${saml.signOnUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`
      const body = { kind: 'saml', name: 'Acme', saml: { metadata } }
      return postern.client().post('/v1/identity-providers', body, { token })
    }
    const [redirect, post] = [service('HTTP-Redirect', SLO), service('HTTP-POST', SLO)]
    const made: string[] = []
    for (const [services, expected] of [
      [post + redirect, [SLO, null, 'redirect']],
      [post, [SLO, null, 'post']],
      [service('HTTP-Redirect', SLO, ` ResponseLocation="${SLO}2"`), [SLO, `${SLO}2`, 'redirect']],
      [service('SOAP', SLO), [null, null, 'redirect']],
      [service('HTTP-Redirect', 'http://idp.acme.test/slo'), [null, null, 'redirect']],
      [service('HTTP-Redirect', 'javascript:alert(1)'), [null, null, 'redirect']],
      ['', [null, null, 'redirect']],
    ] as const) {
      const answer = await create(services)
      assert.equal(answer.status, 201, answer.text)
      const { logoutUrl, logoutResponseUrl, logoutBinding } = answer.body.saml
      assert.deepEqual([logoutUrl, logoutResponseUrl, logoutBinding], expected, services)
      made.push(answer.body.id)
    }
    const path = `/v1/identity-providers/${made[0]}`
    for (const [change, field, reason] of [
      [{ logoutUrl: 'http://idp.acme.test/slo' }, 'saml.logoutUrl', 'not_https'],
      [{ logoutResponseUrl: 'javascript:alert(1)' }, 'saml.logoutResponseUrl', 'not_a_url'],
      [{ logoutBinding: 'post', metadata: '<a/>' }, 'saml.logoutBinding', 'one_of_them'],
    ] as const)
      assertError(await postern.client().patch(path, { saml: change }, { token }), 'VALIDATION_FAILED', {
        ...{ field, reason },
      })
    // Settings that the request does not have do not change.
    const renamed = await postern.client().patch(path, { saml: { logoutResponseUrl: SLO } }, { token })
    assert.deepEqual([renamed.body.saml.logoutUrl, renamed.body.saml.logoutResponseUrl], [SLO, SLO])
  })

  test('is said by the metadata of Postern, and signed by a key that is rotated with the other one', async () => {
    const { postern } = await server()
    const org = await acme()
    const { pathname } = new URL(org.made.saml.ownMetadataUrl)
    const metadata = async () => (await postern.client().get(pathname)).text
    const signersIn = (text: string) =>
      [...text.matchAll(/use="signing">\s*<ds:KeyInfo.*?<ds:X509Certificate>(.*?)</gs)].map(([, one]) => one)
    const bare = (pem: string) => pem.replaceAll(/-----.*-----|\s/g, '')
    const text = await metadata()
    for (const binding of ['HTTP-Redirect', 'HTTP-POST'])
      assert.ok(
        text.includes(
          `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${org.own.ownLogoutUrl}"/>`,
        ),
        text,
      )
    const before = await org.certificateOf()
    assert.deepEqual(signersIn(text), [bare(before)])
    const rotate = async (overlapDays: number) => {
      const path = `/v1/identity-providers/${org.id}/rotate-keys`
      const answer = await postern.client().post(path, { overlapDays }, { token: org.admin.token })
      assert.equal(answer.status, 200, answer.text)
    }
    await rotate(2)
    const after = await org.certificateOf()
    assert.notEqual(before, after)
    assert.deepEqual(signersIn(await metadata()), [bare(after), bare(before)])
    // The old key signs for two days, because the provider may not have read the new one.
    const signedBy = async (certificate: string) =>
      readOwnRedirect((await signOut(await signIn(org))) ?? '', certificate)
    await signedBy(before)
    postern.clock.advance(2 * DAY + SECOND)
    const { client } = org.admin
    Object.assign(org.admin, { token: await tokenOf(client) })
    await signedBy(after)
    assert.deepEqual(signersIn(await metadata()), [bare(after)])
  })
})
