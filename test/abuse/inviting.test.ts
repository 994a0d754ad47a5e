import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, fromIso } from '#src/core/clock.ts'
import { assertError, signIn } from '../support/attacks.ts'
import {
  accountOf,
  inviteByMail,
  mailsAreResolved,
  mailsTo,
  membershipsOf,
  setStatus,
} from '../support/invitees.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, signUp, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

async function countInvitations(postern: Postern): Promise<number> {
  const rows = await postern.app.database.db.selectFrom('invitation').select('id').execute()
  return rows.length
}

onBothEngines('who may invite', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('10: members, machines without the role and outsiders cannot invite', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { token, client } = await member(postern, admin)
    const machine = await apiKey(postern, admin, 'member')
    const before = await countInvitations(postern)
    const email = newEmail('victim')
    const bulk = { invitations: [{ email }] }
    for (const [path, body] of [
      ['/v1/invitations', { email }],
      ['/v1/invitations/bulk', bulk],
    ] as const) {
      for (const credential of [token, machine]) {
        const answer = await postern.client().post(path, body, { token: credential })
        assertError(answer, 'FORBIDDEN', { reason: 'administrator_required' })
      }
      assertError(await postern.client().post(path, body), 'UNAUTHORIZED')
      // A session has no organization; its JWT has one.
      assertError(await client.post(path, body), 'UNAUTHORIZED')
      assertError(await postern.client().post(path, body, { token: 'psk_unknown' }), 'UNAUTHORIZED')
    }
    await mailsAreResolved(postern, admin)
    assert.equal(await countInvitations(postern), before)
    assert.deepEqual(await mailsTo(postern, email), [])
    assert.equal(await accountOf(postern, email), undefined)
  })

  test('11: an administrator invites to no organization but the one of the token', async () => {
    const postern = await server()
    const [eve, ada] = [await administrator(postern), await administrator(postern)]
    const email = newEmail('victim')
    const { organizationId } = ada
    const inBody = await postern
      .client()
      .post('/v1/invitations', { email, organizationId }, { token: eve.token })
    assertError(inBody, 'VALIDATION_FAILED', { field: 'organizationId' })
    const inBulk = await postern
      .client()
      .post('/v1/invitations/bulk', { invitations: [{ email, organizationId }] }, { token: eve.token })
    assertError(inBulk, 'VALIDATION_FAILED', { field: 'invitations.0.organizationId' })
    const inQuery = await postern
      .client()
      .post(`/v1/invitations?organizationId=${organizationId}`, { email }, { token: eve.token })
    assert.equal(inQuery.body.organizationId, eve.organizationId)
    // It cannot read, revoke or resend invitations of another organization.
    const foreign = await inviteByMail(postern, ada)
    const path = `/v1/invitations/${foreign.id}`
    const { token } = eve
    assertError(await postern.client().get(path, { token }), 'ENTITY_NOT_FOUND')
    assertError(await postern.client().delete(path, { token }), 'ENTITY_NOT_FOUND')
    assertError(await postern.client().post(`${path}/resend`, undefined, { token }), 'ENTITY_NOT_FOUND')
    await signUp(postern, { ...foreign, invitationToken: foreign.token, organizationId })
  })

  test('12: a role that does not exist is refused', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const before = await countInvitations(postern)
    const roles = {
      VALIDATION_FAILED: ['owner', 'superuser', 'member,owner', 'Administrator', ' member', '', '__proto__'],
      TYPE_MISMATCH: [['administrator'], { administrator: true }, 1, null, true],
    }
    for (const [code, values] of Object.entries(roles)) {
      for (const role of values) {
        const answer = await postern
          .client()
          .post('/v1/invitations', { email: newEmail(), role }, { token: admin.token })
        assertError(answer, code as keyof typeof roles, { field: 'role' })
      }
    }
    const polluted = `{"email":"${newEmail()}","__proto__":{"role":"administrator"}}`
    const headers = { 'content-type': 'application/json' }
    assertError(
      await postern.client().post('/v1/invitations', polluted, { token: admin.token, headers }),
      'VALIDATION_FAILED',
      { field: 'body' },
    )
    const bulk = { invitations: roles.VALIDATION_FAILED.map((role) => ({ email: newEmail(), role })) }
    const answer = await postern.client().post('/v1/invitations/bulk', bulk, { token: admin.token })
    for (const { error } of answer.body.results) {
      assert.equal(error.code, 'VALIDATION_FAILED')
      assert.equal(error.details.field, 'role')
    }
    assert.equal(await countInvitations(postern), before)
  })

  for (const how of ['demoted', 'removed'] as const) {
    it(`13: the invitations of an inviter who is ${how} before they are accepted are revoked`, async () => {
      const postern = await server()
      const ada = await administrator(postern)
      const eve = await member(postern, ada, 'administrator')
      const invited = await inviteByMail(postern, eve)
      const kept = await inviteByMail(postern, ada)
      const path = `/v1/organizations/${ada.organizationId}/members/${eve.accountId}`
      const { status } =
        how === 'removed'
          ? await postern.client().delete(path, { token: ada.token })
          : await postern.client().patch(path, { role: 'member' }, { token: ada.token })
      assert.ok(status < 300)
      const answer = await postern
        .client()
        .post('/v1/auth/sign-up/email', signUpBody(invited.email, { invitationToken: invited.token }))
      assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
      assert.deepEqual(await membershipsOf(postern, invited.email), [])
      await signUp(postern, { ...kept, invitationToken: kept.token, organizationId: ada.organizationId })
    })
  }

  it('13: the invitations of a key that is deleted before they are accepted are revoked', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const made = await postern
      .client()
      .post('/v1/api-keys', { name: 'machine', role: 'administrator' }, { token: ada.token })
    const invited = await inviteByMail(postern, { token: made.body.key })
    await postern.client().delete(`/v1/api-keys/${made.body.id}`, { token: ada.token })
    const answer = await postern
      .client()
      .post('/v1/auth/sign-up/email', signUpBody(invited.email, { invitationToken: invited.token }))
    assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
  })

  test('13: an invitation does not enable a disabled account', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const person = await member(postern, ada)
    await setStatus(postern, person.email, 'disabled')
    const { token } = await inviteByMail(postern, eve, person.email)
    const answer = await postern
      .client()
      .post('/v1/auth/sign-up/email', signUpBody(person.email, { invitationToken: token }))
    assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
    assertError(await signIn(postern.client(), person.email, PASSWORD), 'UNAUTHORIZED')
    assert.deepEqual(await membershipsOf(postern, person.email), [ada.organizationId])
  })

  it('19: a bulk of duplicates and bad rows has one result a row', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const known = await inviteByMail(postern, admin)
    const email = newEmail('bulk')
    const rows = [
      { email },
      { email: email.toUpperCase() },
      { email },
      { email },
      { email },
      { email: 'no address' },
      { email: newEmail('bulk'), role: 'owner' },
      { email: known.email },
      { email: admin.email },
      { email: newEmail('bulk'), role: 'administrator' },
    ]
    const headers = { 'idempotency-key': newEmail('key') }
    const call = { token: admin.token, headers }
    const answer = await postern.client().post('/v1/invitations/bulk', { invitations: rows }, call)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(
      answer.body.results.map(({ error }: { error?: { code: string } }) => error?.code ?? 'invited'),
      [
        'invited',
        ...Array.from({ length: 4 }, () => 'DUPLICATE'),
        'INVALID_EMAIL',
        'VALIDATION_FAILED',
        'DUPLICATE',
        'DUPLICATE',
        'invited',
      ],
    )
    const count = await countInvitations(postern)
    const repeated = await postern.client().post('/v1/invitations/bulk', { invitations: rows }, call)
    assert.equal(repeated.text, answer.text)
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
    assert.equal(await countInvitations(postern), count)
    assert.equal((await mailsTo(postern, email)).length, 1)
  })

  test('19: all invitations of a bulk are valid for its number of days, 1 to 30', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const bulk = (more: object) =>
      postern
        .client()
        .post(
          '/v1/invitations/bulk',
          { invitations: [{ email: newEmail() }], ...more },
          { token: admin.token },
        )
    const daysOf = ({ body }: Awaited<ReturnType<typeof bulk>>) => {
      const { createdAt, expiresAt } = body.results[0].invitation
      return ((fromIso(expiresAt) ?? 0) - (fromIso(createdAt) ?? 0)) / DAY
    }
    assert.equal(daysOf(await bulk({ expiresInDays: 30 })), 30)
    assert.equal(daysOf(await bulk({})), 7)
    for (const expiresInDays of [0, 31, 1.5])
      assertError(
        await bulk({ expiresInDays }),
        expiresInDays === 1.5 ? 'TYPE_MISMATCH' : 'VALIDATION_FAILED',
      )
  })

  test('19: a bulk with rows of the wrong shape invites no person', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const before = await countInvitations(postern)
    const good = { email: newEmail() }
    for (const invitations of [
      [],
      [good, null],
      [good, 'x@acme.test'],
      [good, {}],
      [good, { email: 1 }],
      good,
      Array.from({ length: 1_001 }, () => good),
    ]) {
      const answer = await postern.client().post('/v1/invitations/bulk', { invitations }, { token })
      assert.equal(answer.status, 400, answer.text.slice(0, 300))
    }
    assert.equal(await countInvitations(postern), before)
  })
})
