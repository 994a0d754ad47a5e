import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { RATES } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer, Client } from '../support/browser.ts'
import { newIdentity } from '../support/certificate.ts'
import { type Forge, type ForgingProvider, startForgingProvider } from '../support/forging-provider.ts'
import { holdRows } from '../support/held-rows.ts'
import { nightly } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines } from '../support/postern.ts'
import { logoutRequestXml, logoutSaid, signedForm } from '../support/saml-logout.ts'
import { bringAnswer, newSamlProvider, readRequest } from '../support/saml-provider.ts'
import { assertSignedIn } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

/** Fewer people by day, with a limit per network that is even lower. */
const PEOPLE = nightly(2_000, 24)
/**
 * A tenth of the people sign in, a sixth by day. A sign-in takes twice the processor time of a report, so
 * 2,000 sign-ins could exceed the time limit of a test.
 */
const SIGNED_IN = nightly(200, 4)
const PER_NETWORK = nightly(RATES.authorizePerIp.max, 8)
const SIGN_INS_AT_ONCE = 8
/** As a provider's server sends them. */
const CONNECTIONS = 50
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const SLO = 'https://idp.acme.test/slo'

/** Rates that no test meets, except those of reports. */
const LIMITS = JSON.stringify({
  ...Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 1_000_000 }])),
  authorizePerIp: { max: PER_NETWORK },
  signOutsPerProvider: { max: RATES.signOutsPerProvider.max },
})

/** An organization whose people sign in and out by a protocol. */
interface Reporting {
  id: string
  signIn(name: string): Promise<Client>
  /** A report that ends the sessions of a person; a forged one is signed by another key. */
  report(name: string, how?: 'forged'): Promise<string>
  path: string
}

