import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { SECOND } from '#src/core/clock.ts'
import { issueFirstStartLink } from '#src/store/first-start-link.ts'
import { askMagicLink, askReset, assertError, mailAbout, signIn } from '../support/attacks.ts'
import type { Answer, Client } from '../support/browser.ts'
import { assertHalfIn, enrolTotp } from '../support/factors.ts'
import { inviteByMail, membershipsOf } from '../support/invitees.ts'
import {
  askByDevice,
  authorizeRequest,
  connect,
  openRequest,
  refresh,
  registerClient,
} from '../support/oauth.ts'
import { administrator, newEmail, PASSWORD, type Person, signUpBody, tokenOf } from '../support/people.ts'
import {
  freshStore,
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { useSocial, vouched } from '../support/social.ts'

type Social = ReturnType<typeof useSocial>
interface Stage {
  postern: Postern
  social: Social
}
interface Came {
  client: Client
  answer: Answer
}

const VERIFY = '/v1/auth/magic-link/verify'
const SECOND_FACTOR = '/v1/auth/sign-in/second-factor'

/** The files of `src/access` that begin a session, each with its door in the tests below, or its own test. */
const FILES: Record<string, string> = {
  'sign-in/sign-in-email.ts': 'password',
  'sign-in/magic-link.ts': 'magic link',
  'social/sign-in-identity.ts': 'social',
  'social/sign-in-social.ts': 'social',
  // A session of one organization.
  'identity-providers/enter-organization.ts': 'test/access/identity-providers.test.ts',
  'sign-in/sign-up.ts': 'accept invitation',
  'sign-in/confirmation.ts': 'confirmation',
  'sign-in/first-start.ts': 'test/console/first-minutes.test.ts',
  // A passkey is both factors.
  'factors/sign-in-passkey.ts': 'test/console/factors.test.ts',
  // The second step of all doors.
  'factors/second-factor.ts': 'password',
}

/** The doors by which a person with an account comes in. */
const DOORS: Record<string, (stage: Stage, person: Person) => Promise<Came>> = {
  async password({ postern }, { email }) {
    const client = postern.client()
    return { client, answer: await signIn(client, email, PASSWORD) }
  },
  async 'magic link'({ postern }, { email }) {
    const { client, token } = await askMagicLink(postern, email)
    return { client, answer: await client.post(VERIFY, { token }) }
  },
  async 'code of a magic link'({ postern }, { email }) {
    const { client, code } = await askMagicLink(postern, email)
    return { client, answer: await client.post(VERIFY, { email, code }) }
  },
  social: ({ social }, { email }) => social.come('google', vouched(email)),
  async reset({ postern }, { email }) {
    const newPassword = 'another horse 8 battery'
    const token = await askReset(postern, email)
    const client = postern.client()
    const done = await client.post('/v1/auth/reset-password', { token, newPassword })
    assert.equal(done.status, 200, done.text)
    assert.equal(client.cookies.has('session'), false, 'a reset lets nobody in')
    return { client, answer: await signIn(client, email, newPassword) }
  },
  async 'invitation of another organization'({ postern }, { email }) {
    const inviter = await administrator(postern)
    const invited = await postern.client().post('/v1/invitations', { email }, { token: inviter.token })
    assert.equal(invited.status, 201, invited.text)
    const { token } = await mailAbout(postern, email, /invited/)
    const client = postern.client()
    const body = signUpBody(email, { invitationToken: token })
    const refused = await client.post('/v1/auth/sign-up/email', body)
    assertError(refused, 'FORBIDDEN', { reason: 'invitation_required' })
    return { client, answer: await signIn(client, email, PASSWORD) }
  },
}

/** The doors by which an account comes to be. It has no second factor. */
const ARRIVALS: Record<string, (stage: Stage, admin: Person) => Promise<Came>> = {
  async 'accept invitation'({ postern }, admin) {
    const { email, token } = await inviteByMail(postern, admin)
    const client = postern.client()
    const body = signUpBody(email, { invitationToken: token })
    return { client, answer: await client.post('/v1/auth/sign-up/email', body) }
  },
  async confirmation({ postern }, admin) {
    const { email } = await inviteByMail(postern, admin)
    const client = postern.client()
    assert.equal((await client.post('/v1/auth/sign-up/email', signUpBody(email))).status, 201)
    const { token } = await mailAbout(postern, email, /Confirm/)
    return { client, answer: await client.post('/v1/auth/verify-email', { token }) }
  },
  async 'social, for the first time'({ social, postern }, admin) {
    const { email } = await inviteByMail(postern, admin)
    return social.come('google', vouched(email))
  },
}

/** Ways from a session to what an organization has. */
const WAYS: Record<string, (postern: Postern, client: Client, organizationId: string) => Promise<Answer>> = {
  'token exchange': (_postern, client, organizationId) =>
    client.get(`/v1/auth/token?organizationId=${organizationId}`),
  async 'OAuth authorization'(postern, client, organizationId) {
    const request = authorizeRequest(postern, await registerClient(postern))
    const path = `/v1/auth/authorizations/${await openRequest(client, request)}`
    return client.post(path, { allow: true, organizationId })
  },
  async 'device, and postern login'(postern, client, organizationId) {
    const { user_code: userCode } = await askByDevice(postern, CLI_CLIENT)
    return client.post('/v1/auth/devices/decision', { userCode, allow: true, organizationId })
  },
}

const isIn = async (client: Client) => (await client.get('/v1/auth/session')).status === 200

/** An organization requires a second factor from now on, though nobody in it has one. */
function require({ app, clock }: Postern, organizationId: string): Promise<void> {
  return app.database.tx(async (tx) => {
    await tx
      .updateTable('organization')
      .set({ second_factor_from: clock.now() - SECOND })
      .where('id', '=', organizationId as never)
      .execute()
  })
}

it('every file that begins a session is a door of the tests below', () => {
  const folder = 'src/access'
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('sessions/'))
    .filter((name) =>
      /\b(completeSignIn|signInIdentity|beginSession)\(tx, deps/.test(
        readFileSync(join(folder, name), 'utf8'),
      ),
    )
  assert.deepEqual(found.sort(), Object.keys(FILES).sort())
  const untested = Object.values(FILES).filter(
    (name) => !(name in DOORS || name in ARRIVALS || existsSync(name)),
  )
  assert.deepEqual(untested, [])
})

onBothEngines('a second factor', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const social = useSocial(engine)
  const stage = async (): Promise<Stage> => ({ postern: (await social.server()).postern, social })

  for (const [name, open] of Object.entries(DOORS)) {
    test(`that an account has is asked for at the door: ${name}`, async () => {
      const { postern } = await stage()
      const person = await administrator(postern)
      const { code } = await enrolTotp(postern, person)
      const before = await membershipsOf(postern, person.email)
      const { client } = await open(await stage(), person)
      assertHalfIn(client)
      assert.equal(await isIn(client), false)
      for (const way of Object.values(WAYS))
        await assert.rejects(async () => assertIn(await way(postern, client, person.organizationId)))
      assert.deepEqual(await membershipsOf(postern, person.email), before)
      const done = await client.post(SECOND_FACTOR, { code: code() })
      assert.equal(done.status, 200, done.text)
      await tokenOf(client, person.organizationId)
    })

    it(`that an organization requires and an account lacks shuts the organization behind the door: ${name}`, async () => {
      const { postern } = await stage()
      const person = await administrator(postern)
      await require(postern, person.organizationId)
      const { client } = await open(await stage(), person)
      await isShut(postern, client, person.organizationId)
    })
  }

  for (const [name, open] of Object.entries(ARRIVALS))
    it(`that an organization requires shuts it to who arrives by the door: ${name}`, async () => {
      const { postern } = await stage()
      const admin = await administrator(postern)
      await enrolTotp(postern, admin)
      await require(postern, admin.organizationId)
      const { client } = await open(await stage(), { ...admin, token: await tokenOf(admin.client) })
      await isShut(postern, client, admin.organizationId)
    })

  it('that an organization requires ends what was let in before it: JWTs and grants of applications', async () => {
    const { postern } = await stage()
    const person = await administrator(postern)
    const granted = await connect(postern, person)
    await require(postern, person.organizationId)
    postern.clock.advance(6 * SECOND)
    for (const token of [person.token, granted.access])
      assertError(await postern.client().get('/v1/organizations', { token }), 'UNAUTHORIZED')
    const refreshed = await refresh(postern, granted.client, granted.refresh)
    if (refreshed.status === 200) {
      const token = refreshed.body.access_token
      assertError(await postern.client().get('/v1/organizations', { token }), 'UNAUTHORIZED')
    }
  })

  /** Asserts that the session gives no access to the organization until a factor is added. */
  async function isShut(postern: Postern, client: Client, organizationId: string): Promise<void> {
    assert.equal(await isIn(client), true)
    const refused = { reason: 'second_factor_required' }
    for (const go of Object.values(WAYS))
      assertError(await go(postern, client, organizationId), 'FORBIDDEN', refused)
    await enrolTotp(postern, { client })
    for (const [way, go] of Object.entries(WAYS)) assertIn(await go(postern, client, organizationId), way)
  }
})

function assertIn(answer: Answer, way = ''): void {
  assert.ok(answer.status < 300, `${way} ${answer.text}`)
}

onBothEngines('a second factor that the installation requires', (engine) => {
  it('shuts the organization that a first start has made, until its administrator adds one', async () => {
    const env0 = await freshStore(engine)
    const postern = await startPostern(engine, { env0, env: { SECOND_FACTOR_FROM: '2020-01-01' } })
    try {
      const client = postern.client()
      const made = await client.post('/v1/auth/first-start', {
        token: await issueFirstStartLink(postern.app.database, postern.clock.now()),
        ...{ organization: 'Acme', firstName: 'Ada', lastName: 'Lovelace' },
        ...{ email: newEmail('first'), password: PASSWORD, termsAccepted: true },
      })
      assert.equal(made.status, 201, made.text)
      const organizationId = made.body.user.organizations[0].id as string
      for (const go of Object.values(WAYS))
        assertError(await go(postern, client, organizationId), 'FORBIDDEN', {
          reason: 'second_factor_required',
        })
      await enrolTotp(postern, { client })
      for (const go of Object.values(WAYS)) assertIn(await go(postern, client, organizationId))
    } finally {
      await postern.stop()
    }
  })
})
