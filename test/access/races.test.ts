import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { askMagicLink, askReset, assertError, signIn } from '../support/attacks.ts'
import { holdRows, inOrder } from '../support/held-rows.ts'
import {
  accountOf,
  inviteByMail,
  membershipsOf,
  requestsAreResolved,
  sessionsOf,
} from '../support/invitees.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { actingFor, type PlatformKey, platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, type Postern, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const NEW_PASSWORD = 'another horse 8 battery'

const signUp = (postern: Postern, { email, token }: { email: string; token: string }) =>
  postern.client().post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: token }))

// SQLite has one writer: there is nothing between the statements of a transaction.
describe('two transactions at once on PostgreSQL', () => {
  const server = usePostern('postgres')

  it('a sign-in with the old password that began before a reset leaves no session after it', async () => {
    const postern = await server()
    const { email, accountId } = await administrator(postern)
    const token = await askReset(postern, email)
    const [reset, late] = await inOrder(postern, 'account', accountId, [
      () => postern.client().post('/v1/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
      () => signIn(postern.client(), email, PASSWORD),
    ])
    assert.equal(reset.status, 200, reset.text)
    assertError(late, 'UNAUTHORIZED')
    assert.equal(await sessionsOf(postern, email), 0)
  })

  const byLeaked: [path: string, body: () => object][] = [
    ['/v1/api-keys', () => ({ name: 'heir', role: 'administrator' })],
    ['/v1/api-keys/{id}/rotate', () => ({})],
    ['/v1/invitations', () => ({ email: newEmail(), sendEmail: false })],
  ]
  for (const [path, body] of byLeaked)
    it(`a request to ${path} by a secret that was replaced at once, behind that rotation, makes nothing`, async () => {
      const postern = await server()
      const calls = callsOf(postern, (await administrator(postern)).token)
      const { id, key } = (await calls.post('/v1/api-keys', { name: 'leaked', role: 'administrator' })).body
      const [rotated, late] = await inOrder(postern, 'api_key', id, [
        () => calls.post(`/v1/api-keys/${id}/rotate`, { overlapHours: 0 }),
        () => callsOf(postern, key).post(path.replace('{id}', id), body()),
      ])
      assert.equal(rotated.status, 200, rotated.text)
      assertError(late, 'FORBIDDEN', { reason: 'administrator_required' })
    })

  // The row that another process writes is written by the test, so that this process still believes the token.
  const endings: [what: string, statement: string][] = [
    ['ends', 'delete from session where account_id = $1'],
    [
      'ends for the organization',
      'insert into session_exclusion select session.id, organization_id, 0 from session join membership using (account_id) where account_id = $1',
    ],
  ]
  for (const [what, statement] of endings)
    it(`a request makes no key where the session of its token ${what} while it waits`, async () => {
      const postern = await server()
      const { accountId, token } = await administrator(postern)
      const memberships = await holdRows(postern, 'membership', 'account_id = $1', [accountId])
      const { answer } = await memberships.lineUp(() =>
        callsOf(postern, token).post('/v1/api-keys', { name: 'heir', role: 'administrator' }),
      )
      await memberships.change(statement, [accountId])
      assertError(await answer, 'FORBIDDEN', { reason: 'administrator_required' })
    })

  it('a reset right behind a sign-in ends the session that this has just begun', async () => {
    const postern = await server()
    const { email, accountId } = await administrator(postern)
    const token = await askReset(postern, email)
    const [early, reset] = await inOrder(postern, 'account', accountId, [
      () => signIn(postern.client(), email, PASSWORD),
      () => postern.client().post('/v1/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
    ])
    assert.deepEqual([early.status, reset.status], [200, 200])
    assert.equal(await sessionsOf(postern, email), 0)
  })

  it('a magic link that is opened right behind a reset signs nobody in', async () => {
    const postern = await server()
    const { email, accountId } = await administrator(postern)
    const link = await askMagicLink(postern, email)
    const token = await askReset(postern, email)
    const [reset, late] = await inOrder(postern, 'account', accountId, [
      () => postern.client().post('/v1/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
      () => link.client.post('/v1/auth/magic-link/verify', { token: link.token }),
    ])
    assert.equal(reset.status, 200, reset.text)
    assertError(late, 'UNAUTHORIZED')
    assert.equal(await sessionsOf(postern, email), 0)
  })

  it('an invitation that is revoked right before it is accepted lets nobody in', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const invited = await inviteByMail(postern, admin)
    const [revoked, late] = await inOrder(postern, 'invitation', invited.id, [
      () => postern.client().delete(`/v1/invitations/${invited.id}`, { token: admin.token }),
      () => signUp(postern, invited),
    ])
    assert.equal(revoked.status, 204, revoked.text)
    assertError(late, 'FORBIDDEN', { reason: 'invitation_required' })
    assert.equal((await accountOf(postern, invited.email))?.status, 'inactive')
    assert.equal(await sessionsOf(postern, invited.email), 0)
  })

  it('revoking an invitation that has just been accepted says so', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const invited = await inviteByMail(postern, admin)
    const [accepted, late] = await inOrder(postern, 'invitation', invited.id, [
      () => signUp(postern, invited),
      () => postern.client().delete(`/v1/invitations/${invited.id}`, { token: admin.token }),
    ])
    assert.equal(accepted.status, 201, accepted.text)
    assertError(late, 'FORBIDDEN', { reason: 'invitation_accepted' })
    assert.deepEqual(await membershipsOf(postern, invited.email), [admin.organizationId])
  })

  it('one of two administrators who remove each other at once stays', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const eve = await member(postern, ada, 'administrator')
    const path = `/v1/organizations/${ada.organizationId}/members`
    const [first, second] = await inOrder(postern, 'organization', ada.organizationId, [
      () => postern.client().delete(`${path}/${eve.accountId}`, { token: ada.token }),
      () => postern.client().delete(`${path}/${ada.accountId}`, { token: eve.token }),
    ])
    assert.equal(first.status, 204, first.text)
    assertError(second, 'FORBIDDEN', { reason: 'administrator_required' })
    assert.deepEqual(await membershipsOf(postern, ada.email), [ada.organizationId])
  })

  it('a member is removed once, and told of once', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    const remove = () => postern.client().delete(path, { token: admin.token })
    const [first, second] = await inOrder(postern, 'organization', admin.organizationId, [remove, remove])
    assert.equal(first.status, 204, first.text)
    assertError(second, 'ENTITY_NOT_FOUND')
    const { body } = await postern.client().get('/v1/audit-log?action=member.removed', { token: admin.token })
    assert.equal(body.data.length, 1)
  })

  for (const what of ['an invitation', 'an API key'] as const) {
    it(`${what} that an administrator makes while they are demoted does not outlive it`, async () => {
      const postern = await server()
      const ada = await administrator(postern)
      const eve = await member(postern, ada, 'administrator')
      const email = newEmail('late')
      const path = `/v1/organizations/${ada.organizationId}/members/${eve.accountId}`
      const demote = () => postern.client().patch(path, { role: 'member' }, { token: ada.token })
      const make = () =>
        what === 'an API key'
          ? postern
              .client()
              .post('/v1/api-keys', { name: 'late', role: 'administrator' }, { token: eve.token })
          : postern.client().post('/v1/invitations', { email, sendEmail: false }, { token: eve.token })
      // This request renews the cached check of the caller, which lasts five seconds.
      assert.equal((await postern.client().get('/v1/invitations', { token: eve.token })).status, 200)
      const rows = await holdRows(postern, 'membership', 'account_id = $1', [eve.accountId])
      try {
        const demoted = await rows.lineUp(demote)
        const made = await rows.lineUp(make)
        await rows.release()
        assert.equal((await demoted.answer).status, 200)
        assertError(await made.answer, 'FORBIDDEN', { reason: 'administrator_required' })
      } finally {
        await rows.release()
      }
    })
  }

  it('what a key makes while it is deleted does not outlive it', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const key = await apiKey(postern, ada)
    const { body } = await postern.client().get('/v1/api-keys', { token: ada.token })
    const { id } = body.data[0]
    const [deleted, late] = await inOrder(postern, 'api_key', id, [
      () => postern.client().delete(`/v1/api-keys/${id}`, { token: ada.token }),
      () => postern.client().post('/v1/api-keys', { name: 'heir', role: 'administrator' }, { token: key }),
    ])
    assert.equal(deleted.status, 204, deleted.text)
    assertError(late, 'FORBIDDEN', { reason: 'administrator_required' })
    assert.deepEqual((await postern.client().get('/v1/api-keys', { token: ada.token })).body.data, [])
  })

  it('a link that is made while a reset is under way ends with it', async () => {
    const postern = await server()
    const { email, accountId } = await administrator(postern)
    const token = await askReset(postern, email)
    const rows = await holdRows(postern, 'account', 'id = $1', [accountId])
    try {
      assert.equal((await postern.client().post('/v1/auth/magic-link', { email })).status, 200)
      // The worker stands in line with the link, the reset behind it.
      await rows.lineUp(async () => postern.clock.advance(1_000))
      const reset = await rows.lineUp(() =>
        postern.client().post('/v1/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
      )
      await rows.release()
      assert.equal((await reset.answer).status, 200)
    } finally {
      await rows.release()
    }
    await requestsAreResolved(postern)
    const left = await postern.app.database.db
      .selectFrom('one_time_token')
      .select('purpose')
      .where('email', '=', email)
      .execute()
    assert.deepEqual(left, [])
  })

  it('what a platform key makes right before it is revoked ends with it, and right behind that it makes nothing', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { body: before } = await postern.client().get('/v1/api-keys', { token: admin.token })
    const make = (key: PlatformKey) => () =>
      actingFor(postern, key, admin.organizationId).post('/v1/api-keys', { name: 'made' })
    const revoke = (key: PlatformKey) => () =>
      postern.client().delete(`/v1/operator/platform-keys/${key.id}?withMade=true`, { token: OPERATOR_TOKEN })
    const [first, second] = [await platformKey(postern), await platformKey(postern)]
    // The first use of a key is noted in its row.
    for (const key of [first, second]) await actingFor(postern, key, admin.organizationId).get('/v1/webhooks')
    const [made, revoked] = await inOrder(postern, 'platform_key', first.id, [make(first), revoke(first)])
    assert.deepEqual([made.status, revoked.status], [201, 204], made.text)
    const [gone, late] = await inOrder(postern, 'platform_key', second.id, [revoke(second), make(second)])
    assert.equal(gone.status, 204, gone.text)
    assertError(late, 'FORBIDDEN')
    const { body: after } = await postern.client().get('/v1/api-keys', { token: admin.token })
    assert.deepEqual(after.data, before.data)
  })

  for (const [path, body] of byLeaked.filter(([path]) => !path.includes('{id}')))
    it(`a request to ${path} by a secret of a platform key that was replaced at once, behind that rotation, makes nothing`, async () => {
      const postern = await server()
      const { organizationId } = await administrator(postern)
      const leaked = await platformKey(postern)
      // The first use of a key is noted in its row.
      await actingFor(postern, leaked, organizationId).get('/v1/webhooks')
      const [rotated, late] = await inOrder(postern, 'platform_key', leaked.id, [
        () =>
          callsOf(postern, OPERATOR_TOKEN).post(`/v1/operator/platform-keys/${leaked.id}/rotate`, {
            overlapHours: 0,
          }),
        () => actingFor(postern, leaked, organizationId).post(path, body()),
      ])
      assert.equal(rotated.status, 200, rotated.text)
      assertError(late, 'FORBIDDEN', { reason: 'administrator_required' })
    })

  it('an organization that is disabled right behind a key that a platform makes in it waits for that key, and none follows', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const key = await platformKey(postern)
    await actingFor(postern, key, admin.organizationId).get('/v1/webhooks')
    const make = () => actingFor(postern, key, admin.organizationId).post('/v1/api-keys', { name: 'made' })
    const disable = () =>
      postern
        .client()
        .patch(
          `/v1/operator/organizations/${admin.organizationId}`,
          { status: 'disabled' },
          { token: OPERATOR_TOKEN },
        )
    const [made, disabled] = await inOrder(postern, 'platform_key', key.id, [make, disable])
    assert.deepEqual([made.status, disabled.status], [201, 200], disabled.text)
    const { key: secret } = made.body
    assertError(await postern.client().get('/v1/webhooks', { token: secret }), 'UNAUTHORIZED')
    assertError(await make(), 'UNAUTHORIZED')
  })
})
