import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { PERMISSION_NAMES, permissionRow } from '#src/http/permissions.ts'
import { askMagicLink, askReset, assertError, mailAbout, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { enrolTotp } from '../support/factors.ts'
import { inviteByHand, membershipsOf } from '../support/invitees.ts'
import { watchLive } from '../support/live-stream.ts'
import {
  administrator,
  apiKey,
  member,
  newEmail,
  PASSWORD,
  type Person,
  signUp,
  tokenOf,
} from '../support/people.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { logoutRequestXml, logoutSaid, signedForm } from '../support/saml-logout.ts'
import { bringAnswer, newSamlProvider, readRequest } from '../support/saml-provider.ts'
import { directoryOf } from '../support/scim.ts'
import { openSetupLink } from '../support/setup-links.ts'
import { assertSignedIn, SOCIAL_ENV } from '../support/social.ts'
import { beginSso } from '../support/sso.ts'

/** Everything that an administrator can have made or be on the way to, and who else is there. */
interface Scene {
  postern: Postern
  /** Another administrator of the organization. */
  ada: Person
  eve: Person
  link: Awaited<ReturnType<typeof askMagicLink>>
  reset: string
  invited: string
  /** A browser in which a setup link of the person is open. */
  setup: Client
  /** One key made by the person, and one made by that key. */
  keys: string[]
  /** How an identity provider knows the person, where one has begun the session. */
  known?: { idp: ReturnType<typeof newSamlProvider>; nameId: string }
}

/**
 * @param isProven whether the person's mailbox is proven; else she signed up by a link that was handed over
 */
async function setScene(postern: Postern, isProven = true): Promise<Scene> {
  const ada = await administrator(postern)
  const eve = isProven ? await member(postern, ada, 'administrator') : await handedIn(postern, ada)
  const key = await apiKey(postern, eve)
  return {
    postern,
    ada,
    eve,
    reset: await askReset(postern, eve.email),
    link: await askMagicLink(postern, eve.email),
    invited: (await inviteByHand(postern, eve)).token,
    setup: (await openSetupLink(postern, eve)).it,
    keys: [key, await apiKey(postern, { ...eve, token: key })],
  }
}

async function handedIn(postern: Postern, ada: Person): Promise<Person> {
  const body = { email: newEmail('handed'), role: 'administrator', sendEmail: false }
  const { acceptUrl } = (await postern.client().post('/v1/invitations', body, { token: ada.token })).body
  const invitationToken = new URL(acceptUrl).searchParams.get('token') ?? ''
  return signUp(postern, { email: body.email, invitationToken, organizationId: ada.organizationId })
}

const OF_MEMBERS = PERMISSION_NAMES.filter((name) => permissionRow(name).role === 'member')

/** The line for which the person's mailbox is not proven before. */
const PROOF = 'The owner proves the mailbox for the first time'

const account = async ({ postern, eve }: Scene, ...verb: string[]) => {
  const { code, err } = await command(postern, 'account', '--email', eve.email, ...verb)
  assert.equal(code, 0, err)
  // A server that is not notified caches callers for five seconds.
  postern.clock.advance(6_000)
}
const memberPath = ({ ada, eve }: Scene) => `/v1/organizations/${ada.organizationId}/members/${eve.accountId}`

/** Lines for which the person has signed in by an identity provider of the organization. */
const [REPORTED, DISABLED, DELETED] = [
  'The identity provider that they signed in by reports that they signed out there',
  'The identity provider that they signed in by is disabled',
  'The identity provider that they signed in by is deleted',
] as const
const BY_PROVIDER: readonly string[] = [REPORTED, DISABLED, DELETED]

async function addProvider({ postern, ada }: Scene, { saml } = newSamlProvider()): Promise<string> {
  const body = { kind: 'saml', name: 'Acme', saml }
  const made = await postern.client().post('/v1/identity-providers', body, { token: ada.token })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const providerPath = async ({ postern, ada }: Scene) => {
  const { data } = (await postern.client().get('/v1/identity-providers', { token: ada.token })).body
  return `/v1/identity-providers/${data[0].id}`
}

/** Replaces the person's session by one that an identity provider of the organization has begun. */
async function enterByProvider(scene: Scene): Promise<void> {
  const { postern, eve } = scene
  const idp = newSamlProvider()
  const provider = await addProvider(scene, idp)
  const nameId = `eve-${provider}`
  const { accountId: account_id, email } = eve
  const row = { provider, subject: nameId, account_id, email, created_at: postern.clock.now() }
  await postern.app.database.tx((tx) =>
    tx
      .insertInto('identity')
      .values(row as never)
      .execute(),
  )
  const authUrl = await beginSso(eve.client, { identityProviderId: provider })
  const answer = idp.answer(authUrl, { nameId }, { now: postern.clock.now() })
  const entered = await bringAnswer(eve.client, postern.client(), readRequest(authUrl), answer)
  await assertSignedIn(eve.client, entered)
  Object.assign(eve, { token: await tokenOf(eve.client) })
  Object.assign(scene, { known: { idp, nameId } })
}

/** How each line of the document's table comes about. */
const ENDINGS: Record<string, (scene: Scene) => Promise<void>> = {
  '`postern account --disable`': async (scene) => {
    await account(scene, '--disable')
    // Nothing that has ended comes back with the account.
    await account(scene, '--enable')
  },
  '`postern account --disable --end-keys`': async (scene) => {
    await account(scene, '--disable', '--end-keys')
    await account(scene, '--enable')
  },
  '`postern account --end-sessions`': (scene) => account(scene, '--end-sessions'),
  '`postern account --delete`': (scene) => account(scene, '--delete'),
  '`postern organizations --delete`': async ({ postern, ada }) => {
    const [{ name }] = (await postern.client().get('/v1/organizations', { token: ada.token })).body.data
    const { code, err } = await command(postern, 'organizations', '--delete', name, '--yes')
    assert.equal(code, 0, err)
  },
  '`postern organizations --disable`': async ({ postern, ada }) => {
    const [{ name }] = (await postern.client().get('/v1/organizations', { token: ada.token })).body.data
    const { code, err } = await command(postern, 'organizations', '--disable', name)
    assert.equal(code, 0, err)
    // A server that is not notified caches callers for five seconds.
    postern.clock.advance(6_000)
  },
  'An administrator removes them': async (scene) => {
    const { postern, ada } = scene
    assert.equal((await postern.client().delete(memberPath(scene), { token: ada.token })).status, 204)
  },
  'An administrator removes them with `endKeys=true`': async (scene) => {
    const { postern, ada } = scene
    const path = `${memberPath(scene)}?endKeys=true`
    assert.equal((await postern.client().delete(path, { token: ada.token })).status, 204)
  },
  'The directory deactivates or deletes them': async ({ postern, ada, eve }) => {
    const directory = await directoryOf(postern, ada)
    const { id } = await directory.user(eve.email)
    assert.equal((await directory.remove(`/Users/${id}`)).status, 204)
  },
  'The directory deactivates them, with `endKeys`': async ({ postern, ada, eve }) => {
    const directory = await directoryOf(postern, ada)
    const { id } = await directory.user(eve.email)
    await postern.client().patch('/v1/scim', { endKeys: true }, { token: ada.token })
    const ended = await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    assert.equal(ended.status, 200, ended.text)
  },
  'An administrator ends their sessions': async (scene) => {
    const { postern, ada } = scene
    const ended = await postern.client().delete(`${memberPath(scene)}/sessions`, { token: ada.token })
    assert.deepEqual([ended.status, ended.body], [200, { endedSessions: 1 }])
  },
  'An administrator deletes the keys that they made': async (scene) => {
    const { postern, ada } = scene
    const ended = await postern.client().delete(`${memberPath(scene)}/api-keys`, { token: ada.token })
    assert.deepEqual([ended.status, ended.body], [200, { deletedApiKeys: 2 }])
  },
  'They leave': async ({ postern, ada, eve }) => {
    const path = `/v1/organizations/${ada.organizationId}/members/me`
    assert.equal((await postern.client().delete(path, { token: eve.token })).status, 204)
  },
  'An administrator makes them a member': async (scene) => {
    const { postern, ada } = scene
    const answer = await postern.client().patch(memberPath(scene), { role: 'member' }, { token: ada.token })
    assert.equal(answer.status, 200, answer.text)
    const promoted = { role: 'administrator' }
    assertError(
      await postern.client().patch(memberPath(scene), promoted, { token: scene.eve.token }),
      'FORBIDDEN',
    )
  },
  'An administrator narrows their role to less than `invitations:write`': async (scene) => {
    const { postern, ada } = scene
    const call = { token: ada.token }
    const permissions = [...OF_MEMBERS, 'invitations:write']
    const made = await postern.client().post('/v1/roles', { name: 'Inviters', permissions }, call)
    const given = await postern.client().patch(memberPath(scene), { role: made.body.id }, call)
    assert.equal(given.status, 200, given.text)
    assert.ok(await PROBES['Invitations they sent']?.(scene, ''))
    const path = `/v1/roles/${made.body.id}`
    const narrowed = await postern.client().patch(path, { permissions: OF_MEMBERS }, call)
    assert.equal(narrowed.status, 200, narrowed.text)
  },
  'They reset the password': async ({ postern, reset }) => {
    const body = { token: reset, newPassword: 'another horse 8 battery' }
    assert.equal((await postern.client().post('/v1/auth/reset-password', body)).status, 200)
  },
  'They change the password': async ({ postern, eve }) => {
    const other = postern.client()
    assert.equal((await signIn(other, eve.email, PASSWORD)).status, 200)
    const body = { currentPassword: PASSWORD, newPassword: 'another horse 8 battery' }
    assert.equal((await other.post('/v1/auth/change-password', body)).status, 200)
    assert.equal((await other.get('/v1/auth/session')).status, 200)
    assert.ok(await tokenOf(other))
  },
  'They change the address': async ({ postern, eve }) => {
    const other = postern.client()
    assert.equal((await signIn(other, eve.email, PASSWORD)).status, 200)
    const newEmail = `new-${eve.email}`
    assert.equal((await other.post('/v1/auth/change-email', { newEmail })).status, 200)
    const approval = await mailAbout(postern, eve.email, /^Approve/)
    const proof = await mailAbout(postern, newEmail, /^Confirm your new/)
    const agree = (token: string) => other.post('/v1/auth/change-email/confirm', { token })
    assert.equal((await agree(approval.token)).body.status, 'waiting')
    assert.equal((await agree(proof.token)).body.status, 'changed')
    Object.assign(eve, { email: newEmail })
    assert.equal((await other.get('/v1/auth/session')).status, 200)
  },
  [PROOF]: async ({ postern, eve }) => {
    const { client, token } = await askMagicLink(postern, eve.email)
    assert.equal((await client.post('/v1/auth/magic-link/verify', { token })).status, 200)
  },
  [REPORTED]: async (scene) => {
    const { postern, ada, known } = scene
    assert.ok(known)
    const { idp, nameId } = known
    const provider = await postern.client().get(await providerPath(scene), { token: ada.token })
    const destination: string = provider.body.saml.ownLogoutUrl
    const said = logoutSaid({ issuer: idp.entityId, now: postern.clock.now(), destination, nameId })
    const brought = signedForm({ name: 'SAMLRequest', xml: logoutRequestXml(said) }, idp.identity)
    const answer = await postern.client().post(new URL(destination).pathname, brought.form, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(answer.status, 303, answer.text)
  },
  [DISABLED]: async (scene) => {
    const { postern, ada } = scene
    const change = { status: 'disabled' }
    const path = await providerPath(scene)
    assert.equal((await postern.client().patch(path, change, { token: ada.token })).status, 200)
    // Nothing that has ended comes back with the provider.
    const back = await postern.client().patch(path, { status: 'active' }, { token: ada.token })
    assert.equal(back.status, 200, back.text)
  },
  [DELETED]: async (scene) => {
    const { postern, ada } = scene
    const path = await providerPath(scene)
    assert.equal((await postern.client().delete(path, { token: ada.token })).status, 204)
  },
  'The organization requires the sign-in of its identity provider': async (scene) => {
    const { postern, ada } = scene
    await addProvider(scene)
    await enrolTotp(postern, ada)
    const signInRule = { required: true, exceptions: [ada.accountId] }
    const path = `/v1/organizations/${ada.organizationId}`
    const asked = await postern.client().patch(path, { signIn: signInRule }, { token: ada.token })
    assert.equal(asked.status, 200, asked.text)
  },
  'They sign out': async ({ eve }) => {
    assert.equal((await eve.client.post('/v1/auth/sign-out')).status, 200)
  },
}

/** For each column of the table, whether the right still works. */
const PROBES: Record<string, (scene: Scene, cookie: string) => Promise<boolean>> = {
  Sessions: async ({ postern }, cookie) =>
    (await postern.client().get('/v1/auth/session', { headers: { cookie } })).status === 200,
  'JWTs of the organization': async ({ postern, eve }) =>
    (await postern.client().get('/v1/organizations', { token: eve.token })).status === 200,
  'Links and codes under way': async ({ link }) =>
    (await link.client.post('/v1/auth/magic-link/verify', { token: link.token })).status === 200,
  'Invitations they sent': async ({ postern, invited }) =>
    (await postern.client().get(`/v1/invitations/preview?token=${invited}`)).status === 200,
  'Setup links they made': async ({ setup }) => (await setup.get('/v1/setup')).status === 200,
  'API keys they made': async ({ postern, keys }) => {
    const statuses: number[] = []
    for (const key of keys)
      statuses.push((await postern.client().get('/v1/organizations', { token: key })).status)
    assert.equal(new Set(statuses).size, 1, 'a key and the key that it made share their fate')
    return statuses[0] === 200
  },
  Membership: async ({ postern, ada, eve }) =>
    (await membershipsOf(postern, eve.email)).includes(ada.organizationId),
}

/** The table of docs/security.md: what happens, and what becomes of each column. */
function readTable(): { columns: string[]; rows: { name: string; cells: string[] }[] } {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const [section = ''] = text.slice(text.indexOf('## A right that ends') + 1).split('\n## ')
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const [, ...columns] = head
  return { columns, rows: rows.map(([name = '', ...cells]) => ({ name, cells })) }
}

onBothEngines('a right that ends', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: SOCIAL_ENV })
  const { columns, rows } = readTable()

  it('is told of in the document, line by line and column by column', () => {
    assert.deepEqual(
      rows.map(({ name }) => name),
      Object.keys(ENDINGS),
    )
    assert.deepEqual(columns, Object.keys(PROBES))
  })

  for (const [index, { name, cells }] of rows.entries()) {
    // The second engine is asked a third of them by day.
    const declare = index % 3 === 0 ? it : test
    declare(`ends what the document says, and nothing else: ${name}`, async () => {
      const scene = await setScene(await server(), name !== PROOF)
      if (BY_PROVIDER.includes(name)) await enterByProvider(scene)
      const cookie = `session=${scene.eve.client.cookies.get('session')}`
      for (const [column, isGood] of Object.entries(PROBES)) {
        // The link can be used but once.
        if (!column.startsWith('Links')) assert.ok(await isGood(scene, cookie), `${column}, before`)
      }
      await ENDINGS[name]?.(scene)
      for (const [at, column] of columns.entries()) {
        const cell = cells[at] ?? ''
        assert.match(cell, /^(ends?|stays?)\b/, `${name}, ${column}`)
        const isGood = await PROBES[column]?.(scene, cookie)
        assert.equal(isGood, cell.startsWith('stay'), `${column}: ${cell}`)
      }
    })
  }

  it('takes along what it made when it is a key: its invitations, and the keys made with it where that is asked for', async () => {
    for (const withMade of [false, true]) {
      const { postern, ada, keys } = await setScene(await server())
      const [key = '', heir = ''] = keys
      const invited = await inviteByHand(postern, { token: key })
      const { data } = (await postern.client().get('/v1/api-keys', { token: ada.token })).body
      const made = data.find(({ hint }: { hint: string }) => key.endsWith(hint))
      const inherited = data.find(({ hint }: { hint: string }) => heir.endsWith(hint))
      assert.deepEqual([inherited.createdBy, inherited.createdWith], [made.serviceAccountId, made.id])
      const path = `/v1/api-keys/${made.id}${withMade ? '?withMade=true' : ''}`
      assert.equal((await postern.client().delete(path, { token: ada.token })).status, 204)
      assertError(await postern.client().get('/v1/organizations', { token: key }), 'UNAUTHORIZED')
      const last = await postern.client().get('/v1/organizations', { token: heir })
      assert.equal(last.status, withMade ? 401 : 200, last.text)
      const preview = await postern.client().get(`/v1/invitations/preview?token=${invited.token}`)
      assertError(preview, 'ENTITY_NOT_FOUND')
      const log = await postern.client().get('/v1/audit-log', { token: ada.token })
      const reported = log.body.data.map(({ action, details }: { action: string; details: object }) => [
        action,
        details,
      ])
      const of = ({ serviceAccountId }: { serviceAccountId: string }) => ({
        name: 'machine',
        serviceAccountId,
      })
      const because = { because: 'maker', maker: made.id }
      assert.deepEqual(reported.slice(0, withMade ? 3 : 2), [
        ...(withMade ? [['api_key.deleted', { ...of(inherited), ...because }]] : []),
        ['invitation.revoked', { because: 'inviter', inviter: made.id, count: 1 }],
        ['api_key.deleted', of(made)],
      ])
    }
  })

  it('to use a session here ends here alone, until the person signs in once more', async () => {
    const postern = await server()
    const [ada, other] = [await administrator(postern), await administrator(postern)]
    const eve = await member(postern, ada)
    const invited = await postern
      .client()
      .post('/v1/invitations', { email: eve.email }, { token: other.token })
    assert.equal(invited.status, 201, invited.text)
    assert.equal((await signIn(eve.client, eve.email, PASSWORD)).status, 200)
    const [here, elsewhere] = [ada.organizationId, other.organizationId]
    const tokens = [await tokenOf(eve.client, here), await tokenOf(eve.client, elsewhere)]
    const stream = await watchLive(postern.url, tokens[0] ?? '')
    const path = `/v1/organizations/${here}/members/${eve.accountId}/sessions`
    const end = (token: string) => postern.client().delete(path, { token })
    assertError(await end(eve.token), 'UNAUTHORIZED')
    assertError(await end(tokens[0] ?? ''), 'FORBIDDEN', {
      ...{ reason: 'administrator_required', scope: 'members:write' },
    })
    assertError(await end(other.token), 'ENTITY_NOT_FOUND')
    assert.deepEqual((await end(ada.token)).body, { endedSessions: 1 })
    const works = async (token = '') => (await postern.client().get('/v1/problems', { token })).status === 200
    assert.deepEqual([await works(tokens[0]), await works(tokens[1])], [false, true])
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    assertError(await eve.client.get(`/v1/auth/token?organizationId=${here}`), 'UNAUTHORIZED')
    // Without a name the session gets the other organization, though it was joined later.
    const [, claims = ''] = (await tokenOf(eve.client)).split('.')
    assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).org_id, elsewhere)
    assert.deepEqual((await end(ada.token)).body, { endedSessions: 0 })
    assert.equal((await signIn(eve.client, eve.email, PASSWORD)).status, 200)
    assert.ok(await works(await tokenOf(eve.client, here)))
    const log = await postern.client().get(`/v1/audit-log?action=session.ended&actor=${ada.accountId}`, {
      token: ada.token,
    })
    const [entry] = log.body.data
    assert.deepEqual(
      [entry.actorId, entry.targetId, entry.details],
      [ada.accountId, eve.accountId, { because: 'administrator', count: 1 }],
    )
  })

  it('leaves keys behind that the audit log names, or takes them along where that is asked for', async () => {
    for (const withKeys of [false, true]) {
      const scene = await setScene(await server())
      const { postern, ada, eve } = scene
      const call = { token: ada.token }
      const seen = async () =>
        (await postern.client().get(`/v1/api-keys?createdBy=${eve.accountId}`, call)).body.data.map(
          ({ id }: { id: string }) => id,
        )
      const [made] = await seen()
      const query = withKeys ? '?endKeys=true' : ''
      assert.equal((await postern.client().delete(`${memberPath(scene)}${query}`, call)).status, 204)
      const log = await postern.client().get('/v1/audit-log?action=member.removed', call)
      assert.deepEqual(
        log.body.data[0].details,
        withKeys ? { deletedApiKeys: 2 } : { keptApiKeys: 1, keptApiKeyIds: made },
      )
      assert.deepEqual(await seen(), withKeys ? [] : [made])
      // Of a former member, too.
      const ended = await postern.client().delete(`${memberPath(scene)}/api-keys`, call)
      assert.deepEqual(ended.body, { deletedApiKeys: withKeys ? 0 : 2 })
      assert.deepEqual(await seen(), [])
      assertError(await postern.client().delete(`${memberPath(scene)}/sessions`, call), 'ENTITY_NOT_FOUND')
    }
  })

  it('is not outlived by what a key makes: keys and invitations end when it expires at the latest', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const wish = { name: 'short', role: 'administrator', expiresInDays: 1 }
    const short = (await postern.client().post('/v1/api-keys', wish, { token })).body
    const heir = await postern.client().post('/v1/api-keys', { name: 'heir' }, { token: short.key })
    assert.equal(heir.body.expiresAt, short.expiresAt, heir.text)
    const invitation = { email: newEmail(), sendEmail: false, expiresInDays: 30 }
    const invited = await postern.client().post('/v1/invitations', invitation, { token: short.key })
    assert.equal(invited.body.expiresAt, short.expiresAt, invited.text)
  })

  it('is one that everybody can give up: leaving is for all but the last administrator, and no key leaves', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const person = await member(postern, ada)
    const path = `/v1/organizations/${ada.organizationId}/members/me`
    const leave = (token: string) => postern.client().delete(path, { token })
    assertError(await leave(ada.token), 'FORBIDDEN', { reason: 'last_administrator' })
    assertError(await leave(await apiKey(postern, ada, 'member')), 'ENTITY_NOT_FOUND')
    const other = await administrator(postern)
    assertError(await leave(other.token), 'ENTITY_NOT_FOUND')
    assert.equal((await leave(person.token)).status, 204)
    assertError(await leave(person.token), 'UNAUTHORIZED')
    const members = await postern.client().get(path.replace(/\/me$/, ''), { token: ada.token })
    assert.deepEqual(
      members.body.data.map(({ email }: { email: string }) => email),
      [ada.email],
    )
    const log = await postern.client().get('/v1/audit-log?action=member.removed', { token: ada.token })
    const [entry] = log.body.data
    assert.deepEqual([entry.actorId, entry.targetId], [person.accountId, person.accountId])
    // The person can be invited again.
    const repeated = await postern
      .client()
      .post('/v1/invitations', { email: person.email, sendEmail: false }, { token: ada.token })
    assert.equal(repeated.status, 201, repeated.text)
  })
})

