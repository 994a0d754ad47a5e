import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { type Identity, newIdentity, publicKey } from '../support/certificate.ts'
import { assertDoctorNames } from '../support/doctor.ts'
import { auditOf, membershipsOf } from '../support/invitees.ts'
import { administrator, newEmail, tokenOf } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { forgedAnswers } from '../support/saml-forgeries.ts'
import {
  assertionOf,
  bringAnswer,
  followAnswer,
  newSamlProvider,
  postAnswer,
  readRequest,
  responseOf,
  type Said,
  type SamlPerson,
  type SigningOptions,
  sayOf,
  signed,
} from '../support/saml-provider.ts'
import {
  assertNoSession,
  assertRefused,
  assertSignedIn,
  assertUnknownState,
  counts,
  failures,
} from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'
import { leastStretch, STRETCH_TRIES, strain } from '../support/stretch.ts'

/**
 * Milliseconds, the test's client included. Reading the answer on this thread would take several times that.
 */
const LONGEST_STRETCH = 60

let counter = 0
const atSaml = (email: string, more: Partial<SamlPerson> = {}): SamlPerson => {
  counter += 1
  return {
    nameId: `person-${counter}`,
    ...more,
    attributes: { email, firstName: 'Grace', lastName: 'Hopper', ...more.attributes },
  }
}

