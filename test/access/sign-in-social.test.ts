import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { readConfig } from '#src/config/config.ts'
import { LIFETIME } from '#src/core/limits.ts'
import {
  accountOf,
  auditOf,
  inviteByHand,
  inviteByMail,
  mailsTo,
  membershipsOf,
  setStatus,
} from '../support/invitees.ts'
import { type OpenIdProvider, type Person, startOpenIdProvider } from '../support/openid-provider.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import {
  assertRefused,
  assertSignedIn,
  begin,
  CALLBACK,
  counts,
  identitiesOf,
  type ProviderName,
  SOCIAL_ENV,
} from '../support/social.ts'

const TENANT = '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9'

let counter = 0

/** A person at Google, in a Workspace that owns the address. */
function atGoogle(email: string, more: object = {}): Person {
  counter += 1
  return {
    sub: `google-${counter}`,
    email,
    email_verified: true,
    hd: 'acme.test',
    given_name: 'Grace',
    family_name: 'Hopper',
    ...more,
  }
}

/** A person of a Microsoft tenant that has proved that it owns the address's domain. */
function atMicrosoft(email: string, more: object = {}): Person {
  counter += 1
  const oid = `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`
  return { sub: `pairwise-${counter}`, email, tid: TENANT, oid, xms_edov: true, name: 'Alan Turing', ...more }
}