onBothEngines('sign-outs that identity providers report', (engine) => {
  const { server, prove, acme } = useSso(engine, () => ({ LIMITS, TRUST_PROXY: '127.0.0.1' }))
  let issuer: Promise<ForgingProvider> | undefined
  after(async () => (await issuer)?.stop())

  let networks = 0
  /** A network that has sent nothing yet. */
  function network(): string {
    networks += 1
    return `198.51.${Math.floor(networks / 250)}.${(networks % 250) + 1}`
  }

  async function send({ path }: Reporting, form: string, from: string): Promise<Answer> {
    const { postern } = await server()
    return postern.client().post(path, form, { headers: { ...FORM, 'x-forwarded-for': from } })
  }

  /** Sends reports over some connections, each as soon as one is free. */
  async function sendAll(org: Reporting, reports: readonly string[], from: string): Promise<Answer[]> {
    const waiting = [...reports]
    const answers: Answer[] = []
    const sendNext = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        answers.push(await send(org, next, from))
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
    return answers
  }

  async function byOpenId(): Promise<Reporting> {
    const { postern } = await server()
    issuer ??= startForgingProvider()
    const idp = await issuer
    const oidc = { issuer: idp.issuer, clientId: 'postern', clientSecret: 'a-secret' }
    const org = await acme({ createsMemberships: true, oidc })
    const people = new Map<string, string>()
    let forge: Forge | undefined
    let reports = 0
    idp.forge = (made) => {
      forge = made
      const sub = people.get(idp.lastForm.get('code') ?? '') ?? 'somebody'
      return made.sign({ ...made.claims, sub, email: sub.includes('@') ? sub : `${sub}@${org.domain}` })
    }
    return {
      id: org.id,
      path: `/v1/auth/logout/${org.id}`,
      async signIn(name) {
        const client = postern.client()
        const back = idp.authorize(await beginSso(client, { identityProviderId: org.id }))
        people.set(new URL(back, 'http://x').searchParams.get('code') ?? '', name)
        await assertSignedIn(client, await client.get(back))
        return client
      },
      async report(name, how) {
        assert.ok(forge)
        reports += 1
        const iat = Math.floor(postern.clock.now() / 1_000)
        const { iss, aud } = forge.claims
        const claims = { iss, aud, iat, exp: iat + 120, jti: `report-${reports}`, events: { [EVENT]: {} } }
        const token = await forge.sign({ ...claims, sub: name }, { typ: 'logout+jwt' })
        return `logout_token=${how === 'forged' ? `${token.slice(0, -8)}AAAAAAAA` : token}`
      },
    }
  }

  async function bySaml(): Promise<Reporting> {
    const { postern } = await server()
    const admin = await administrator(postern)
    const { name: domain } = await prove(admin)
    const idp = newSamlProvider()
    const stranger = newIdentity()
    const saml = { ...idp.saml, logoutUrl: SLO, logoutBinding: 'post' }
    const body = { kind: 'saml', name: 'Acme', saml, createsMemberships: true }
    const made = await postern.client().post('/v1/identity-providers', body, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    const destination = made.body.saml.ownLogoutUrl as string
    // The provider has it before it takes answers.
    const certificate = new URL(made.body.saml.ownSigningCertificateUrl)
    assert.equal((await postern.client().get(certificate.pathname)).status, 200)
    return {
      id: made.body.id,
      path: new URL(destination).pathname,
      async signIn(name) {
        const client = postern.client()
        const authUrl = await beginSso(client, { identityProviderId: made.body.id })
        const person = { nameId: name, attributes: { email: `${name}@${domain}` } }
        const xml = idp.answer(authUrl, person, { now: postern.clock.now() })
        await assertSignedIn(client, await bringAnswer(client, postern.client(), readRequest(authUrl), xml))
        return client
      },
      async report(nameId, how) {
        const said = logoutSaid({ issuer: idp.entityId, now: postern.clock.now(), destination, nameId })
        const message = { name: 'SAMLRequest' as const, xml: logoutRequestXml(said) }
        return signedForm(message, how === 'forged' ? stranger : idp.identity).form
      },
    }
  }

  for (const [protocol, make] of [
    ['OpenID Connect', byOpenId],
    ['SAML', bySaml],
  ] as const) {
    it(`about ${PEOPLE} people at once by ${protocol}, from one network, end all sessions of theirs, while another organization signs in`, async () => {
      const { postern } = await server()
      const org = await make()
      const names = Array.from({ length: PEOPLE }, (_, index) => `person-${index}`)
      const signedIn = names.filter((_, index) => index % (PEOPLE / SIGNED_IN) === 0)
      const clients: Client[] = []
      for (let first = 0; first < SIGNED_IN; first += SIGN_INS_AT_ONCE)
        clients.push(
          ...(await Promise.all(
            signedIn.slice(first, first + SIGN_INS_AT_ONCE).map((name) => org.signIn(name)),
          )),
        )
      assert.equal(clients.length, SIGNED_IN)
      const reports: string[] = []
      for (const name of names) reports.push(await org.report(name))
      const other = await bySaml()
      const from = network()
      // On PostgreSQL no report is followed before the row is released.
      const rows =
        engine === 'postgres'
          ? await holdRows(postern, 'identity_provider', 'id = $1', [org.id])
          : { release: async () => {} }
      try {
        const answers = sendAll(org, reports, from)
        answers.catch(() => {})
        for (let time = 0; time < 3; time += 1) await other.signIn(`visitor-${time}`)
        await rows.release()
        const refused = (await answers).filter(({ status }) => status !== 200)
        assert.deepEqual(refused.map(({ status, text }) => [status, text]).slice(0, 3), [])
      } finally {
        await rows.release()
      }
      for (const client of clients) assert.equal((await client.get('/v1/auth/session')).status, 401)
    })

    it(`by ${protocol} are refused by the limit of a network where they are forged or sent again, and cost no other network`, async () => {
      const org = await make()
      const [home, evil, again, crowd] = [network(), network(), network(), network()]
      const client = await org.signIn('ada')
      const forged = await org.report('ada', 'forged')
      for (let time = 0; time < PER_NETWORK; time += 1)
        assertError(await send(org, forged, evil), 'VALIDATION_FAILED')
      assertError(await send(org, forged, evil), 'RATE_LIMITED')
      assertError(await send(org, await org.report('ada'), evil), 'RATE_LIMITED')
      assertError(
        await send({ ...org, path: org.path.replace(/idp_.{8}/, 'idp_00000000') }, forged, evil),
        'RATE_LIMITED',
      )
      assert.equal((await client.get('/v1/auth/session')).status, 200)
      // Many at once: few more than the limit are read.
      const flood = await Promise.all(Array.from({ length: 4 * PER_NETWORK }, () => send(org, forged, crowd)))
      const read = flood.filter(({ status }) => status === 400).length
      assert.ok(read >= PER_NETWORK && read < PER_NETWORK + 4, `${read} of ${flood.length} were read`)
      // A report that was captured ends one network's share alone.
      const used = await org.report('nobody')
      assert.equal((await send(org, used, again)).status, 200)
      for (let time = 0; time < PER_NETWORK; time += 1)
        assertError(await send(org, used, again), 'VALIDATION_FAILED', { reason: 'used' })
      assertError(await send(org, used, again), 'RATE_LIMITED')
      assert.equal((await send(org, await org.report('ada'), home)).status, 200)
      assert.equal((await client.get('/v1/auth/session')).status, 401)
    })
  }
})
