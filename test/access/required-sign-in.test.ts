import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askMagicLink, askReset, assertError } from '../support/attacks.ts'
import type { Answer, Client } from '../support/browser.ts'
import { type Authenticator, enrolTotp } from '../support/factors.ts'
import { accountOf, inviteByHand, inviteByMail, membershipsOf } from '../support/invitees.ts'
import {
  authorizeRequest,
  connect,
  openRequest,
  redeem,
  refresh,
  registerClient,
  type Tokens,
} from '../support/oauth.ts'
import {
  administrator,
  apiKey,
  changeRole,
  member,
  PASSWORD,
  type Person,
  signUpBody,
} from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  postern as runCommand,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { assertSignedIn, begin } from '../support/social.ts'
import { type Acme, atProvider, useSso } from '../support/sso.ts'

/** What comes of a door: the organization is open, or the reason why not. */
type Outcome = 'open' | 'organization_sign_in_required' | 'UNAUTHORIZED' | 'invalid_grant'

interface Somebody extends Person {
  factor: Authenticator | undefined
  /** What the person had before the organization made its demand. */
  before: { token: string; session: Client; grant: Tokens }
}

const GOOGLE = { GOOGLE_CLIENT_ID: 'postern', GOOGLE_CLIENT_SECRET: 'postern-secret-at-the-provider' }

