import assert from 'node:assert/strict'
import { it } from 'node:test'
import { totpCode } from '#src/access/factors/totp.ts'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { FACTOR_TRIES, LIFETIME, MOST_FACTORS } from '#src/core/limits.ts'
import { askMagicLink, askReset, assertError, atOnce, mailAbout, signIn, tally } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { assertAsked, assertHalfIn, beginTotp, enrolTotp, showFrom, signInHalf } from '../support/factors.ts'
import { auditOf } from '../support/invitees.ts'
import { administrator, member, PASSWORD, tokenOf } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  postern as runPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { useSocial, vouched } from '../support/social.ts'

const SECOND_FACTOR = '/v1/auth/sign-in/second-factor'

onBothEngines('second factors', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('a sign-in with a password asks for the code, which completes it', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const client = await signInHalf(postern, person.email)
    assertError(await client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await client.get('/v1/auth/token'), 'UNAUTHORIZED')
    const waiting = await client.get(SECOND_FACTOR)
    assert.deepEqual(waiting.body.methods, ['totp', 'recovery_code'])
    const answer = await client.post(SECOND_FACTOR, { code: code() })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.user.email, person.email)
    assert.equal(answer.body.callbackURL, null)
    assert.equal(client.cookies.has('pending'), false)
    assert.equal((await client.get('/v1/auth/session')).body.session.id, answer.body.session.id)
    await tokenOf(client)
    assertError(await client.get(SECOND_FACTOR), 'UNAUTHORIZED', { reason: 'no_pending_sign_in' })
    const options = await client.post('/v1/auth/sign-in/second-factor/options')
    assertError(options, 'UNAUTHORIZED', { reason: 'no_pending_sign_in' })
    const entries = await auditOf(postern, person.email, 'sign_in.succeeded')
    assert.deepEqual(JSON.parse(entries.at(-1)?.details ?? ''), { how: 'password', factor: 'totp' })
  })

  test('a sign-in with a mailed link asks for it, by its button, its code and its form', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const verify = '/v1/auth/magic-link/verify'
    const pressed = await askMagicLink(postern, person.email)
    assertAsked(pressed.client, await pressed.client.post(verify, { token: pressed.token }))
    const typed = await askMagicLink(postern, person.email)
    assertAsked(typed.client, await typed.client.post(verify, { email: person.email, code: typed.code }))
    const posted = await askMagicLink(postern, person.email)
    const answer = await posted.client.post(verify, `token=${posted.token}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location') ?? '', /^http:\/\/localhost:\d+\/sign-in#second-factor$/)
    assertHalfIn(posted.client)
    assert.equal((await posted.client.post(SECOND_FACTOR, { code: code() })).status, 200)
  })

  test('a reset of the password begins no session and removes no factor', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const half = await signInHalf(postern, person.email)
    const token = await askReset(postern, person.email)
    const reset = postern.client()
    const newPassword = 'another horse 8 battery'
    const done = await reset.post('/v1/auth/reset-password', { token, newPassword })
    assert.equal(done.status, 200, done.text)
    assert.equal(reset.cookies.has('session'), false)
    // What waited under the old password has ended.
    assertError(await half.post(SECOND_FACTOR, { code: code() }), 'UNAUTHORIZED', {
      reason: 'no_pending_sign_in',
    })
    const client = postern.client()
    assertAsked(client, await signIn(client, person.email, newPassword))
    assert.equal((await client.post(SECOND_FACTOR, { code: code() })).status, 200)
  })

  test('a sign-in that waits replaces no session and accepts no invitation', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const { code } = await enrolTotp(postern, person)
    const invited = await postern
      .client()
      .post('/v1/invitations', { email: person.email, role: 'member' }, { token: other.token })
    assert.equal(invited.status, 201, invited.text)
    const answer = await signIn(person.client, person.email, PASSWORD)
    assert.equal(answer.status, 401)
    const before = await person.client.get('/v1/auth/session')
    assert.equal(before.status, 200, 'the session of before goes on')
    assert.equal(before.body.user.organizations.length, 1)
    const done = await person.client.post(SECOND_FACTOR, { code: code() })
    assert.equal(done.body.user.organizations.length, 2, done.text)
    assert.notEqual(done.body.session.id, before.body.session.id)
  })

  it('five wrong tries end a sign-in that waits, and of many at once five are compared', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const half = await signInHalf(postern, person.email)
    for (let left = FACTOR_TRIES - 1; left >= 0; left -= 1)
      assertError(await showFrom(postern, half, { code: '000000' }), 'UNAUTHORIZED', {
        reason: 'wrong_factor',
        triesLeft: left,
      })
    assertError(await showFrom(postern, half, { code: code() }), 'UNAUTHORIZED', {
      reason: 'no_pending_sign_in',
    })
    const next = await signInHalf(postern, person.email)
    const answers = await atOnce(30, () => showFrom(postern, next, { code: '000000' }))
    const reasons = answers.map(({ body }) => body.error.details.reason)
    assert.equal(reasons.filter((reason) => reason === 'wrong_factor').length, FACTOR_TRIES)
  })

  it('who knows the password guesses no faster by beginning anew', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    // Far enough that the wait is long: five are free, and each one more doubles it.
    for (let round = 0; round < 3; round += 1) {
      const half = await signInHalf(postern, person.email)
      for (let tries = 0; tries < FACTOR_TRIES; tries += 1) {
        await showFrom(postern, half, { code: '000000' })
        postern.clock.advance(round < 2 ? 40 * SECOND : 0)
      }
    }
    const half = await signInHalf(postern, person.email)
    assertError(await showFrom(postern, half, { code: code() }), 'UNAUTHORIZED', { reason: 'wrong_factor' })
    // A browser that the account knows has a count of its own: the owner is not kept out.
    const owner = postern.client()
    owner.cookies.set('device', String(person.client.cookies.get('device')))
    assertAsked(owner, await signIn(owner, person.email, PASSWORD))
    assert.equal((await owner.post(SECOND_FACTOR, { code: code() })).status, 200)
    postern.clock.advance(16 * MINUTE)
    const later = await signInHalf(postern, person.email)
    assert.equal((await later.post(SECOND_FACTOR, { code: code() })).status, 200)
  })

  it('one code is good once, from however many browsers it comes at once', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const halves = await atOnce(4, () => signInHalf(postern, person.email))
    const once = code()
    const answers = await Promise.all(halves.map((half) => showFrom(postern, half, { code: once })))
    assert.deepEqual(tally(answers), { 200: 1, 401: 3 })
    const later = await signInHalf(postern, person.email)
    assertError(await later.post(SECOND_FACTOR, { code: once }), 'UNAUTHORIZED', { reason: 'wrong_factor' })
  })

  test('takes the code of a phone whose clock is half a minute off, and of no other', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { secret } = await enrolTotp(postern, person)
    const offBy = (seconds: number) => totpCode(secret, postern.clock.now() + seconds * SECOND)
    for (const [seconds, status] of [
      [-90, 401],
      [90, 401],
      [-30, 200],
      [30, 200],
    ] as const) {
      postern.clock.advance(5 * MINUTE)
      const half = await signInHalf(postern, person.email)
      assert.equal((await half.post(SECOND_FACTOR, { code: offBy(seconds) })).status, status, `${seconds} s`)
    }
  })

  it('one recovery code is good once, from however many browsers it comes at once', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { recoveryCodes } = await enrolTotp(postern, person)
    assert.equal(new Set(recoveryCodes).size, 10)
    const [recoveryCode = ''] = recoveryCodes
    const halves = await atOnce(4, () => signInHalf(postern, person.email))
    const answers = await Promise.all(halves.map((half) => showFrom(postern, half, { recoveryCode })))
    assert.deepEqual(tally(answers), { 200: 1, 401: 3 })
    await mailAbout(postern, person.email, /recovery code was used/)
    const typed = recoveryCodes[1]?.toLowerCase().replaceAll('-', ' ')
    const half = await signInHalf(postern, person.email)
    assert.equal((await half.post(SECOND_FACTOR, { recoveryCode: typed })).status, 200)
    assert.equal((await half.get('/v1/auth/factors')).body.recoveryCodesLeft, 8)
  })

  test('new recovery codes end the earlier ones', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { recoveryCodes } = await enrolTotp(postern, person)
    const renewed = await person.client.post('/v1/auth/recovery-codes')
    assert.equal(renewed.body.recoveryCodes.length, 10, renewed.text)
    await mailAbout(postern, person.email, /new recovery codes/)
    const half = await signInHalf(postern, person.email)
    assertError(await half.post(SECOND_FACTOR, { recoveryCode: recoveryCodes[0] }), 'UNAUTHORIZED')
    const [recoveryCode] = renewed.body.recoveryCodes
    assert.equal((await half.post(SECOND_FACTOR, { recoveryCode })).status, 200)
    const bare = await administrator(postern)
    assertError(await bare.client.post('/v1/auth/recovery-codes'), 'FORBIDDEN', {
      reason: 'no_second_factor',
    })
  })

  it('a sign-in waits ten minutes, in its own browser, for its own account', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const [mine, theirs] = [await enrolTotp(postern, person), await enrolTotp(postern, other)]
    const half = await signInHalf(postern, person.email)
    const refused = { reason: 'no_pending_sign_in' }
    assertError(await postern.client().post(SECOND_FACTOR, { code: mine.code() }), 'UNAUTHORIZED', refused)
    assertError(await half.post(SECOND_FACTOR, { code: theirs.code() }), 'UNAUTHORIZED', {
      reason: 'wrong_factor',
    })
    assertError(await half.post(SECOND_FACTOR, { recoveryCode: theirs.recoveryCodes[0] }), 'UNAUTHORIZED', {
      reason: 'wrong_factor',
    })
    postern.clock.advance(LIFETIME.pendingSignIn)
    assertError(await half.post(SECOND_FACTOR, { code: mine.code() }), 'UNAUTHORIZED', refused)
  })

  it('the first factor ends every other session, and says so by mail', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const other = postern.client()
    assert.equal((await signIn(other, person.email, PASSWORD)).status, 200)
    const { recoveryCodes } = await enrolTotp(postern, person)
    assert.equal(recoveryCodes.length, 10)
    assertError(await other.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.equal((await person.client.get('/v1/auth/session')).status, 200)
    await mailAbout(postern, person.email, /second factor was added/)
    // A further one brings no codes.
    assert.deepEqual((await enrolTotp(postern, person, 'Tablet')).recoveryCodes, [])
    const { body } = await person.client.get('/v1/auth/factors')
    assert.deepEqual(
      body.data.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
      [
        ['totp', 'Phone'],
        ['totp', 'Tablet'],
      ],
    )
    assert.equal((await auditOf(postern, person.email, 'factor.added')).length, 2)
  })

  test('a factor counts from its first code on, not before', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { id, secret } = await beginTotp(person)
    assert.equal((await signIn(postern.client(), person.email, PASSWORD)).status, 200)
    assert.deepEqual((await person.client.get('/v1/auth/factors')).body.data, [])
    const confirm = (code: string) => person.client.post(`/v1/auth/factors/${id}/confirm`, { code })
    assertError(await confirm('000000'), 'VALIDATION_FAILED', { field: 'code', reason: 'wrong_code' })
    postern.clock.advance(LIFETIME.enrolment + SECOND)
    assertError(await confirm(totpCode(secret, postern.clock.now())), 'ENTITY_NOT_FOUND')
  })

  test('the last factor takes the recovery codes with it, and sign-in asks for a password alone', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { factorId } = await enrolTotp(postern, person)
    const half = await signInHalf(postern, person.email)
    assert.equal((await person.client.delete(`/v1/auth/factors/${factorId}`)).status, 204)
    await mailAbout(postern, person.email, /second factor was removed/)
    assertError(await half.get(SECOND_FACTOR), 'UNAUTHORIZED')
    assert.equal((await person.client.get('/v1/auth/factors')).body.recoveryCodesLeft, 0)
    assert.equal((await signIn(postern.client(), person.email, PASSWORD)).status, 200)
  })

  test('an open browser alone changes no factor', async () => {
    const postern = await server()
    const [bare, person] = [await administrator(postern), await administrator(postern)]
    const { factorId } = await enrolTotp(postern, person)
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    assertError(await bare.client.post('/v1/auth/factors/totp', {}), 'FORBIDDEN', {
      reason: 'step_up_required',
      methods: [],
    })
    const asked = { reason: 'step_up_required', methods: ['totp', 'recovery_code'] }
    const { client } = person
    assertError(await client.post('/v1/auth/factors/totp', {}), 'FORBIDDEN', asked)
    assertError(await client.delete(`/v1/auth/factors/${factorId}`), 'FORBIDDEN', asked)
    assertError(await client.post('/v1/auth/recovery-codes'), 'FORBIDDEN', asked)
  })

  test("one person's factors are not another's", async () => {
    const postern = await server()
    const person = await administrator(postern)
    const colleague = await member(postern, person)
    const { factorId } = await enrolTotp(postern, person)
    const { client } = colleague
    assertError(await client.delete(`/v1/auth/factors/${factorId}`), 'ENTITY_NOT_FOUND')
    assertError(await client.patch(`/v1/auth/factors/${factorId}`, { name: 'mine' }), 'ENTITY_NOT_FOUND')
    assert.deepEqual((await client.get('/v1/auth/factors')).body.data, [])
    const renamed = await person.client.patch(`/v1/auth/factors/${factorId}`, { name: ' Old phone ' })
    assert.equal(renamed.body.name, 'Old phone', renamed.text)
  })

  it(`an account has ${MOST_FACTORS} factors at most`, async () => {
    const postern = await server()
    const person = await administrator(postern)
    for (let count = 0; count < MOST_FACTORS; count += 1) await enrolTotp(postern, person, `Phone ${count}`)
    assertError(await person.client.post('/v1/auth/factors/totp', {}), 'FORBIDDEN', {
      reason: 'too_many_factors',
      limit: MOST_FACTORS,
    })
  })

  it('who has lost everything is let in by the operator, or by the administrator of the only organization', async () => {
    const postern = await server()
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    const person = await member(postern, admin)
    await enrolTotp(postern, person)
    const path = `/v1/organizations/${admin.organizationId}/members`
    const remove = (accountId: string) =>
      postern.client().delete(`${path}/${accountId}/factors`, { token: admin.token })
    assertError(await remove(other.accountId), 'ENTITY_NOT_FOUND')
    assertError(await remove(admin.accountId), 'FORBIDDEN', { reason: 'own_account' })
    const removed = await remove(person.accountId)
    assert.deepEqual(removed.body, { removedFactors: 1 }, removed.text)
    await mailAbout(postern, person.email, /second factors were removed/)
    assertError(await person.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    const back = postern.client()
    assert.equal((await signIn(back, person.email, PASSWORD)).status, 200)

    await enrolTotp(postern, { client: back })
    await postern.app.database.tx((tx) =>
      tx
        .insertInto('membership')
        .values({
          organization_id: other.organizationId as Id<'organization'>,
          account_id: person.accountId as Id<'account'>,
          role: 'member',
          created_at: postern.clock.now(),
        })
        .execute(),
    )
    assertError(await remove(person.accountId), 'FORBIDDEN', { reason: 'member_elsewhere' })
    const told = await runPostern(postern, 'account', '--email', person.email, '--remove-factors')
    assert.equal(told.code, 0, told.err)
    assert.match(told.out, /no second factor any more/)
    assert.equal((await signIn(postern.client(), person.email, PASSWORD)).status, 200)

    await enrolTotp(postern, other)
    const ended = await postern
      .client()
      .delete(`/v1/operator/accounts/${other.accountId}/factors`, { token: OPERATOR_TOKEN })
    assert.deepEqual(ended.body, { removedFactors: 1 }, ended.text)
    assertError(await other.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.equal((await auditOf(postern, other.email, 'factor.all_removed')).length, 1)
  })

  it('neither the store nor the log holds a secret or a code that can be read', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { secret, recoveryCodes } = await enrolTotp(postern, person)
    const half = await signInHalf(postern, person.email)
    await half.post(SECOND_FACTOR, { recoveryCode: recoveryCodes[0] })
    const { db } = postern.app.database
    const rows = JSON.stringify([
      await db.selectFrom('second_factor').selectAll().execute(),
      await db.selectFrom('recovery_code').selectAll().execute(),
      await db.selectFrom('pending_sign_in').selectAll().execute(),
      await db.selectFrom('audit').selectAll().execute(),
    ])
    for (const one of [secret, ...recoveryCodes, half.cookies.get('session') ?? '']) {
      assert.ok(!rows.includes(one))
      assert.ok(!postern.log().includes(one))
    }
  })
})

onBothEngines('second factors of people who come by a provider', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, come } = useSocial(engine)

  test('a sign-in with a provider leads to the page that asks, and then to where it began', async () => {
    const { postern } = await server()
    const person = await administrator(postern)
    const claims = vouched(person.email)
    const first = await come('google', claims)
    assert.equal(first.answer.status, 302)
    assert.ok(first.client.cookies.has('session'))
    const { code } = await enrolTotp(postern, first)
    const { client, answer } = await come('google', claims)
    assert.equal(answer.status, 302)
    assert.match(answer.headers.get('location') ?? '', /^http:\/\/localhost:\d+\/sign-in#second-factor$/)
    assertHalfIn(client as Client)
    const done = await client.post(SECOND_FACTOR, { code: code() })
    assert.equal(done.status, 200, done.text)
    assert.equal(done.body.callbackURL, 'https://app.acme.test/signed-in')
  })
})
