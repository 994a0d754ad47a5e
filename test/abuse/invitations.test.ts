import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { assertError, atOnce, MANY, signIn, tally } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import {
  accountOf,
  inviteByHand,
  inviteByMail,
  mailsAreResolved,
  mailsTo,
  membershipsOf,
  sessionsOf,
} from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, signUp, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const ATTACKERS_PASSWORD = 'wicked horse 6 battery'

function signUpWith(postern: Postern, email: string, more: object = {}): Promise<Answer> {
  return postern.client().post('/v1/auth/sign-up/email', signUpBody(email, more))
}

onBothEngines('invitations', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('1: no person signs up without an invitation', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = newEmail('stranger')
    for (const more of [{}, { invitationToken: 'x' }, { invitationToken: 'x'.repeat(43) }]) {
      const answer = await signUpWith(postern, email, more)
      assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
    await mailsAreResolved(postern, admin)
    assert.equal(await accountOf(postern, email), undefined)
    assert.deepEqual(await mailsTo(postern, email), [])
  })

  it('2: an invited address without its mailbox gets neither session nor membership', async () => {
    const postern = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const attacker = postern.client()
    const answer = await attacker.post(
      '/v1/auth/sign-up/email',
      signUpBody(email, { password: ATTACKERS_PASSWORD }),
    )
    assert.equal(answer.status, 201)
    assert.equal(answer.body.session, null)
    assert.equal(answer.body.emailVerificationRequired, true)
    assert.equal(answer.body.user.status, 'inactive')
    assert.deepEqual(answer.body.user.organizations, [])
    assert.equal(attacker.cookies.has('session'), false)
    assert.deepEqual(await membershipsOf(postern, email), [])
    assert.equal((await accountOf(postern, email))?.password_hash, null)
    assertError(await signIn(attacker, email, ATTACKERS_PASSWORD), 'UNAUTHORIZED')
    assert.deepEqual((await postern.mailbox.next(email)).recipients, [email])
  })

  it('3: the real invitation link ends flows that another person began for the address', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email, token } = await inviteByMail(postern, admin)
    await signUpWith(postern, email, { password: ATTACKERS_PASSWORD })
    const confirmation = (await postern.mailbox.next(email)).token
    await signUp(postern, { email, invitationToken: token, organizationId: admin.organizationId })
    assertError(await signIn(postern.client(), email, ATTACKERS_PASSWORD), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    assertError(
      await postern.client().post('/v1/auth/verify-email', { token: confirmation }),
      'VALIDATION_FAILED',
      { field: 'token' },
    )
  })

  test('3: a link that the inviter was handed opens that one organization and proves no mailbox', async () => {
    const postern = await server()
    const [eve, ada] = [await administrator(postern), await administrator(postern)]
    const wanted = await inviteByMail(postern, ada)
    const kept = await inviteByHand(postern, eve, wanted.email)
    // The bearer of this link cannot see invitations of other organizations.
    const preview = await postern.client().get(`/v1/invitations/preview?token=${kept.token}`)
    assert.equal(preview.body.organizations.length, 1)
    const attacker = postern.client()
    const taken = await attacker.post(
      '/v1/auth/sign-up/email',
      signUpBody(wanted.email, { password: ATTACKERS_PASSWORD, invitationToken: kept.token }),
    )
    assert.equal(taken.status, 201)
    assert.equal(taken.body.user.emailVerified, false)
    assert.deepEqual(await membershipsOf(postern, wanted.email), [eve.organizationId])
    await signIn(postern.client(), wanted.email, ATTACKERS_PASSWORD)
    assert.deepEqual(await membershipsOf(postern, wanted.email), [eve.organizationId])
    // The owner of the mailbox can take the account over.
    await signUp(postern, {
      email: wanted.email,
      invitationToken: wanted.token,
      organizationId: ada.organizationId,
    })
    assertError(await attacker.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await signIn(postern.client(), wanted.email, ATTACKERS_PASSWORD), 'UNAUTHORIZED')
    assert.deepEqual(
      await membershipsOf(postern, wanted.email),
      [ada.organizationId, eve.organizationId].sort(),
    )
  })

  test('4: a magic link for an address that another person began with sends the invitation again', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email, token: old } = await inviteByMail(postern, admin)
    await signUpWith(postern, email, { password: ATTACKERS_PASSWORD })
    await postern.mailbox.next(email)
    await postern.client().post('/v1/auth/magic-link', { email })
    const { subject, token } = await postern.mailbox.next(email)
    assert.match(subject, /invited/)
    assertError(await signUpWith(postern, email, { invitationToken: old }), 'FORBIDDEN')
    await signUp(postern, { email, invitationToken: token, organizationId: admin.organizationId })
    assertError(await signIn(postern.client(), email, ATTACKERS_PASSWORD), 'UNAUTHORIZED')
  })

  test('5: an invitation is for its own address only, and not used up by another', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const mine = await inviteByMail(postern, admin)
    const other = await inviteByMail(postern, admin)
    for (const email of [newEmail('stranger'), other.email, admin.email]) {
      const answer = await signUpWith(postern, email, { invitationToken: mine.token })
      assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
      assert.equal(await sessionsOf(postern, email), email === admin.email ? 1 : 0)
    }
    await signUp(postern, { ...mine, invitationToken: mine.token, organizationId: admin.organizationId })
  })

  it('6: one of many sign-ups at once with the same invitation token gets in', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email, token } = await inviteByMail(postern, admin)
    const answers = await atOnce(MANY, () => signUpWith(postern, email, { invitationToken: token }))
    assert.deepEqual(tally(answers), { 201: 1, 403: MANY - 1 })
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.equal(await sessionsOf(postern, email), 1)
    assertError(await signUpWith(postern, email, { invitationToken: token }), 'FORBIDDEN')
  })

  it('6: one of many confirmations at once with the same token gets in', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    await signUpWith(postern, email)
    const { token } = await postern.mailbox.next(email)
    const body = { token, password: PASSWORD }
    const answers = await atOnce(MANY, () => postern.client().post('/v1/auth/verify-email', body))
    assert.deepEqual(tally(answers), { 200: 1, 400: MANY - 1 })
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.equal(await sessionsOf(postern, email), 1)
  })

  it('7: an expired, a revoked, a superseded and an unknown token are one answer', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const [expired, revoked, resent] = [
      await inviteByMail(postern, admin, undefined, { expiresInDays: 1 }),
      await inviteByMail(postern, admin),
      await inviteByMail(postern, admin),
    ]
    postern.clock.advance(DAY)
    const token = (await admin.client.get('/v1/auth/token')).body.token
    await postern.client().delete(`/v1/invitations/${revoked.id}`, { token })
    await postern.client().post(`/v1/invitations/${resent.id}/resend`, undefined, { token })
    const bodies = new Set<string>()
    for (const { email, token } of [expired, revoked, resent, { email: newEmail(), token: 'x'.repeat(43) }]) {
      const answer = await signUpWith(postern, email, { invitationToken: token })
      bodies.add(answer.text.replace(answer.headers.get('x-request-id') ?? '', ''))
      const preview = await postern.client().get(`/v1/invitations/preview?token=${token}`)
      assertError(preview, 'ENTITY_NOT_FOUND', { field: 'token' })
      assert.deepEqual(await membershipsOf(postern, email), [])
    }
    assert.equal(bodies.size, 1)
    assertError(await signUpWith(postern, newEmail()), 'FORBIDDEN', { reason: 'invitation_required' })
  })
})
