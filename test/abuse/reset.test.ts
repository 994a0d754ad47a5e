import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, systemClock } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { LIFETIME } from '#src/core/limits.ts'
import {
  askReset,
  assertError,
  atOnce,
  MANY,
  mailAbout,
  signIn,
  tally,
  withPostern,
} from '../support/attacks.ts'
import { inviteByHand, mailsAreResolved } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { until } from '../support/waits.ts'

const GOOD = 'another horse 8 battery'

function reset(postern: Postern, token: string, newPassword: string) {
  return postern.client().post('/v1/auth/reset-password', { token, newPassword })
}

onBothEngines('password reset', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('49: one of many resets with the same token replaces the password', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const token = await askReset(postern, email)
    const passwords = Array.from({ length: MANY }, (_, index) => `${GOOD} ${index}`)
    const answers = await atOnce(MANY, (index) => reset(postern, token, passwords[index] ?? ''))
    assert.deepEqual(tally(answers), { 200: 1, 400: MANY - 1 })
    for (const answer of answers.filter(({ status }) => status === 400)) {
      assertError(answer, 'VALIDATION_FAILED', { field: 'token', value: '[redacted]' })
    }
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    assert.equal((await signIn(postern.client(), email, winner)).status, 200)
    assertError(await signIn(postern.client(), email, PASSWORD), 'UNAUTHORIZED')
    assertError(await reset(postern, token, GOOD), 'VALIDATION_FAILED', { field: 'token' })
    const reported = await postern.app.database.db
      .selectFrom('mail')
      .select('id')
      .where('recipient', '=', email)
      .where('subject', '=', 'Your password was changed')
      .execute()
    assert.equal(reported.length, 1)
  })

  test('49: a newer request kills the older token', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const older = await askReset(postern, email)
    const newer = await askReset(postern, email)
    assertError(await reset(postern, older, GOOD), 'VALIDATION_FAILED', { field: 'token' })
    assert.equal((await reset(postern, newer, GOOD)).status, 200)
    assertError(await reset(postern, older, GOOD), 'VALIDATION_FAILED', { field: 'token' })
  })

  it('49: a changed password leaves no sign-in link of before alive', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const attacker = postern.client()
    await attacker.post('/v1/auth/magic-link', { email })
    const link = await mailAbout(postern, email, /sign-in link/)
    assert.equal((await reset(postern, await askReset(postern, email), GOOD)).status, 200)
    assertError(await attacker.post('/v1/auth/magic-link/verify', { token: link.token }), 'UNAUTHORIZED')
    assertError(await attacker.post('/v1/auth/magic-link/verify', { email, code: link.code }), 'UNAUTHORIZED')
  })

  it('49: a token lives 30 minutes and not a millisecond longer', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const token = await askReset(postern, email)
    postern.clock.advance(LIFETIME.passwordReset)
    const late = await reset(postern, token, GOOD)
    assertError(late, 'VALIDATION_FAILED', { field: 'token', value: '[redacted]' })
    const never = await reset(postern, 'x'.repeat(43), GOOD)
    assert.deepEqual(late.body.error.details, never.body.error.details)
    const second = await askReset(postern, email)
    postern.clock.advance(LIFETIME.passwordReset - 60_000)
    assert.equal((await reset(postern, second, GOOD)).status, 200)
  })

  test('50: a password that is refused does not use up the token', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const token = await askReset(postern, email)
    for (const weak of ['short', 'password1', email, 'x'.repeat(257), '']) {
      const refused = await reset(postern, token, weak)
      assertError(refused, 'VALIDATION_FAILED', { field: 'newPassword', value: '[redacted]' })
    }
    const typed = await postern.client().post('/v1/auth/reset-password', { token, newPassword: ['x'] })
    assertError(typed, 'TYPE_MISMATCH', { field: 'newPassword', value: '[redacted]' })
    assert.equal((await reset(postern, token, GOOD)).status, 200)
  })

  test('51: a reset does not let an invited person past the sign-up and its terms', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = newEmail('invited')
    const invited = await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    const first = await postern.mailbox.next(email)
    const asked = await postern.client().post('/v1/auth/forget-password', { email })
    assert.deepEqual(asked.body, { status: true })
    const repeated = await postern.mailbox.next(email)
    assert.equal(repeated.subject, first.subject)
    assert.match(repeated.link, /\/accept-invitation\?token=/)
    assertError(await reset(postern, repeated.token, GOOD), 'VALIDATION_FAILED', { field: 'token' })
    assertError(await reset(postern, first.token, GOOD), 'VALIDATION_FAILED', { field: 'token' })
    assertError(await signIn(postern.client(), email, GOOD), 'UNAUTHORIZED')
    const account = await postern.app.database.db
      .selectFrom('account')
      .select(['status', 'password_hash', 'terms_accepted_at', 'email_verified_at'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...account },
      {
        status: 'inactive',
        password_hash: null,
        terms_accepted_at: null,
        email_verified_at: null,
      },
    )
    const read = await postern.client().get(`/v1/invitations/${invited.body.id}`, { token: admin.token })
    // A repeated request does not extend the invitation.
    assert.equal(read.body.expiresAt, invited.body.expiresAt)
    const body = signUpBody(email, { invitationToken: repeated.token })
    assert.equal((await postern.client().post('/v1/auth/sign-up/email', body)).status, 201)
  })

  test('51: a stranger’s request ends no link that was handed over', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const handed = await inviteByHand(postern, admin)
    const email = newEmail('first')
    const printed = await command(
      postern,
      'invite',
      '--organization',
      newEmail('Org'),
      '--email',
      email,
      '--json',
    )
    const links = [handed, { email, token: JSON.parse(printed.out).token as string }]
    for (const link of links) {
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link'])
        assert.equal((await postern.client().post(path, { email: link.email })).status, 200)
      await mailsAreResolved(postern, admin)
      const body = signUpBody(link.email, { invitationToken: link.token })
      const signedUp = await postern.client().post('/v1/auth/sign-up/email', body)
      assert.equal(signedUp.status, 201, signedUp.text)
    }
  })

  it('51: a request that cannot be resolved delays no other, and is dropped after a day', async () => {
    const postern = await server()
    const { database } = postern.app
    const { email } = await administrator(postern)
    const add = (age: number) => {
      const created_at = systemClock.now() - age
      const id = newId('mail', created_at)
      const asked = { id, kind: 'password_reset', email, binding_hash: null, ip: '' } as const
      const row = { ...asked, payload: 'not what any key has sealed', created_at }
      return database.tx((tx) => tx.insertInto('mail_request').values(row).execute())
    }
    const waiting = () => database.db.selectFrom('mail_request').select('created_at').execute()
    await add(23 * HOUR)
    await add(25 * HOUR)
    assert.equal((await reset(postern, await askReset(postern, email), GOOD)).status, 200)
    await until(waiting, ({ length }) => length === 1, { what: 'only the request of the last day' })
    await database.tx((tx) => tx.deleteFrom('mail_request').execute())
  })

  it('51: without a mail server, a stranger’s request ends no handed-over invitation', () =>
    withPostern(engine, { env: { SMTP_URL: '' } }, async (postern) => {
      const { email, token } = await inviteByHand(postern, await administrator(postern))
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
        assert.deepEqual((await postern.client().post(path, { email })).body, { status: true })
      }
      await requestsAreResolved(postern)
      const body = signUpBody(email, { invitationToken: token })
      assert.equal((await postern.client().post('/v1/auth/sign-up/email', body)).status, 201)
    }))
})

async function requestsAreResolved({ app }: Postern): Promise<void> {
  const waiting = app.database.db.selectFrom('mail_request').select('id')
  await until(
    () => waiting.execute(),
    ({ length }) => length === 0,
    { what: 'no request for a mail that is still to be looked into' },
  )
}