onBothEngines('social sign-in', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let google: OpenIdProvider
  let microsoft: OpenIdProvider
  let postern: Postern
  before(async () => {
    google = await startOpenIdProvider()
    microsoft = await startOpenIdProvider(`/${TENANT}/v2.0`)
    postern = await startPostern(engine, {
      env: {
        ...SOCIAL_ENV,
        ...google.env('GOOGLE'),
        ...microsoft.env('MICROSOFT'),
      },
    })
  })
  after(async () => {
    await postern.stop()
    await google.stop()
    await microsoft.stop()
  })

  /** A person's whole way through a provider, in a browser of their own. */
  async function signIn(
    provider: ProviderName,
    person: Person,
    more: object = {},
    client = postern.client(),
  ) {
    const authUrl = await begin(client, provider, more)
    const idp = provider === 'google' ? google : microsoft
    return { client, answer: await client.get(await idp.signIn(authUrl, person)) }
  }

  test('begins with an address at the provider that carries state, nonce and an S256 challenge', async () => {
    const client = postern.client()
    const answer = await client.post(
      '/v1/auth/sign-in/social',
      { provider: 'google', callbackURL: CALLBACK },
      { headers: { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' } },
    )
    assert.equal(answer.status, 200)
    const url = new URL(answer.body.authUrl)
    assert.equal(url.origin, google.issuer)
    const query = Object.fromEntries(url.searchParams)
    assert.equal(query.response_type, 'code')
    assert.equal(query.code_challenge_method, 'S256')
    assert.match(query.code_challenge ?? '', /^[\w-]{43}$/)
    assert.match(query.state ?? '', /^[\w-]{43}$/)
    assert.match(query.nonce ?? '', /^[\w-]{43}$/)
    assert.equal(query.redirect_uri, `http://localhost:${postern.env.PORT}/v1/auth/callback/google`)
    assert.match(
      answer.headers.getSetCookie().join(),
      /^social=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.doesNotMatch(postern.log(), new RegExp(query.state ?? 'no state'))
  })

  it('completes the sign-up of an invited address that Google vouches for', async () => {
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    const person = atGoogle(email)
    const { client, answer } = await signIn('google', person)
    const user = await assertSignedIn(client, answer)
    assert.equal(user.email, email)
    assert.equal(user.status, 'active')
    assert.equal(user.emailVerified, true)
    assert.deepEqual([user.firstName, user.lastName], ['Grace', 'Hopper'])
    assert.ok(user.termsAcceptedAt)
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.deepEqual(await identitiesOf(postern, user.id), [`google ${person.sub}`])
    assert.equal((await auditOf(postern, email, 'identity.linked')).length, 1)
    assert.match((await postern.mailbox.next(email)).subject, /Sign-in with Google was added/)
    const token = await client.get('/v1/auth/token')
    assert.equal(token.status, 200)
  })

  it('signs a known person in again, links nothing twice and accepts what they were invited to since', async () => {
    const email = newEmail('grace')
    await inviteByMail(postern, await administrator(postern), email)
    const person = atGoogle(email)
    await signIn('google', person)
    await inviteByMail(postern, await administrator(postern), email)
    const { client, answer } = await signIn('google', person)
    const user = await assertSignedIn(client, answer)
    assert.equal(user.organizations.length, 2)
    assert.equal((await auditOf(postern, email, 'identity.linked')).length, 1)
    const letters = (await mailsTo(postern, email)).filter(({ subject }) => /was added/.test(subject))
    assert.equal(letters.length, 1)
  })

  it('links an identity to the account of its verified address, whose password goes on working', async () => {
    const { email, accountId } = await administrator(postern)
    const { client, answer } = await signIn('microsoft', atMicrosoft(email))
    const user = await assertSignedIn(client, answer)
    assert.equal(user.id, accountId)
    assert.equal((await signInByPassword(email)).status, 200)
    const other = await signIn('google', atGoogle(email))
    assert.equal((await assertSignedIn(other.client, other.answer)).id, accountId)
    assert.equal((await identitiesOf(postern, accountId)).length, 2)
  })

  it('takes a never proven account from whoever set it up before its owner came', async () => {
    const { email, token } = await inviteByHand(postern, await administrator(postern))
    const attacker = postern.client()
    const taken = await attacker.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: token }))
    assert.equal(taken.status, 201)
    assert.equal(taken.body.user.emailVerified, false)
    const { client, answer } = await signIn('google', atGoogle(email))
    const user = await assertSignedIn(client, answer)
    assert.equal(user.emailVerified, true)
    assert.equal((await attacker.get('/v1/auth/session')).status, 401)
    assert.equal((await signInByPassword(email)).status, 401)
    assert.equal((await identitiesOf(postern, user.id)).length, 1)
  })

  it('accepts the invitation whose token comes along, when it is for the verified address', async () => {
    const { email, token } = await inviteByHand(postern, await administrator(postern))
    const { client, answer } = await signIn('google', atGoogle(email), { invitationToken: token })
    assert.equal((await assertSignedIn(client, answer)).organizations.length, 1)
  })

  test('refuses a disabled account, whether it knows the identity or not', async () => {
    const { email } = await administrator(postern)
    const person = atGoogle(email)
    await signIn('google', person)
    await setStatus(postern, email, 'disabled')
    const known = await signIn('google', person)
    assertRefused(known.client, known.answer, 'UNAUTHORIZED')
    const unknown = await signIn('google', atGoogle(email))
    assertRefused(unknown.client, unknown.answer, 'UNAUTHORIZED')
    assert.equal((await auditOf(postern, email, 'sign_in.failed')).length, 2)
  })

  test('believes an address of a directory when it is marked or primary, and no other', async () => {
    const { email } = await administrator(postern)
    const before = await counts(postern)
    const { client, answer } = await signIn('microsoft', atMicrosoft(email, { xms_edov: undefined }))
    assertRefused(client, answer, 'UNAUTHORIZED')
    assert.deepEqual(await counts(postern), before)
    const primary = await signIn(
      'microsoft',
      atMicrosoft(email, { xms_edov: undefined, verified_primary_email: [email.toUpperCase()] }),
    )
    await assertSignedIn(primary.client, primary.answer)
  })

  test('names a person by what the provider knows', async () => {
    const admin = await administrator(postern)
    const cases: [object, string | null, string | null][] = [
      [{ name: 'Ada King Lovelace', given_name: undefined, family_name: undefined }, 'Ada', 'King Lovelace'],
      [{ given_name: 'Plato', family_name: undefined }, 'Plato', ''],
      [{ given_name: 'A'.repeat(300), family_name: 'x\r\ny' }, 'A'.repeat(100), 'x y'],
    ]
    for (const [claims, firstName, lastName] of cases) {
      const { email } = await inviteByMail(postern, admin)
      const { client, answer } = await signIn('google', atGoogle(email, claims))
      const user = await assertSignedIn(client, answer)
      assert.deepEqual([user.firstName, user.lastName], [firstName, lastName])
    }
    const { email } = await inviteByMail(postern, admin)
    const nameless = await signIn(
      'google',
      atGoogle(email, { given_name: undefined, family_name: undefined }),
    )
    const user = await assertSignedIn(nameless.client, nameless.answer)
    assert.deepEqual([user.firstName, user.lastName], [email.split('@')[0], ''])
  })

  test('goes back to callbackURL with the error where there is no errorCallbackURL', async () => {
    const client = postern.client()
    const authUrl = await begin(client, 'google', { errorCallbackURL: undefined })
    const answer = await client.get(await google.signIn(authUrl, atGoogle(newEmail('stranger'))))
    assert.equal(answer.status, 302)
    const location = new URL(answer.headers.get('location') ?? '')
    assert.equal(location.origin + location.pathname, CALLBACK)
    assert.equal(location.searchParams.get('error'), 'FORBIDDEN')
  })

  test('sends a person back who said no at the provider', async () => {
    const client = postern.client()
    const state = new URL(await begin(client, 'google')).searchParams.get('state')
    const iss = encodeURIComponent(google.issuer)
    const answer = await client.get(`/v1/auth/callback/google?error=access_denied&state=${state}&iss=${iss}`)
    assertRefused(client, answer, 'UNAUTHORIZED')
  })

  test('tells trouble at the provider from a no', async () => {
    const client = postern.client()
    const state = new URL(await begin(client, 'google')).searchParams.get('state')
    const iss = encodeURIComponent(google.issuer)
    const answer = await client.get(`/v1/auth/callback/google?error=server_error&state=${state}&iss=${iss}`)
    assertRefused(client, answer, 'INTEGRATION_PROVIDER_ERROR')
  })

  test('lets one browser sign in from two tabs at once', async () => {
    const { email } = await administrator(postern)
    const person = atGoogle(email)
    const client = postern.client()
    const tabs = [await begin(client, 'google'), await begin(client, 'google')]
    for (const authUrl of tabs.reverse()) {
      await assertSignedIn(client, await client.get(await google.signIn(authUrl, person)))
    }
  })

  it('links once when the same person comes back twice at the same time', async () => {
    const { email, accountId } = await administrator(postern)
    const person = atGoogle(email)
    const flows = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = postern.client()
        return { client, callback: await google.signIn(await begin(client, 'google'), person) }
      }),
    )
    const answers = await Promise.all(flows.map(({ client, callback }) => client.get(callback)))
    for (const [index, { client }] of flows.entries()) await assertSignedIn(client, answers[index] as never)
    assert.equal((await identitiesOf(postern, accountId)).length, 1)
    assert.equal((await auditOf(postern, email, 'identity.linked')).length, 1)
  })

  it('signs in one of the same person’s first two sign-ins at least, and never makes two accounts', async () => {
    const { email } = await inviteByMail(postern, await administrator(postern))
    const person = atGoogle(email)
    const flows = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = postern.client()
        return { client, callback: await google.signIn(await begin(client, 'google'), person) }
      }),
    )
    const answers = await Promise.all(flows.map(({ client, callback }) => client.get(callback)))
    assert.ok(answers.every(({ status }) => status === 302))
    assert.ok(answers.some(({ headers }) => headers.get('location') === CALLBACK))
    const account = await accountOf(postern, email)
    assert.equal((await identitiesOf(postern, account?.id ?? '')).length, 1)
  })

  test('knows two providers, and only where it is told of them', async () => {
    const client = postern.client()
    const unknown = await client.post('/v1/auth/sign-in/social', {
      provider: 'github',
      callbackURL: CALLBACK,
    })
    assert.equal(unknown.status, 400)
    assert.equal(unknown.body.error.code, 'VALIDATION_FAILED')
    assert.equal(unknown.body.error.details.field, 'provider')
    const callback = await client.get('/v1/auth/callback/github?state=x&code=y')
    assert.equal(callback.body.error.code, 'VALIDATION_FAILED')
    assert.equal(callback.body.error.details.field, 'provider')
    const plain = await startPostern(engine, { env: SOCIAL_ENV })
    try {
      for (const provider of ['google', 'microsoft']) {
        const answer = await plain
          .client()
          .post('/v1/auth/sign-in/social', { provider, callbackURL: CALLBACK })
        assert.equal(answer.status, 400)
        assert.equal(answer.body.error.code, 'VALIDATION_FAILED')
        assert.equal(answer.body.error.details.field, 'provider')
      }
    } finally {
      await plain.stop()
    }
  })

  test('speaks plain http to nobody but this machine', () => {
    const env = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }
    assert.throws(
      () => readConfig({ ...env, GOOGLE_ISSUER: 'http://id.test' }),
      /GOOGLE_ISSUER must start with https/,
    )
    assert.equal(readConfig({ ...env, GOOGLE_ISSUER: 'http://127.0.0.1:1' }).access.social[0]?.clientId, 'id')
  })

  test('returns only to origins that it is told of', async () => {
    for (const field of ['callbackURL', 'errorCallbackURL']) {
      for (const url of [
        'https://evil.test/',
        'https://app.acme.test.evil.test/',
        '/relative',
        'javascript:1',
      ]) {
        const answer = await postern
          .client()
          .post('/v1/auth/sign-in/social', { provider: 'google', callbackURL: CALLBACK, [field]: url })
        assert.equal(answer.status, 400, url)
        assert.equal(answer.body.error.code, 'VALIDATION_FAILED')
        assert.equal(answer.body.error.details.field, field)
      }
    }
  })

  it('forgets what did not come back in time', async () => {
    const client = postern.client()
    await begin(client, 'google')
    postern.clock.advance(LIFETIME.socialState)
    await begin(client, 'google')
    const rows = await postern.app.database.db.selectFrom('social_state').selectAll().execute()
    assert.equal(rows.length, 1)
  })

  function signInByPassword(email: string) {
    return postern.client().post('/v1/auth/sign-in/email', { email, password: PASSWORD })
  }
})