onBothEngines('a right that ends, where tokens are believed for their 60 minutes', (engine) => {
  const server = usePostern(engine, { env: { TOKEN_CHECK: 'stateless' } })

  it('hands out no right and takes none away any more', async () => {
    const { postern, ada, eve } = await setScene(await server())
    const path = `/v1/organizations/${ada.organizationId}/members`
    const call = { token: eve.token }
    const invitation = `/v1/invitations/${(await inviteByHand(postern, ada)).id}`
    const demoted = await postern
      .client()
      .patch(`${path}/${eve.accountId}`, { role: 'member' }, { token: ada.token })
    assert.equal(demoted.status, 200, demoted.text)
    // The token says that she is an administrator, and reading it believes.
    assert.equal((await postern.client().get('/v1/api-keys', call)).status, 200)
    for (const answer of [
      await postern.client().patch(`${path}/${eve.accountId}`, { role: 'administrator' }, call),
      await postern.client().delete(`${path}/${ada.accountId}`, call),
      await postern.client().post('/v1/api-keys', { name: 'mine' }, call),
      await postern.client().post('/v1/roles', { name: 'mine', permissions: ['files:read'] }, call),
      await postern.client().delete(invitation, call),
      await postern.client().post(`${invitation}/resend`, {}, call),
      await postern.client().post('/v1/invitations', { email: newEmail() }, call),
      await postern.client().post('/v1/invitations/bulk', { invitations: [{ email: newEmail() }] }, call),
    ])
      assertError(answer, 'FORBIDDEN', { reason: 'administrator_required' })
  })
})
