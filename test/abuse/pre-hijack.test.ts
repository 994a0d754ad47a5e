import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keepConnection } from '#src/connections/connection-store.ts'
import { MINUTE } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { askMagicLink, askReset, assertError, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { inviteByHand, inviteByMail, membershipsOf } from '../support/invitees.ts'
import {
  administrator,
  apiKey,
  newEmail,
  PASSWORD,
  type Person,
  signUp,
  signUpBody,
} from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay } from '../support/postern.ts'
import { assertSignedIn, begin, useSocial, vouched } from '../support/social.ts'

const password = 'wicked horse 6 battery'

onBothEngines('an address that another person began with', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server } = useSocial(engine)

  it('4: does not become theirs by a click of the owner who expects a mail', async () => {
    const { postern } = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const [owner, stranger] = [postern.client(), postern.client()]
    await owner.post('/v1/auth/sign-up/email', signUpBody(email))
    const own = (await postern.mailbox.next(email)).token
    await stranger.post('/v1/auth/sign-up/email', signUpBody(email, { password }))
    const foreign = (await postern.mailbox.next(email)).token
    const confirm = (client: Client, body: object) => client.post('/v1/auth/verify-email', body)
    // The owner presses the newest link, in the browser that signed up and in another; so does a scanner.
    for (const client of [owner, postern.client()]) {
      assertError(await confirm(client, { token: foreign }), 'MISSING_REQUIRED_FIELD', {
        field: 'password',
        reason: 'another_browser',
      })
      assertError(await confirm(client, { token: foreign, password: PASSWORD }), 'VALIDATION_FAILED', {
        field: 'password',
        value: '[redacted]',
      })
    }
    assert.deepEqual(await membershipsOf(postern, email), [])
    assertError(await signIn(stranger, email, password), 'UNAUTHORIZED')
    // The owner's link still works, and ends that of the stranger.
    const entered = await confirm(owner, { token: own })
    assert.equal(entered.status, 200, entered.text)
    assertError(await confirm(stranger, { token: foreign }), 'VALIDATION_FAILED', { field: 'token' })
    assertError(await signIn(stranger, email, password), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
  })

  test('4: of two sign-ups in one browser the later one counts', async () => {
    const { postern } = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const owner = postern.client()
    await owner.post('/v1/auth/sign-up/email', signUpBody(email, { password }))
    const earlier = (await postern.mailbox.next(email)).token
    await owner.post('/v1/auth/sign-up/email', signUpBody(email))
    const later = (await postern.mailbox.next(email)).token
    assertError(await owner.post('/v1/auth/verify-email', { token: earlier }), 'VALIDATION_FAILED', {
      field: 'token',
    })
    assert.equal((await owner.post('/v1/auth/verify-email', { token: later })).status, 200)
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    assertError(await signIn(postern.client(), email, password), 'UNAUTHORIZED')
  })

  test('4: belongs to its owner, who signs in by Google', async () => {
    const { postern, google } = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    // One stranger signed up without a link, another with the link that was handed over in her own organization.
    const begun = await inviteByMail(postern, ada)
    await postern.client().post('/v1/auth/sign-up/email', signUpBody(begun.email, { password }))
    const confirmation = (await postern.mailbox.next(begun.email)).token
    const taken = await inviteByMail(postern, ada)
    const { token } = await inviteByHand(postern, eve, taken.email)
    const attacker = postern.client()
    await attacker.post(
      '/v1/auth/sign-up/email',
      signUpBody(taken.email, { password, invitationToken: token }),
    )
    for (const { email } of [begun, taken]) {
      google.claims = vouched(email)
      const owner = postern.client()
      const user = await assertSignedIn(
        owner,
        await owner.get(google.authorize(await begin(owner, 'google'))),
      )
      assert.equal(user.emailVerified, true)
      assert.ok((await membershipsOf(postern, email)).includes(ada.organizationId))
      assertError(await signIn(postern.client(), email, password), 'UNAUTHORIZED')
    }
    assertError(await attacker.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(
      await postern.client().post('/v1/auth/verify-email', { token: confirmation }),
      'VALIDATION_FAILED',
      { field: 'token' },
    )
  })

  const WAYS = ['magic link', 'reset', 'Google', 'invitation'] as const
  for (const way of WAYS)
    it(`4: loses everything that a stranger made in it, when its owner signs in by ${way}`, async () => {
      const { postern, google } = await server()
      const ada = await administrator(postern)
      const email = newEmail('taken')
      const wish = { email, role: 'administrator', sendEmail: false }
      const { acceptUrl } = (await postern.client().post('/v1/invitations', wish, { token: ada.token })).body
      const invitationToken = new URL(acceptUrl).searchParams.get('token') ?? ''
      const stranger = await signUp(postern, { email, invitationToken, organizationId: ada.organizationId })
      const key = await apiKey(postern, stranger)
      const heir = await apiKey(postern, { ...stranger, token: key })
      const invited = [await inviteByHand(postern, stranger), await inviteByHand(postern, { token: key })]
      const { data } = (await postern.client().get('/v1/api-keys', { token: ada.token })).body
      // Keys that the stranger made in a service account of the organization end, and its other key does not.
      const call = { token: ada.token }
      const shared = await postern.client().post('/v1/api-keys', { name: 'shared' }, call)
      const { serviceAccountId } = shared.body
      const inside = { name: 'inside', role: 'administrator', serviceAccountId }
      const within = await postern.client().post('/v1/api-keys', inside, { token: stranger.token })
      const third = await apiKey(postern, { ...stranger, token: within.body.key })
      await connect(postern, ada, { actorId: stranger.accountId, keyId: null })
      for (const { id, serviceAccountId } of [...data, within.body])
        await connect(postern, ada, { actorId: serviceAccountId, keyId: id })
      await connect(postern, ada, { actorId: serviceAccountId, keyId: shared.body.id })
      await connect(postern, ada, { actorId: ada.accountId, keyId: null })

      const owner = postern.client()
      if (way === 'magic link') {
        const { client, token } = await askMagicLink(postern, email)
        assert.equal((await client.post('/v1/auth/magic-link/verify', { token })).status, 200)
      } else if (way === 'reset') {
        const body = { token: await askReset(postern, email), newPassword: 'the horse 9 of the owner' }
        assert.equal((await owner.post('/v1/auth/reset-password', body)).status, 200)
      } else if (way === 'Google') {
        google.claims = vouched(email)
        await assertSignedIn(owner, await owner.get(google.authorize(await begin(owner, 'google'))))
      } else {
        const other = await administrator(postern)
        await postern.client().post('/v1/invitations', { email }, { token: other.token })
        const { token } = await postern.mailbox.next(email)
        const answer = await owner.post(
          '/v1/auth/sign-up/email',
          signUpBody(email, { invitationToken: token }),
        )
        assert.equal(answer.status, 201, answer.text)
      }

      for (const token of [key, heir, within.body.key, third, stranger.token])
        assertError(await postern.client().get('/v1/organizations', { token }), 'UNAUTHORIZED')
      const rests = await postern.client().get('/v1/organizations', { token: shared.body.key })
      assert.equal(rests.status, 200, rests.text)
      assertError(await stranger.client.get('/v1/auth/session'), 'UNAUTHORIZED')
      for (const { token } of invited)
        assertError(await postern.client().get(`/v1/invitations/preview?token=${token}`), 'ENTITY_NOT_FOUND')
      const connections = (await postern.client().get('/v1/connections', { token: ada.token })).body.data
      assert.deepEqual(
        connections.map(({ createdBy }: { createdBy: string }) => createdBy),
        [ada.accountId, serviceAccountId],
      )
      const flows = postern.app.database.db.selectFrom('connection_state').select('actor_id')
      const rest = await flows
        .where('organization_id', '=', ada.organizationId as Id<'organization'>)
        .orderBy('actor_id')
        .execute()
      assert.deepEqual(
        rest.map(({ actor_id }) => actor_id),
        [ada.accountId, serviceAccountId],
      )
      assert.ok((await membershipsOf(postern, email)).includes(ada.organizationId))
    })
})

/** Makes a connection by a person or a key, and starts another one. */
async function connect(
  { app, clock }: Postern,
  { organizationId }: Person,
  { actorId, keyId }: { actorId: string; keyId: Id<'apiKey'> | null },
): Promise<void> {
  const owner = { organizationId: organizationId as Id<'organization'>, actorId, keyId }
  const tokens = { accessToken: 'an-access-token', refreshToken: 'a-refresh-token' }
  const granted = { tokens, expiresAt: null, scopes: 'read', subject: undefined }
  const source = { provider: 'gone', asked: [] }
  await app.database.tx(async (tx) => {
    await keepConnection(tx, app.vault, owner, source, granted, clock.now())
    await tx
      .insertInto('connection_state')
      .values({
        ...{ state_hash: crypto.randomUUID(), provider: 'gone', binding_hash: '', payload: '' },
        ...{ organization_id: owner.organizationId, actor_id: actorId, key_id: keyId },
        ...{ created_at: clock.now(), expires_at: clock.now() + MINUTE },
      })
      .execute()
  })
}
