import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { inviteByMail, membershipsOf } from '../support/invitees.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts'
import { administrator, newEmail } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import { assertRefused, assertSignedIn, begin, counts, identitiesOf, SOCIAL_ENV } from '../support/social.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
const file = join(folder, 'social.json')
after(() => rmSync(folder, { recursive: true, force: true }))

/** Writes the file of providers. @returns the settings that name it */
function social(providers: unknown, more: Record<string, string> = {}): Record<string, string> {
  writeFileSync(file, typeof providers === 'string' ? providers : JSON.stringify({ providers }))
  return { SOCIAL_PROVIDERS_FILE: file, ...more }
}

onBothEngines('an OpenID provider that the operator adds for the members of all organizations', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let acme: OpenIdProvider
  let other: OpenIdProvider
  let postern: Postern
  before(async () => {
    acme = await startOpenIdProvider()
    other = await startOpenIdProvider('/realms/other')
    const entry = ({ oidc: { issuer, clientId } }: OpenIdProvider) => ({
      ...{ issuer, clientId, clientSecretVariable: 'ACME_ID_SECRET' },
    })
    postern = await startPostern(engine, {
      env: {
        ...SOCIAL_ENV,
        ...social({ 'acme-id': { label: 'Acme ID', ...entry(acme) }, other: entry(other) }),
        ACME_ID_SECRET: acme.oidc.clientSecret,
      },
    })
  })
  after(async () => {
    await postern.stop()
    await acme.stop()
    await other.stop()
  })

  async function signIn(idp: OpenIdProvider, sub: string, claims: object) {
    const client = postern.client()
    const authUrl = await begin(client, (idp === acme ? 'acme-id' : 'other') as never)
    return { client, answer: await client.get(await idp.signIn(authUrl, { sub, ...claims })) }
  }

  it('completes the sign-up of an invited address that it has verified, and knows the person again by `sub`', async () => {
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    const claims = { email, email_verified: true, given_name: 'Grace', family_name: 'Hopper' }
    const first = await signIn(acme, 'grace', claims)
    const user = await assertSignedIn(first.client, first.answer)
    assert.deepEqual([user.email, user.firstName, user.status], [email, 'Grace', 'active'])
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.deepEqual(await identitiesOf(postern, user.id), ['acme-id grace'])
    assert.match((await postern.mailbox.next(email)).subject, /Sign-in with Acme ID was added/)
    const moved = await signIn(acme, 'grace', { email: newEmail('moved'), email_verified: true })
    assert.equal((await assertSignedIn(moved.client, moved.answer)).id, user.id)
  })

  test('opens no account by an address that it has not verified, or by the `sub` of another provider', async () => {
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    const before = await counts(postern)
    for (const email_verified of [false, 'true', undefined]) {
      const { client, answer } = await signIn(acme, `${email_verified}`, { email, email_verified })
      assertRefused(client, answer, 'UNAUTHORIZED')
    }
    assert.deepEqual(await counts(postern), before)
    const good = await signIn(acme, 'shared-sub', { email, email_verified: true })
    await assertSignedIn(good.client, good.answer)
    const twin = await signIn(other, 'shared-sub', { email: newEmail('twin'), email_verified: true })
    assertRefused(twin.client, twin.answer, 'FORBIDDEN')
  })

  test('is a button of the page for signing in, by its label or its name', async () => {
    const page = await postern.client().get('/sign-in')
    assert.match(page.text, /Acme ID/)
    assert.match(page.text, /data-provider="acme-id"/)
    assert.match(page.text, /data-provider="other"/)
    const unknown = await postern.client().post('/v1/auth/sign-in/social', {
      ...{ provider: 'google', callbackURL: 'https://app.acme.test/' },
    })
    assert.equal(unknown.body.error.details.reason, 'not_configured', unknown.text)
  })
})

describe('the file of providers for the members of all organizations', () => {
  const GOOD = { issuer: 'https://id.acme.test', clientId: 'postern', clientSecretVariable: 'ACME_ID_SECRET' }

  it('is refused at the start with everything that is wrong in it, each with its place, and without a secret', () => {
    const providers = {
      google: GOOD,
      'Not A Name': GOOD,
      nothing: {},
      plain: { ...GOOD, issuer: 'http://id.acme.test' },
      unset: { ...GOOD, clientSecretVariable: 'ANOTHER_SECRET' },
      hidden: { ...GOOD, label: 'Acme\u202e' },
      more: { ...GOOD, clientSecret: 'in-the-file' },
    }
    const problems = problemsOf(social(providers, { ACME_ID_SECRET: 'a-secret' }))
    for (const [name, said] of [
      ['google', /has variables of its own: GOOGLE_CLIENT_ID/],
      ['Not A Name', /./],
      ['nothing', /must have an issuer/],
      ['nothing', /must have a clientSecretVariable/],
      ['plain', /https/],
      ['unset', /ANOTHER_SECRET/],
      ['hidden', /must be a text of one line and at most 64 characters/],
      ['more', /clientSecret/],
    ] as const)
      assert.ok(
        problems.some((line) => line.includes(name) && said.test(line)),
        `${name} ${said}: ${problems.join('\n')}`,
      )
    assert.doesNotMatch(problems.join(), /a-secret|in-the-file/)
    assert.match(problemsOf(social('{')).join(), /^SOCIAL_PROVIDERS_FILE is not JSON/)
    assert.deepEqual(problemsOf(social({ 'acme-id': GOOD }, { ACME_ID_SECRET: 'a-secret' })), [])
  })

  function problemsOf(env: Record<string, string>): string[] {
    try {
      readConfig(env)
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
  }
})
