import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { it } from 'node:test'
import { DAY, fromIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { newIdentity } from '../support/certificate.ts'
import { countKeyPairs } from '../support/key-pairs.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { CBC, encrypted, forgedEncryptions, GCM, OAEP_SHA256 } from '../support/saml-encryption.ts'
import {
  assertionOf,
  bringAnswer,
  newSamlProvider,
  readRequest,
  responseOf,
  type Said,
  sayOf,
  signed,
} from '../support/saml-provider.ts'
import { assertRefused, assertSignedIn, counts, failures } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

let counter = 0

onBothEngines('encrypted assertions of a SAML identity provider', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, prove } = useSso(engine)

  async function acme() {
    const { postern } = await server()
    const admin = await administrator(postern)
    const { name: domain } = await prove(admin)
    const idp = newSamlProvider()
    const body = { kind: 'saml', name: 'Acme login', saml: idp.saml, createsMemberships: true }
    const made = await postern.client().post('/v1/identity-providers', body, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    const certificateOf = async () => {
      const { pathname } = new URL(made.body.saml.ownCertificateUrl)
      const answer = await postern.client().get(pathname)
      assert.equal(answer.status, 200, answer.text)
      return answer.text
    }
    const rotate = (overlapDays?: number) =>
      postern
        .client()
        .post(`/v1/identity-providers/${id}/rotate-keys`, { overlapDays }, { token: admin.token })
    const id: string = made.body.id
    const person = () => {
      counter += 1
      return { nameId: `person-${counter}`, attributes: { email: `person-${counter}@${domain}` } }
    }
    return { admin, idp, id, made: made.body, certificateOf, rotate, person }
  }

  type Acme = Awaited<ReturnType<typeof acme>>

  async function come(org: Acme, person: ReturnType<Acme['person']>, answerOf: (said: Said) => string) {
    const { postern } = await server()
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: org.id })
    const request = readRequest(authUrl)
    const said = sayOf(request, org.idp.entityId, person, { now: postern.clock.now() })
    return { client, answer: await bringAnswer(client, postern.client(), request, answerOf(said)) }
  }

  test('have their certificate in the metadata and by itself, the same each time', async () => {
    const { postern } = await server()
    const org = await acme()
    const certificate = await org.certificateOf()
    const { subject, publicKey, validToDate } = new X509Certificate(certificate)
    assert.deepEqual([subject, publicKey.asymmetricKeyDetails?.modulusLength], ['CN=Postern', 3_072])
    assert.ok(validToDate.getTime() > postern.clock.now() + 19 * 365 * DAY)
    const own = await postern.client().get(new URL(org.made.saml.ownMetadataUrl).pathname)
    const base64 = certificate.replaceAll(/-----.*-----|\s/g, '')
    assert.match(
      own.text,
      new RegExp(
        `<md:KeyDescriptor use="encryption">\\s*<ds:KeyInfo [^>]*><ds:X509Data><ds:X509Certificate>${base64.replaceAll('+', '\\+')}<`,
      ),
    )
    assert.equal(await org.certificateOf(), certificate)
    // Of any number of concurrent reads the first creates the key, and keys of two organizations are made in turn.
    const [other, third] = [await acme(), await acme()]
    using pairs = countKeyPairs()
    const reads = [other, other, other, third, third].map((one) => one.certificateOf())
    const [one, two, ...more] = await Promise.all(reads)
    assert.equal(one, two)
    assert.equal(new Set([one, ...more]).size, 2)
    assert.notEqual(one, certificate)
    assert.deepEqual([pairs.made, pairs.atOnce], [2, 1])
    const rows = await postern.app.database.db
      .selectFrom('saml_key')
      .select(['private_key', 'identity_provider_id'])
      .where('purpose', '=', 'encryption')
      .execute()
    assert.deepEqual(rows.map((row) => row.identity_provider_id).sort(), [org.id, other.id, third.id].sort())
    for (const row of rows) assert.match(row.private_key, /^v1\./)
    const unknown = org.id.replace(/.{6}$/, '000000')
    assertError(await postern.client().get(`/v1/auth/saml/${unknown}/certificate`), 'ENTITY_NOT_FOUND')
  })

  test('sign a person in by each method that is taken, and are verified as what comes plain', async () => {
    const org = await acme()
    const certificate = await org.certificateOf()
    const { identity } = org.idp
    const inner = (said: Said) => signed(assertionOf(said), 'Assertion', identity)
    const gcm128 = GCM.replace('256', '128') as typeof GCM
    const cbc128 = CBC.replace('256', '128') as typeof CBC
    for (const answerOf of [
      (said: Said) => responseOf(said, encrypted(inner(said), certificate)),
      (said: Said) => responseOf(said, encrypted(inner(said), certificate, { cipher: gcm128 })),
      (said: Said) =>
        responseOf(said, encrypted(inner(said), certificate, { hash: 'sha256', method: OAEP_SHA256 })),
      // The declaration of the namespace stands at the response alone.
      (said: Said) =>
        responseOf(said, encrypted(inner(said).replace(/ xmlns:saml="[^"]*"/, ''), certificate)),
      // The response alone is signed, over what is encrypted; both; and both by CBC.
      (said: Said) =>
        signed(responseOf(said, encrypted(assertionOf(said), certificate)), 'Response', identity),
      (said: Said) => signed(responseOf(said, encrypted(inner(said), certificate)), 'Response', identity),
      (said: Said) =>
        signed(responseOf(said, encrypted(inner(said), certificate, { cipher: CBC })), 'Response', identity),
      (said: Said) =>
        signed(
          responseOf(said, encrypted(assertionOf(said), certificate, { cipher: cbc128 })),
          'Response',
          identity,
        ),
    ]) {
      const { client, answer } = await come(org, org.person(), answerOf)
      await assertSignedIn(client, answer)
    }
  })

  test('open nothing where they are forged, wrapped otherwise, of weak methods, nested, or by references', async () => {
    const { postern } = await server()
    const org = await acme()
    const certificate = await org.certificateOf()
    const victim = org.person()
    const answerOf = (said: Said) =>
      responseOf(said, encrypted(signed(assertionOf(said), 'Assertion', org.idp.identity), certificate))
    const rightful = await come(org, victim, answerOf)
    await assertSignedIn(rightful.client, rightful.answer)
    const before = await counts(postern)
    const foreign = newIdentity({ bits: 3_072 }).certificate
    const parts = { idp: org.idp, victim, certificate, foreign, now: postern.clock.now() }
    const codes = new Set<string>()
    for (const [what, { reason, forge }] of Object.entries(forgedEncryptions(parts))) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: org.id })
      const answer = await bringAnswer(client, postern.client(), readRequest(authUrl), forge(authUrl))
      assert.equal(answer.status, 302, `${what}: ${answer.status} ${answer.text}`)
      assertRefused(client, answer, 'UNAUTHORIZED')
      codes.add(answer.headers.get('location') ?? '')
      assert.deepEqual(await counts(postern), before, what)
      assert.equal((await failures(postern))[0]?.reason, reason, what)
    }
    // The browser is told one thing, whatever was wrong.
    assert.equal(codes.size, 1)
    const last = await come(org, victim, answerOf)
    await assertSignedIn(last.client, last.answer)
  })

  it('are taken by the key before for the time of its overlap, and at most two keys work', async () => {
    const { postern } = await server()
    const org = await acme()
    const person = org.person()
    const old = await org.certificateOf()
    const by = (certificate: string) =>
      come(org, person, (said) =>
        responseOf(said, encrypted(signed(assertionOf(said), 'Assertion', org.idp.identity), certificate)),
      )
    const works = async (certificate: string) => {
      const { client, answer } = await by(certificate)
      await assertSignedIn(client, answer)
    }
    const fails = async (certificate: string) => {
      const { client, answer } = await by(certificate)
      assertRefused(client, answer, 'UNAUTHORIZED')
    }
    const rotated = await org.rotate(2)
    assert.equal(rotated.status, 200, rotated.text)
    const left = (fromIso(rotated.body.previousEndsAt) ?? 0) - postern.clock.now()
    assert.ok(left > DAY && left <= 2 * DAY, `${left} ms`)
    const next = await org.certificateOf()
    assert.notEqual(next, old)
    await works(old)
    await works(next)
    // A second rotation in the overlap makes no third key, and ends the first one.
    assert.equal((await org.rotate(0)).status, 200)
    assert.equal(await org.certificateOf(), next)
    await fails(old)
    await works(next)
    assert.equal((await org.rotate(0)).status, 200)
    await fails(next)
    const third = await org.certificateOf()
    await works(third)
    const rows = await postern.app.database.db
      .selectFrom('saml_key')
      .select('fingerprint')
      .where('identity_provider_id', '=', org.id as never)
      .execute()
    assert.equal(rows.length, 2)
    assertError(await org.rotate(366), 'VALIDATION_FAILED', { field: 'overlapDays' })
    const stranger = await acme()
    assertError(
      await postern
        .client()
        .post(`/v1/identity-providers/${org.id}/rotate-keys`, {}, { token: stranger.admin.token }),
      'ENTITY_NOT_FOUND',
    )
    // The end of an overlap comes by itself.
    assert.equal((await org.rotate(1)).status, 200)
    await works(third)
    postern.clock.advance(2 * DAY)
    await fails(third)
    await works(await org.certificateOf())
  })
})
