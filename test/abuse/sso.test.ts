import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { type ForgingProvider, startForgingProvider } from '../support/forging-provider.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { assertRefused, assertSignedIn, assertUnknownState, counts, failures } from '../support/social.ts'
import { type Acme, askSso, beginSso, useSso } from '../support/sso.ts'
import { forgeries } from '../support/token-forgeries.ts'

onBothEngines('identity providers of organizations that mean harm', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, acme: newAcme } = useSso(engine)
  const running: ForgingProvider[] = []
  after(() => Promise.all(running.map((one) => one.stop())))

  /** An organization whose identity provider forges. */
  async function scene(): Promise<{ idp: ForgingProvider; acme: Acme }> {
    const idp = await startForgingProvider()
    running.push(idp)
    const oidc = { issuer: idp.issuer, clientId: 'postern', clientSecret: 'a-secret' }
    return { idp, acme: await newAcme({ oidc, createsMemberships: true }) }
  }

  test('98: a token that is forged in any way opens no session of an organization', async () => {
    const { postern } = await server()
    const { idp, acme } = await scene()
    const email = acme.email()
    idp.claims = { sub: 'grace', email, email_verified: true }
    const come = async () => {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: acme.id })
      return { client, answer: await client.get(idp.authorize(authUrl)) }
    }
    const rightful = await come()
    await assertSignedIn(rightful.client, rightful.answer)
    const rows = await counts(postern)
    for (const [what, forge] of Object.entries(forgeries(`${idp.issuer}/jwks-of-the-attacker`))) {
      idp.forge = forge
      const { client, answer } = await come()
      await Promise.resolve()
        .then(() => assertRefused(client, answer, 'UNAUTHORIZED'))
        .catch((error: Error) => {
          throw new Error(`${what}: ${error.message}`, { cause: error })
        })
      assert.equal((await failures(postern))[0]?.reason, 'id_token', what)
    }
    assert.deepEqual(await counts(postern), rows)
    assert.deepEqual(idp.strayed, [], 'no address out of a token was asked')
  })

  it('99: an answer of one provider is no answer of another, in this browser or in one that has not asked', async () => {
    const { postern } = await server()
    const theirs = await scene()
    const evil = await scene()
    const email = theirs.acme.email()
    for (const { idp } of [theirs, evil]) idp.claims = { sub: 'grace', email, email_verified: true }
    const client = postern.client()
    const authUrl = await beginSso(client, { identityProviderId: evil.acme.id })
    const callback = evil.idp.authorize(authUrl)
    assertUnknownState(client, await client.get(callback.replace(evil.acme.id, theirs.acme.id)))
    const stranger = postern.client()
    assertUnknownState(stranger, await stranger.get(callback))
    // Forged answers do not use up the state; the valid answer is refused by the rules of admission.
    assertRefused(client, await client.get(callback), 'FORBIDDEN')
    assertUnknownState(client, await client.get(callback))
  })

  test('100: metadata send no browser to a script, and name no other issuer', async () => {
    const { postern } = await server()
    for (const [metadata, reason] of [
      [{ authorization_endpoint: 'javascript://localhost/%0aalert(1)' }, 'no_endpoints'],
      [{ authorization_endpoint: 'http://login.acme.test/' }, 'no_endpoints'],
      [{ issuer: 'https://accounts.google.com' }, 'foreign_issuer'],
      [{ jwks_uri: undefined }, 'no_keys'],
    ] as const) {
      const { idp, acme } = await scene()
      idp.metadata = metadata
      const answer = await askSso(postern.client(), { identityProviderId: acme.id })
      assertError(answer, 'INTEGRATION_PROVIDER_ERROR', { reason })
    }
  })

  test('101: keys and tokens are not fetched from private networks that metadata name', async () => {
    const { postern } = await server()
    const { idp, acme } = await scene()
    idp.claims = { sub: 'grace', email: acme.email(), email_verified: true }
    for (const metadata of [
      { token_endpoint: 'https://10.0.0.1/token' },
      { jwks_uri: 'https://169.254.169.254/keys' },
    ]) {
      const another = await scene()
      another.idp.claims = idp.claims
      another.idp.metadata = metadata
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: another.acme.id })
      assertRefused(client, await client.get(another.idp.authorize(authUrl)), 'INTEGRATION_PROVIDER_ERROR')
    }
  })
})