onBothEngines('a required sign-in', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, acme, signIn, loseDomain } = useSso(engine, ({ issuer }) => ({
    ...GOOGLE,
    GOOGLE_ISSUER: issuer,
  }))

  /** What a person who has come through a door gets of the organization. */
  const outcomeOf = ({ status, body }: Answer): Outcome => {
    if (status === 200) return 'open'
    return body.error.details?.reason ?? body.error.code ?? body.error
  }
  const tokenFor = async (client: Client, { organizationId }: Acme): Promise<Outcome> =>
    outcomeOf(await client.get(`/v1/auth/token?organizationId=${organizationId}`))

  /** Shows the second factor, where the person has one. */
  async function showFactor(client: Client, { factor }: Somebody): Promise<void> {
    if (factor === undefined) return
    const shown = await client.post('/v1/auth/sign-in/second-factor', { code: factor.code() })
    assert.equal(shown.status, 200, shown.text)
  }

  async function byPassword(person: Somebody, org: Acme): Promise<Outcome> {
    const { postern } = await server()
    const client = postern.client()
    await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    await showFactor(client, person)
    return tokenFor(client, org)
  }

  /** Every door, and the credentials from before. */
  const DOORS: Record<string, (person: Somebody, org: Acme) => Promise<Outcome>> = {
    password: byPassword,
    async Google(person, org) {
      const { postern, openId } = await server()
      const client = postern.client()
      const authUrl = await begin(client, 'google')
      const subject = {
        sub: `google-${person.email}`,
        email: person.email,
        email_verified: true,
        hd: org.domain,
      }
      await client.get(await openId.signIn(authUrl, subject))
      await showFactor(client, person)
      return tokenFor(client, org)
    },
    async 'a mailed link'(person, org) {
      const { postern } = await server()
      const { client, token } = await askMagicLink(postern, person.email)
      await client.post('/v1/auth/magic-link/verify', { token })
      await showFactor(client, person)
      return tokenFor(client, org)
    },
    async 'a session of before'({ before }, org) {
      return tokenFor(before.session, org)
    },
    async 'a token of before'({ before }) {
      const { postern } = await server()
      return outcomeOf(await postern.client().get('/v1/events', { token: before.token }))
    },
    async 'a grant of before'({ before }) {
      const { postern } = await server()
      return outcomeOf(await postern.client().get('/v1/webhooks', { token: before.grant.access }))
    },
    async 'a refresh token of before'({ before }) {
      const { postern } = await server()
      return outcomeOf(await refresh(postern, before.grant.client, before.grant.refresh))
    },
    async 'consent to an application'(person, org) {
      const { postern } = await server()
      const client = postern.client()
      await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
      await showFactor(client, person)
      const request = authorizeRequest(postern, await registerClient(postern))
      const id = await openRequest(client, request)
      const { organizationId } = org
      return outcomeOf(await client.post(`/v1/auth/authorizations/${id}`, { allow: true, organizationId }))
    },
    async 'the provider of the organization'(person, org) {
      const { client, answer } = await signIn(atProvider(person.email), { identityProviderId: org.id })
      assert.equal(answer.status, 302)
      await showFactor(client, person)
      return tokenFor(client, org)
    },
    // Last: it ends what the person has.
    async 'a reset password'(person, org) {
      const { postern } = await server()
      const token = await askReset(postern, person.email)
      const reset = await postern.client().post('/v1/auth/reset-password', { token, newPassword: PASSWORD })
      assert.equal(reset.status, 200, reset.text)
      return byPassword(person, org)
    },
  }

  async function somebody(person: Person, hasFactor: boolean): Promise<Somebody> {
    const { postern } = await server()
    const factor = hasFactor ? await enrolTotp(postern, person) : undefined
    const grant = await connect(postern, person)
    const session = person.client
    return { ...person, factor, before: { token: person.token, session, grant } }
  }

  const refused = 'organization_sign_in_required'
  const OF_BEFORE: Record<string, Outcome> = {
    'a token of before': 'UNAUTHORIZED',
    'a grant of before': 'UNAUTHORIZED',
    'a refresh token of before': 'invalid_grant',
    'the provider of the organization': 'open',
  }
  for (const required of [false, true]) {
    for (const kind of ['a member', 'an administrator', 'an exception with a second factor']) {
      // The result depends on the person and not on the engine, so by day one case runs on both.
      const declare = required && kind === 'a member' ? it : test
      declare(`${required ? '' : 'that is not asked for '}and ${kind}: every door`, async () => {
        const { postern } = await server()
        const org = await acme()
        const { admin } = org
        const people: Record<string, Somebody> = {
          'an exception with a second factor': await somebody(
            await member(postern, admin, 'administrator', org.email()),
            true,
          ),
          'a member': await somebody(await member(postern, admin, 'member', org.email()), false),
          'an administrator': await somebody(
            await member(postern, admin, 'administrator', org.email()),
            false,
          ),
        }
        const person = people[kind] as Somebody
        const exceptions = [people['an exception with a second factor']?.accountId]
        if (required) assert.equal((await demand(org, { required: true, exceptions })).status, 200)
        const isOpen = !required || kind === 'an exception with a second factor'
        const outcomes: Record<string, Outcome> = {}
        const expected: Record<string, Outcome> = {}
        for (const [door, open] of Object.entries(DOORS)) {
          outcomes[door] = await open(person, org)
          expected[door] = isOpen ? 'open' : (OF_BEFORE[door] ?? refused)
        }
        assert.deepEqual(outcomes, expected)
      })
    }
  }

  async function demand(
    { admin, organizationId }: Acme,
    more: object = { required: true, exceptions: [admin.accountId] },
  ): Promise<Answer> {
    const { postern } = await server()
    const path = `/v1/organizations/${organizationId}`
    return postern.client().patch(path, { signIn: more }, { token: admin.token })
  }

  it('is shown, and takes a provider and an exception that has a second factor', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, organizationId, id } = org
    const plain = await member(postern, admin)
    assertError(await demand(org), 'VALIDATION_FAILED', { reason: 'no_second_factor' })
    assertError(await demand(org, { required: true }), 'VALIDATION_FAILED', { reason: 'no_second_factor' })
    await enrolTotp(postern, admin)
    const other = { required: true, exceptions: [admin.accountId, plain.accountId] }
    assertError(await demand(org, other), 'VALIDATION_FAILED', { reason: 'not_an_administrator' })
    const path = `/v1/identity-providers/${id}`
    const client = postern.client()
    const { token } = admin
    assert.equal((await client.patch(path, { status: 'disabled' }, { token })).status, 200)
    assertError(await demand(org), 'FORBIDDEN', { reason: 'no_identity_provider' })
    assert.equal((await client.patch(path, { status: 'active' }, { token })).status, 200)
    const signInOf = (body: Answer['body']) => body.signIn
    assert.deepEqual(signInOf((await demand(org)).body), { required: true, exceptions: [admin.accountId] })
    const [listed] = (await client.get('/v1/organizations', { token })).body.data
    assert.deepEqual(
      [listed.id, listed.signIn],
      [organizationId, { required: true, exceptions: [admin.accountId] }],
    )
    for (const end of [
      () => client.patch(path, { status: 'disabled' }, { token }),
      () => client.delete(path, { token }),
    ])
      assertError(await end(), 'FORBIDDEN', { reason: 'sign_in_required' })
    assert.deepEqual(signInOf((await demand(org, { required: false })).body), {
      required: false,
      exceptions: [],
    })
    assert.equal((await client.delete(path, { token })).status, 204)
  })

  test('keeps an exception that can sign in', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, organizationId } = org
    await enrolTotp(postern, admin)
    const second = await member(postern, admin, 'administrator')
    assert.equal((await demand(org)).status, 200)
    const client = postern.client()
    const key = await apiKey(postern, admin)
    const path = `/v1/organizations/${organizationId}/members/${admin.accountId}`
    const reason = 'last_exception'
    assertError(await client.patch(path, { role: 'member' }, { token: key }), 'FORBIDDEN', { reason })
    assertError(await client.delete(path, { token: key }), 'FORBIDDEN', { reason })
    // One without a second factor could not come in.
    const both = { required: true, exceptions: [admin.accountId, second.accountId] }
    assert.equal((await demand(org, both)).status, 200)
    assertError(await client.delete(path, { token: key }), 'FORBIDDEN', { reason })
    await enrolTotp(postern, second)
    await changeRole(postern, { ...admin, token: key }, admin, 'member')
    const [{ signIn }] = (await client.get('/v1/organizations', { token: key })).body.data
    assert.deepEqual(signIn.exceptions, [second.accountId])
  })

  it('leaves its last exception a second factor, whoever is to remove it', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, organizationId } = org
    const factor = await enrolTotp(postern, admin)
    const second = await member(postern, admin, 'administrator')
    const key = await apiKey(postern, admin)
    assert.equal((await demand(org)).status, 200)
    const client = postern.client()
    const operator = { token: OPERATOR_TOKEN }
    const all = `/v1/operator/accounts/${admin.accountId}/factors`
    const last = { reason: 'last_exception', organizationId }
    const remove: (() => Promise<Answer>)[] = [
      () => admin.client.delete(`/v1/auth/factors/${factor.factorId}`),
      () => client.delete(all, operator),
      () =>
        client.delete(`/v1/organizations/${organizationId}/members/${admin.accountId}/factors`, {
          token: key,
        }),
    ]
    for (const by of remove) assertError(await by(), 'FORBIDDEN', last)
    const command = await runCommand(postern, 'account', '--email', admin.email, '--remove-factors')
    assert.equal(command.code, 1)
    assert.match(command.err, /signInRequired/)
    assert.equal(await tokenFor(admin.client, org), 'open')
    // A second exception without a factor does not count, because it could not sign in.
    const exceptions = [admin.accountId, second.accountId]
    assert.equal((await demand(org, { required: true, exceptions })).status, 200)
    assertError(await client.delete(all, operator), 'FORBIDDEN', last)
    // The operator ends the demand, and can then remove the factor.
    const path = `/v1/operator/organizations/${organizationId}`
    assert.equal((await client.patch(path, { signInRequired: false }, operator)).status, 200)
    assert.deepEqual((await client.delete(all, operator)).body, { removedFactors: 1 })
  })

  it('lets one of two exceptions remove the second factor, also where both do at once', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin } = org
    const second = await member(postern, admin, 'administrator')
    const people = [admin, second]
    const factors = await Promise.all(people.map((one) => enrolTotp(postern, one)))
    const exceptions = people.map(({ accountId }) => accountId)
    assert.equal((await demand(org, { required: true, exceptions })).status, 200)
    const answers = await Promise.all(
      people.map(({ client }, at) => client.delete(`/v1/auth/factors/${factors[at]?.factorId}`)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 403])
    const refusedOne = answers.find(({ status }) => status === 403) as Answer
    assertError(refusedOne, 'FORBIDDEN', { reason: 'last_exception' })
  })

  test('is no matter to keys, and to other organizations of a member', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin } = org
    await enrolTotp(postern, admin)
    const key = await apiKey(postern, admin)
    const person = await member(postern, admin)
    const other = await administrator(postern)
    await inviteByMail(postern, other, person.email)
    assert.equal((await demand(org)).status, 200)
    assert.equal((await postern.client().get('/v1/events', { token: key })).status, 200)
    const client = postern.client()
    const signedIn = await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    assert.equal(signedIn.status, 200, signedIn.text)
    // The one that asks for nothing is chosen.
    assert.equal((await client.get('/v1/auth/token')).status, 200)
    assert.equal(await tokenFor(client, org), refused)
  })

  it('lets no invitation be accepted by another door', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, organizationId } = org
    await enrolTotp(postern, admin)
    const mailed = await inviteByMail(postern, admin, org.email())
    const handed = await inviteByHand(postern, admin)
    assert.equal((await demand(org)).status, 200)
    const client = postern.client()
    for (const { email, token } of [mailed, handed]) {
      const reason = 'organization_sign_in_required'
      const details = { reason, organizationId }
      assertError(await client.get(`/v1/invitations/preview?token=${token}`), 'FORBIDDEN', details)
      const body = signUpBody(email, { invitationToken: token })
      assertError(await client.post('/v1/auth/sign-up/email', body), 'FORBIDDEN', details)
      assertError(await client.post('/v1/auth/sign-up/email', signUpBody(email)), 'FORBIDDEN', {
        reason: 'invitation_required',
      })
      assert.equal((await accountOf(postern, email))?.status, 'inactive')
    }
    // A member of another one is invited, and signs in there.
    const other = await administrator(postern)
    await inviteByMail(postern, admin, other.email)
    const own = postern.client()
    assert.equal(
      (await own.post('/v1/auth/sign-in/email', { email: other.email, password: PASSWORD })).status,
      200,
    )
    assert.deepEqual(await membershipsOf(postern, other.email), [other.organizationId])
    const entered = await signIn(atProvider(mailed.email), { organizationId })
    await assertSignedIn(entered.client, entered.answer)
    assert.deepEqual(await membershipsOf(postern, mailed.email), [organizationId])
  })

  test('is ended by the operator where all else fails', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, organizationId } = org
    await enrolTotp(postern, admin)
    const person = await member(postern, admin)
    assert.equal((await demand(org)).status, 200)
    const path = `/v1/operator/organizations/${organizationId}`
    const call = { token: OPERATOR_TOKEN }
    const client = postern.client()
    assertError(await client.patch(path, { signInRequired: true }, call), 'VALIDATION_FAILED')
    // A repeated request changes nothing, and is not in the audit log.
    for (let time = 0; time < 2; time += 1)
      assert.equal((await client.patch(path, { signInRequired: false }, call)).status, 200)
    const log = await client.get('/v1/audit-log?action=organization.sign_in_changed', { token: admin.token })
    assert.deepEqual(
      log.body.data.map(({ details }: { details: { required: boolean } }) => details.required),
      [false, true],
    )
    await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    assert.equal(await tokenFor(client, org), 'open')
    // What was ended stays ended.
    assert.equal(await tokenFor(person.client, org), 'UNAUTHORIZED')
  })

  it('tells an application who a person is only as long as the domain is proven', async () => {
    const { postern } = await server()
    for (const expected of ['own_sign_in_required', 'open'] as const) {
      const org = await acme()
      const subject = atProvider(org.email())
      await signIn(subject, { identityProviderId: org.id })
      if (expected !== 'open') await loseDomain(org)
      const { client, answer } = await signIn(subject, { identityProviderId: org.id })
      await assertSignedIn(client, answer)
      const application = await registerClient(postern)
      const request = authorizeRequest(postern, application, { scope: 'openid email webhooks:read' })
      const id = await openRequest(client, request)
      const decision = { allow: true, organizationId: org.organizationId }
      const decided = await client.post(`/v1/auth/authorizations/${id}`, decision)
      assert.equal(outcomeOf(decided), expected)
      if (expected !== 'open') continue
      const at = new URL(
        (await client.get(new URL(decided.body.redirectTo).pathname)).headers.get('location') ?? '',
      )
      const tokens = await redeem(postern, application, request, at)
      assert.equal(tokens.status, 200, tokens.text)
      const { access_token: token } = tokens.body
      assert.equal((await postern.client().get('/v1/webhooks', { token })).status, 200)
      const path = `/v1/identity-providers/${org.id}`
      const ended = await postern.client().patch(path, { status: 'disabled' }, { token: org.admin.token })
      assert.equal(ended.status, 200, ended.text)
      assertError(await postern.client().get('/v1/webhooks', { token }), 'UNAUTHORIZED')
    }
  })
})
