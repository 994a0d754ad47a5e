import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Forge, startForgingProvider } from '../support/forging-provider.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, startPostern } from '../support/postern.ts'
import {
  assertRefused,
  assertSignedIn,
  begin,
  EVIL_TENANT,
  failures,
  newOid,
  SOCIAL_ENV,
  TENANT,
  useSocial,
  vouched,
} from '../support/social.ts'
import { forgeries } from '../support/token-forgeries.ts'

onOneEngineByDay('tokens of an identity provider', (engine) => {
  const { come, refuse, server } = useSocial(engine)

  it('63: a token that is forged in any way opens no session, and is noted', async () => {
    const { postern, google } = await server()
    const { email, accountId } = await administrator(postern)
    const claims = vouched(email)
    const rightful = await come('google', claims)
    assert.equal((await assertSignedIn(rightful.client, rightful.answer)).id, accountId)
    for (const [what, forge] of Object.entries(forgeries(`${google.issuer}/jwks-of-the-attacker`))) {
      google.forge = forge
      await refuse('UNAUTHORIZED', 'google', claims).catch((error: Error) => {
        throw new Error(`${what}: ${error.message}`, { cause: error })
      })
      assert.equal((await failures(postern))[0]?.reason, 'id_token', what)
    }
    google.forge = undefined
    assert.deepEqual(google.strayed, [], 'no address out of a token was asked')
    const repeated = await come('google', claims)
    await assertSignedIn(repeated.client, repeated.answer)
  })

  it('63: userinfo is believed in nothing, and not even asked', async () => {
    const { postern, google } = await server()
    const { email, accountId } = await administrator(postern)
    const victim = await administrator(postern)
    google.userinfo = { sub: 'another', email: victim.email, email_verified: true, hd: 'acme.test' }
    const { client, answer } = await come('google', vouched(email))
    assert.equal((await assertSignedIn(client, answer)).id, accountId)
    await refuse('UNAUTHORIZED', 'google', { sub: 'without an address' })
    assert.equal(google.asked.includes('userinfo'), false)
  })

  it('64: an answer that names another issuer opens no session', async () => {
    const { postern, google, microsoft } = await server()
    const { email } = await administrator(postern)
    for (const iss of [
      microsoft.issuer,
      'https://evil.test',
      `${google.issuer}/`,
      google.issuer.toUpperCase(),
    ]) {
      await refuse('UNAUTHORIZED', 'google', vouched(email), {}, { iss })
    }
    const named = await come('google', vouched(email), {}, { iss: google.issuer })
    await assertSignedIn(named.client, named.answer)
    const entra = { tid: TENANT, oid: newOid(), email, xms_edov: true }
    const issuerOf = (tenant: string) => microsoft.issuer.replace('{tenantid}', tenant)
    for (const iss of [issuerOf(EVIL_TENANT), microsoft.issuer, google.issuer]) {
      await refuse('UNAUTHORIZED', 'microsoft', entra, {}, { iss })
    }
    const tenant = await come('microsoft', entra, {}, { iss: issuerOf(TENANT) })
    await assertSignedIn(tenant.client, tenant.answer)
  })

  it('64: an answer without an issuer is refused if the provider’s metadata promise one', async () => {
    const naming = await startForgingProvider()
    naming.metadata = { authorization_response_iss_parameter_supported: true }
    const own = await startPostern(engine, { env: { ...SOCIAL_ENV, ...naming.env('GOOGLE') } })
    try {
      const { email } = await administrator(own)
      naming.claims = vouched(email)
      const client = own.client()
      const anonymous = await client.get(naming.authorize(await begin(client, 'google')))
      assertRefused(client, anonymous, 'UNAUTHORIZED')
      const named = naming.authorize(await begin(client, 'google'), { iss: naming.issuer })
      await assertSignedIn(client, await client.get(named))
    } finally {
      await own.stop()
      await naming.stop()
    }
  })

  it('71: a key that is new since the flow began works after one question for the keys', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    const person = vouched(email)
    await come('google', person)
    postern.clock.advance(30_000)
    const client = postern.client()
    const authUrl = await begin(client, 'google')
    await google.rotate()
    google.asked = []
    await assertSignedIn(client, await client.get(google.authorize(authUrl)))
    assert.deepEqual(google.asked, ['token', 'jwks'])
  })

  it('71: unknown keys make us ask for the keys once in 30 seconds', async () => {
    const { postern, google } = await server()
    const { email } = await administrator(postern)
    const person = vouched(email)
    using _still = postern.clock.stop()
    postern.clock.advance(30_000)
    google.forge = ({ sign, claims }: Forge) => sign(claims, { kid: crypto.randomUUID() })
    google.asked = []
    const flood = async () => {
      for (let index = 0; index < 5; index += 1) await refuse('UNAUTHORIZED', 'google', person)
    }
    await flood()
    const asked = () => google.asked.filter((endpoint) => endpoint === 'jwks').length
    assert.equal(asked(), 1)
    postern.clock.advance(29_999)
    await flood()
    assert.equal(asked(), 1)
    postern.clock.advance(1)
    await flood()
    assert.equal(asked(), 2)
    google.forge = undefined
    const { client, answer } = await come('google', person)
    await assertSignedIn(client, answer)
  })
})