onBothEngines('a SAML identity provider of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, prove } = useSso(engine)

  /** An organization with a proven domain and a SAML identity provider. */
  async function acme(more: object = { createsMemberships: true }, idp = newSamlProvider()) {
    const { postern } = await server()
    const admin = await administrator(postern)
    const { name: domain } = await prove(admin)
    const { token } = admin
    const body = { kind: 'saml', name: 'Acme login', saml: idp.saml, ...more }
    const made = await postern.client().post('/v1/identity-providers', body, { token })
    assert.equal(made.status, 201, made.text)
    const id: string = made.body.id
    const email = () => {
      counter += 1
      return `person-${counter}@${domain}`
    }
    return { admin, token, organizationId: admin.organizationId, domain, idp, id, email, made: made.body }
  }

  type Acme = Awaited<ReturnType<typeof acme>>

  async function bring(browser: Client, authUrl: string, xml: string | Buffer) {
    const { postern } = await server()
    return bringAnswer(browser, postern.client(), readRequest(authUrl), xml)
  }

  async function signIn(org: Acme, person: SamlPerson, more: Partial<Said> = {}) {
    const { postern } = await server()
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    const xml = org.idp.answer(authUrl, person, { now: postern.clock.now(), ...more })
    return { client, answer: await bring(client, authUrl, xml), authUrl, xml }
  }

  test('signs by keys of elliptic curves, too, and each key by its own kind of signature alone', async () => {
    const { postern } = await server()
    const more = 'http://www.w3.org/2001/04/xmldsig-more#'
    const idp = newSamlProvider()
    const curves = ['prime256v1', 'secp384r1', 'secp521r1'].map((curve) => newIdentity({ curve }))
    const certificates = [idp.identity, ...curves].map(({ certificate }) => certificate)
    const org = await acme({ createsMemberships: true }, { ...idp, saml: { ...idp.saml, certificates } })
    assert.equal(org.made.saml.certificates.length, 4)
    const come = async (key: Identity, options: SigningOptions) => {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const person = atSaml(org.email())
      const said = sayOf(readRequest(authUrl), idp.entityId, person, { now: postern.clock.now() })
      const xml = responseOf(said, signed(assertionOf(said), 'Assertion', key, options))
      return { client, answer: await bring(client, authUrl, xml) }
    }
    const [small, middle, large] = curves as [Identity, Identity, Identity]
    for (const [key, method] of [
      [small, 'ecdsa-sha256'],
      [middle, 'ecdsa-sha384'],
      [large, 'ecdsa-sha512'],
      [idp.identity, 'rsa-sha512'],
    ] as const) {
      const { client, answer } = await come(key, { method: more + method })
      await assertSignedIn(client, answer)
    }
    const stranger = newIdentity({ curve: 'prime256v1' })
    for (const [what, key, options, reason] of [
      ['by a stranger', stranger, { method: `${more}ecdsa-sha256` }, 'signature'],
      ['written as DER', small, { method: `${more}ecdsa-sha256`, dsaEncoding: 'der' }, 'signature'],
      ['by the name of RSA', small, { method: `${more}rsa-sha256` }, 'signature'],
      ['with SHA-1', small, { method: `${more}ecdsa-sha1` }, 'weak_algorithm'],
    ] as const) {
      const { client, answer } = await come(key, options)
      assertRefused(client, answer, 'UNAUTHORIZED')
      assert.equal((await failures(postern))[0]?.reason, reason, what)
    }
  })

  it('is made of what its administrator enters, and says what is entered there', async () => {
    const { postern } = await server()
    const { id, idp, made, token } = await acme()
    const base = `http://localhost:${postern.env.PORT}`
    const { certificates, ...rest } = made.saml
    assert.deepEqual(rest, {
      entityId: idp.entityId,
      signOnUrl: idp.saml.signOnUrl,
      emailAttribute: null,
      ...{ logoutUrl: null, logoutResponseUrl: null, logoutBinding: 'redirect' },
      ownEntityId: `${base}/v1/auth/saml/${id}/metadata`,
      ownMetadataUrl: `${base}/v1/auth/saml/${id}/metadata`,
      ownCertificateUrl: `${base}/v1/auth/saml/${id}/certificate`,
      ownSigningCertificateUrl: `${base}/v1/auth/saml/${id}/signing-certificate`,
      ownLogoutUrl: `${base}/v1/auth/saml/${id}/logout`,
    })
    assert.deepEqual(
      [made.kind, made.oidc, made.redirectUri],
      ['saml', null, `${base}/v1/auth/callback/${id}`],
    )
    assert.deepEqual(
      certificates.map(({ notAfter }: { notAfter: string }) => notAfter),
      ['2049-01-01T00:00:00.000Z'],
    )
    assert.match(certificates[0].fingerprint, /^[0-9a-f]{64}$/)
    assert.equal(certificates[0].subject, 'CN=Acme login')
    const client = postern.client()
    const own = await client.get(`/v1/auth/saml/${id}/metadata`)
    assert.equal(own.status, 200, own.text)
    assert.match(own.headers.get('content-type') ?? '', /^application\/samlmetadata\+xml/)
    assert.ok(own.text.includes(`entityID="${made.saml.ownEntityId}"`), own.text)
    assert.ok(own.text.includes(`bindings:HTTP-POST" Location="${made.redirectUri}"`), own.text)
    assertError(
      await client.get('/v1/auth/saml/idp_01890a5d-ac96-774b-bcce-b302099a8057/metadata'),
      'ENTITY_NOT_FOUND',
    )
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    for (const path of [
      '/v1/auth/callback/%00',
      '/v1/auth/logout/%00',
      '/v1/auth/logout/other',
      '/v1/auth/saml/%00/logout',
    ])
      assertError(await client.post(path, 'logout_token=x', form), 'ENTITY_NOT_FOUND')
    const change = { oidc: { issuer: 'https://login.acme.test', clientId: 'a', clientSecret: 'b' } }
    assertError(await client.patch(`/v1/identity-providers/${id}`, change, { token }), 'VALIDATION_FAILED', {
      field: 'oidc',
      reason: 'another_kind',
    })
  })

  test('is made of its metadata, with the certificates that sign, and nothing is fetched', async () => {
    const { postern } = await server()
    const { token } = await administrator(postern)
    const keys = [newIdentity(), newIdentity({ name: 'Next' }), newIdentity({ name: 'Encrypts' })]
    const metadata = metadataOf('https://idp.acme.test/entity', 'https://idp.acme.test/sso', [
      ['signing', keys[0]?.certificate],
      [undefined, keys[1]?.certificate],
      ['encryption', keys[2]?.certificate],
    ])
    const create = (saml: object) =>
      postern.client().post('/v1/identity-providers', { kind: 'saml', name: 'Acme', saml }, { token })
    const made = await create({ metadata })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.saml.entityId, 'https://idp.acme.test/entity')
    assert.equal(made.body.saml.signOnUrl, 'https://idp.acme.test/sso')
    assert.deepEqual(
      made.body.saml.certificates.map(({ subject }: { subject: string }) => subject),
      ['CN=Acme login', 'CN=Next'],
    )
    const bomb = `<!DOCTYPE a [<!ENTITY b "c">]>${metadata.replace(/^<\?.*?\?>/, '')}`
    const role = /<md:IDPSSODescriptor.*<\/md:IDPSSODescriptor>/s.exec(metadata)?.[0] ?? ''
    for (const [text, reason] of [
      ['<a', 'not_xml'],
      [bomb, 'not_xml'],
      ['<a/>', 'not_metadata'],
      [metadata.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'), 'not_metadata'],
      [metadata.replace(role, role + role), 'many_providers'],
      [metadata.replace('HTTP-Redirect', 'HTTP-POST'), 'no_redirect_binding'],
      [metadata.replaceAll(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/gs, ''), 'no_certificate'],
      [metadata.replace('https://idp.acme.test/sso', 'http://idp.acme.test/sso'), 'not_https'],
      [metadata.replace('https://idp.acme.test/sso', 'javascript:alert(1)'), 'not_a_url'],
    ])
      assertError(await create({ metadata: text }), 'VALIDATION_FAILED', { field: 'saml.metadata', reason })
    const { saml } = newSamlProvider()
    for (const [field, value, reason] of [
      ['certificates', ['no certificate'], 'not_a_certificate'],
      ['certificates', [newIdentity({ bits: 1_024 }).certificate], 'weak_key'],
      ['certificates', [newIdentity({ curve: 'secp256k1' }).certificate], 'unusual_key'],
      ...(
        [
          [{ algorithm: '2a0304' }, 'not_a_certificate'],
          [{ bits: 16_384 }, 'unusual_key'],
          [{ exponent: `${'5b'.repeat(200)}01` }, 'unusual_key'],
        ] as const
      ).map(
        ([key, reason]) =>
          ['certificates', [newIdentity({ key: publicKey(key) }).certificate], reason] as const,
      ),
      ['entityId', 'has a space', 'not_an_entity_id'],
      ['signOnUrl', 'http://idp.acme.test/', 'not_https'],
      ['metadata', metadata, 'one_of_them'],
    ] as const)
      assertError(await create({ ...saml, [field]: value }), 'VALIDATION_FAILED', {
        reason,
        ...(field !== 'metadata' && { field: `saml.${field}` }),
      })
    // Only the key of a certificate counts, so its subject may be empty.
    const nameless = await create({ ...saml, certificates: [newIdentity({ name: '' }).certificate] })
    assert.equal(nameless.body.saml?.certificates[0].subject, '', nameless.text)
    for (const field of ['entityId', 'signOnUrl', 'certificates'])
      assertError(await create({ ...saml, [field]: undefined }), 'MISSING_REQUIRED_FIELD', {
        field: `saml.${field}`,
      })
  })

  it('signs a person of a proven domain in, who becomes a member, and opens its organization alone', async () => {
    const { postern } = await server()
    const org = await acme()
    const email = org.email()
    const person = atSaml(email)
    const { client, answer, authUrl } = await signIn(org, person)
    const user = await assertSignedIn(client, answer)
    assert.deepEqual([user.email, user.firstName, user.lastName], [email, 'Grace', 'Hopper'])
    assert.deepEqual(await membershipsOf(postern, email), [org.organizationId])
    const { session } = (await client.get('/v1/auth/session')).body
    assert.deepEqual([session.organizationId, session.identityProviderId], [org.organizationId, org.id])
    assert.equal((await client.get('/v1/events', { token: await tokenOf(client) })).status, 200)
    assertError(await client.get('/v1/auth/sessions'), 'FORBIDDEN', { reason: 'own_sign_in_required' })
    const request = readRequest(authUrl)
    assert.equal(new URL(authUrl).searchParams.get('realm'), 'acme')
    assert.equal(request.issuer, org.made.saml.ownEntityId)
    const again = await signIn(org, { ...person, attributes: {} })
    assert.equal((await assertSignedIn(again.client, again.answer)).id, user.id)
    const begun = await auditOf(postern, email, 'sign_in.succeeded')
    assert.deepEqual(
      begun.map(({ details }) => (JSON.parse(details) as { how: string }).how),
      ['saml', 'saml'],
    )
  })

  test('finds the address where the usual providers write it, and where it is told', async () => {
    const org = await acme()
    const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'
    for (const [name, format] of [
      ['mail'],
      ['urn:oid:0.9.2342.19200300.100.1.3'],
      [claims],
      [undefined, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    ] as const) {
      const email = org.email()
      const person = {
        nameId: format === undefined ? `named-${email.split('@')[0]}` : email,
        ...(format !== undefined && { format }),
        attributes: name === undefined ? {} : { [name]: email },
      }
      const { client, answer } = await signIn(org, person)
      assert.equal((await assertSignedIn(client, answer)).email, email)
    }
    const { postern } = await server()
    const body = { saml: { emailAttribute: 'upn' } }
    const changed = await postern
      .client()
      .patch(`/v1/identity-providers/${org.id}`, body, { token: org.token })
    assert.equal(changed.body.saml.emailAttribute, 'upn', changed.text)
    const email = org.email()
    const { client, answer } = await signIn(org, atSaml(org.email(), { attributes: { upn: email } }))
    assert.equal((await assertSignedIn(client, answer)).email, email)
  })

  test('gives roles by its groups, and counts as a second factor only where it is meant to', async () => {
    const { postern } = await server()
    const rules = [{ claim: 'groups', value: 'bosses', role: 'administrator' }]
    const mfa = 'http://schemas.microsoft.com/claims/multipleauthn'
    const org = await acme({
      ...{ createsMemberships: true, managesRoles: true, roleRules: rules },
      secondFactorValues: [mfa],
    })
    const email = org.email()
    const person = atSaml(email)
    const withGroups = (groups: string[]) => ({ ...person, attributes: { email, groups } })
    for (const [groups, role] of [
      [['staff', 'bosses'], 'administrator'],
      [['staff'], 'member'],
    ] as const) {
      const { client, answer } = await signIn(org, withGroups([...groups]))
      assert.equal((await assertSignedIn(client, answer)).organizations[0].role, role)
    }
    for (const [more, at] of [
      [{}, false],
      [{ method: mfa }, true],
      [
        {
          attributes: {
            email,
            'http://schemas.microsoft.com/claims/authnmethodsreferences': ['password', mfa],
          },
        },
        true,
      ],
    ] as const) {
      const { client, answer } = await signIn(org, { ...person, ...(more as object) })
      const user = await assertSignedIn(client, answer)
      const row = await postern.app.database.db
        .selectFrom('session')
        .select('factor_at')
        .where('account_id', '=', user.id)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      assert.equal(row.factor_at !== null, at, JSON.stringify(more))
    }
  })

  test('opens nothing by an answer that is forged, of another, for another, too early, too late, or not to be read', async () => {
    const { postern } = await server()
    const org = await acme()
    const email = org.email()
    const known = atSaml(email)
    const rightful = await signIn(org, known)
    const { id } = await assertSignedIn(rightful.client, rightful.answer)
    const before = await counts(postern)
    const mallory = atSaml(org.email())
    const stranger = newSamlProvider(org.idp.entityId)
    const parts = { idp: org.idp, stranger, victim: known, mallory, now: postern.clock.now() }
    for (const [what, { reason, forge }] of Object.entries(forgedAnswers(parts))) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const answer = await bring(client, authUrl, forge(authUrl))
      assert.equal(answer.status, 302, `${what}: ${answer.status} ${answer.text}`)
      assertRefused(client, answer, 'UNAUTHORIZED')
      assert.deepEqual(await counts(postern), before, what)
      assert.equal((await failures(postern))[0]?.reason, reason, what)
    }
    // The provider still works, and what is said of the person was never taken for another's.
    const last = await signIn(org, known)
    assert.equal((await assertSignedIn(last.client, last.answer)).id, id)
  })

  test('takes an answer that is signed as a whole, by either digest, as well as the assertion in it', async () => {
    const { postern } = await server()
    const org = await acme()
    const sha512 = {
      method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
    }
    for (const sign of [
      (said: Said) => signed(responseOf(said, assertionOf(said)), 'Response', org.idp.identity),
      (said: Said) => signed(responseOf(said, assertionOf(said)), 'Response', org.idp.identity, sha512),
      (said: Said) =>
        signed(
          responseOf(said, signed(assertionOf(said), 'Assertion', org.idp.identity)),
          'Response',
          org.idp.identity,
        ),
    ]) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const now = postern.clock.now()
      const said = sayOf(readRequest(authUrl), org.idp.entityId, atSaml(org.email()), { now })
      await assertSignedIn(client, await bring(client, authUrl, sign(said)))
    }
  })

  test('holds up no other request while a large answer is read', async () => {
    const { postern } = await server()
    const org = await acme()
    const groups = Array.from({ length: 1_900 }, (_, index) => `group-${index}`)
    const person = atSaml(org.email(), { attributes: { groups } })
    const begin = async () => {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const said = sayOf(readRequest(authUrl), org.idp.entityId, person, { now: postern.clock.now() })
      const inner = signed(assertionOf(said), 'Assertion', org.idp.identity)
      return { client, authUrl, xml: signed(responseOf(said, inner), 'Response', org.idp.identity) }
    }
    const begun = await Promise.all(Array.from({ length: STRETCH_TRIES }, begin))
    const answers: [Client, Awaited<ReturnType<typeof bring>>][] = []
    strain()
    const longest = await leastStretch(LONGEST_STRETCH, async () => {
      const next = begun[answers.length]
      assert.ok(next)
      answers.push([next.client, await bring(next.client, next.authUrl, next.xml)])
    })
    for (const [client, answer] of answers) await assertSignedIn(client, answer)
    assert.ok(longest <= LONGEST_STRETCH, `${longest} ms`)
  })

  it('is answered once, in the browser that asked, for its own request alone', async () => {
    const { postern } = await server()
    const org = await acme()
    const person = atSaml(org.email())
    const { client, answer, authUrl, xml } = await signIn(org, person)
    await assertSignedIn(client, answer)
    // Sent again, to the flow that has ended and to another one.
    const browser = postern.client()
    assertUnknownState(browser, await bring(browser, authUrl, xml))
    const other = await beginSso(browser, { identityProviderId: org.id })
    assertRefused(browser, await bring(browser, other, xml), 'UNAUTHORIZED')
    assert.equal((await failures(postern))[0]?.reason, 'request')
    // Unsolicited.
    const url = new URL(other)
    url.searchParams.set('RelayState', 'x'.repeat(43))
    assertUnknownState(browser, await bring(browser, url.href, xml))
    // An attacker's own sign-in in the browser of another person.
    const attacker = postern.client()
    const begun = await beginSso(attacker, { identityProviderId: org.id })
    const theirs = org.idp.answer(begun, person, { now: postern.clock.now() })
    const victim = postern.client()
    assertUnknownState(victim, await bring(victim, begun, theirs))
    assertNoSession(victim)
    // Only the browser that brought the answer is signed in: a lured person did not, whatever the cookie.
    const { acsUrl, relayState } = readRequest(begun)
    const path = new URL(acsUrl).pathname
    for (const code of ['', '&code=', `&code=${'x'.repeat(43)}`]) {
      const lured = postern.client()
      const asked = await beginSso(lured, { identityProviderId: org.id })
      const said = org.idp.answer(asked, person, { now: postern.clock.now() })
      assertUnknownState(victim, await bring(victim, asked, said))
      const { relayState: state } = readRequest(asked)
      assertRefused(lured, await lured.get(`${path}?state=${state}${code}`), 'UNAUTHORIZED')
      assert.equal((await failures(postern))[0]?.reason, 'another_answer')
      assertUnknownState(lured, await lured.get(`${path}?state=${state}${code}`))
    }
    // A later answer does not change that. A browser that sends the same form twice is signed in once.
    const late = await bringAnswer(attacker, postern.client(), { acsUrl, relayState }, 'no answer')
    assertRefused(attacker, late, 'UNAUTHORIZED')
    assert.equal((await failures(postern))[0]?.reason, 'another_answer')
    const patient = postern.client()
    const asked = await beginSso(patient, { identityProviderId: org.id })
    const said = org.idp.answer(asked, person, { now: postern.clock.now() })
    assertUnknownState(victim, await bring(victim, asked, said))
    await assertSignedIn(patient, await bring(patient, asked, said))
    assertError(await bring(patient, asked, said), 'VALIDATION_FAILED', { field: 'state' })
  })

  test('says no more than the code where the provider refuses the person', async () => {
    const { postern } = await server()
    const org = await acme()
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder'
    const said = sayOf(readRequest(authUrl), org.idp.entityId, atSaml(org.email()), { status })
    assertRefused(client, await bring(client, authUrl, responseOf(said, '')), 'UNAUTHORIZED')
    assert.equal((await failures(postern))[0]?.reason, 'denied')
  })

  test('speaks for its organization alone, though another one trusts the same provider', async () => {
    const { postern } = await server()
    const theirs = await acme()
    const evil = await acme({ createsMemberships: true }, theirs.idp)
    const person = atSaml(theirs.email())
    const rightful = await signIn(theirs, person)
    await assertSignedIn(rightful.client, rightful.answer)
    // An answer for one provider is not valid at another, whatever request it names.
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: theirs.id })
    const { issuer, acsUrl } = readRequest(await beginSso(postern.client(), { identityProviderId: evil.id }))
    const now = postern.clock.now()
    for (const [more, reason] of [
      [{ audience: issuer }, 'audience'],
      [{ recipient: acsUrl }, 'subject_confirmation'],
      [{ destination: acsUrl }, 'destination'],
    ] as const) {
      const again = await beginSso(client, { identityProviderId: theirs.id })
      const answer = await bring(client, again, theirs.idp.answer(again, person, { now, ...more }))
      assertRefused(client, answer, 'UNAUTHORIZED')
      assert.equal((await failures(postern))[0]?.reason, reason)
    }
    const crossed = await bringAnswer(
      client,
      postern.client(),
      { acsUrl, relayState: readRequest(authUrl).relayState },
      theirs.idp.answer(authUrl, person, { now }),
    )
    assertUnknownState(client, crossed)
    const foreign = await signIn(evil, person)
    assertRefused(foreign.client, foreign.answer, 'FORBIDDEN')
    const outside = await signIn(theirs, atSaml(newEmail('outside')))
    assertRefused(outside.client, outside.answer, 'FORBIDDEN')
  })

  test('takes the next certificate beside the present one, and the present one no more once it is left out', async () => {
    const { postern } = await server()
    const org = await acme()
    const person = atSaml(org.email())
    const next = newIdentity({ name: 'Next' })
    const enter = async (...certificates: string[]) => {
      const path = `/v1/identity-providers/${org.id}`
      const changed = await postern.client().patch(path, { saml: { certificates } }, { token: org.token })
      assert.equal(changed.status, 200, changed.text)
      assert.equal(changed.body.saml.certificates.length, certificates.length)
    }
    const by = async (key: typeof next) => {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const xml = org.idp.answer(authUrl, person, { now: postern.clock.now() }, key)
      return { client, answer: await bring(client, authUrl, xml) }
    }
    const early = await by(next)
    assertRefused(early.client, early.answer, 'UNAUTHORIZED')
    await enter(org.idp.identity.certificate, next.certificate)
    const before = await by(org.idp.identity)
    const user = await assertSignedIn(before.client, before.answer)
    const rolled = await by(next)
    await assertSignedIn(rolled.client, rolled.answer)
    // An answer that waits for its browser while the certificate ends that has signed it.
    const waiting = postern.client()
    const authUrl = await beginSso(waiting, { identityProviderId: org.id })
    const xml = org.idp.answer(authUrl, person, { now: postern.clock.now() })
    const posted = await postAnswer(postern.client(), readRequest(authUrl), xml)
    assert.equal(posted.status, 303, posted.text)
    await enter(next.certificate)
    assertUnknownState(waiting, await followAnswer(waiting, posted))
    const late = await by(org.idp.identity)
    assertRefused(late.client, late.answer, 'UNAUTHORIZED')
    // The same provider with other keys: its people and their sessions stay.
    assert.equal((await rolled.client.get('/v1/auth/session')).body.user.id, user.id)
    const other = { saml: { entityId: `${org.idp.entityId}/other` } }
    const path = `/v1/identity-providers/${org.id}`
    assert.equal((await postern.client().patch(path, other, { token: org.token })).status, 200)
    assertError(await rolled.client.get('/v1/auth/session'), 'UNAUTHORIZED')
  })

  it('is named among the problems before the last of its certificates ends', async () => {
    const { postern } = await server()
    const day = 24 * 60 * 60 * 1_000
    const until = (days: number) => toIso(Math.floor(postern.clock.now() / 1_000) * 1_000 + days * day)
    const idp = newSamlProvider()
    const ending = newIdentity({ until: until(29) })
    const org = await acme({}, { ...idp, saml: { ...idp.saml, certificates: [ending.certificate] } })
    const problems = async () =>
      (await postern.client().get('/v1/problems', { token: org.token })).body.data.filter(
        ({ kind }: { kind: string }) => kind === 'identity_provider',
      )
    const [found] = await problems()
    assert.deepEqual([found.state, found.subjectId, found.subject], ['expiring', org.id, 'Acme login'])
    assert.equal(found.nextAt, org.made.saml.certificates[0].notAfter)
    const path = `/v1/identity-providers/${org.id}`
    const certificates = [ending.certificate, newIdentity({ until: until(365) }).certificate]
    await postern.client().patch(path, { saml: { certificates } }, { token: org.token })
    assert.deepEqual(await problems(), [])
    const past = { saml: { certificates: [newIdentity({ until: until(-1) }).certificate] } }
    await postern.client().patch(path, past, { token: org.token })
    assert.deepEqual(
      (await problems()).map(({ state }: { state: string }) => state),
      ['expired'],
    )
  })

  it('is named among the problems for three weeks before the replaced keys of Postern end', async () => {
    const { postern } = await server()
    const org = await acme()
    const { token } = org
    const { pathname } = new URL(org.made.saml.ownCertificateUrl)
    assert.equal((await postern.client().get(pathname)).status, 200)
    const rotate = async (overlapDays: number) => {
      const path = `/v1/identity-providers/${org.id}/rotate-keys`
      const answer = await postern.client().post(path, { overlapDays }, { token })
      assert.equal(answer.status, 200, answer.text)
      const { data } = (await postern.client().get('/v1/problems', { token })).body
      return [answer.body.previousEndsAt, data]
    }
    assert.deepEqual((await rotate(22))[1], [])
    const [endsAt, [problem, ...others]] = await rotate(20)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [problem.kind, problem.state, problem.reason, problem.subjectId, problem.subject, problem.nextAt],
      ['identity_provider', 'expiring', 'own_keys', org.id, 'Acme login', endsAt],
    )
    assert.equal(
      problem.message,
      "The replaced keys of Postern for this provider end soon. Enter the present certificates at the provider before then, or let it read Postern's metadata again. If it has them, end the replaced keys now: rotate the keys with `overlapDays: 0`.",
    )
    await assertDoctorNames(postern, 'identity_provider', {
      one: 'identity provider whose certificate or replaced key ends',
      several: 'identity providers whose certificates or replaced keys end',
    })
    assert.deepEqual((await rotate(0))[1], [])
  })

  test('takes no body of more than 256 KiB, and none that is no form', async () => {
    const { postern } = await server()
    const org = await acme()
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    const huge = await bring(client, authUrl, Buffer.alloc(200 * 1024, 'a'))
    assertError(huge, 'VALIDATION_FAILED', { field: 'body' })
    const path = new URL(readRequest(authUrl).acsUrl).pathname
    const headers = { 'content-type': 'text/xml' }
    assertError(await postern.client().post(path, '<a/>', { headers }), 'VALIDATION_FAILED', {
      field: 'body',
    })
    assertUnknownState(client, await postern.client().post(path, {}))
  })
})

function metadataOf(
  entityId: string,
  signOnUrl: string,
  keys: [string | undefined, string | undefined][],
): string {
  const described = keys.map(([use, certificate = '']) => {
    const base64 = certificate.replaceAll(/-----.*-----|\n/g, '')
    return `<md:KeyDescriptor${use === undefined ? '' : ` use="${use}"`}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
      ${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  })
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Made by an identity provider -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}" validUntil="2049-01-01T00:00:00.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${described.join('')}
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${signOnUrl}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`
}
