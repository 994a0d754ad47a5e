import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RATES } from '#src/core/limits.ts'
import { askMagicLink, assertError, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { inOrder } from '../support/held-rows.ts'
import { sessionsOf } from '../support/invitees.ts'
import { administrator, member, newEmail, PASSWORD, type Person, tokenOf } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const NEW_PASSWORD = 'another horse 8 battery'

/** Only the rate that is tested here has a limit that a test reaches. */
const LIMITS = JSON.stringify(
  Object.fromEntries(
    Object.entries(RATES).map(([name, rate]) => [
      name,
      name === 'renamePerOrganization' ? rate : { max: 1_000_000 },
    ]),
  ),
)

/** Signs somebody in at one more browser. */
async function secondBrowser(postern: Postern, { email }: Person): Promise<Client> {
  const client = postern.client()
  assert.equal((await signIn(client, email, PASSWORD)).status, 200)
  return client
}

const change = (client: Client, currentPassword = PASSWORD, newPassword = NEW_PASSWORD) =>
  client.post('/v1/auth/change-password', { currentPassword, newPassword })

async function entries(postern: Postern, { token }: Person, action: string) {
  const { body } = await callsOf(postern, token).get(`/v1/audit-log?action=${action}`)
  return body.data as { actorId: string; details: Record<string, unknown> }[]
}

onBothEngines('what people do to their own account', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { LIMITS } })

  test('is to change their names, trimmed, one or both', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const rename = (body: object) => person.client.patch('/v1/auth/account', body)
    const { body: user } = await rename({ firstName: '  Grace ' })
    assert.deepEqual([user.firstName, user.lastName], ['Grace', 'Lovelace'])
    assert.equal((await rename({ lastName: '=Hopper' })).body.lastName, '=Hopper')
    const { body } = await person.client.get('/v1/auth/session')
    assert.deepEqual([body.user.firstName, body.user.lastName], ['Grace', '=Hopper'])
    assertError(await rename({}), 'VALIDATION_FAILED')
    for (const firstName of ['', '   ', 'a\nb', 'a\u0000b', 'x'.repeat(101)])
      assertError(await rename({ firstName }), 'VALIDATION_FAILED', { field: 'firstName' })
    assertError(await rename({ email: newEmail() }), 'VALIDATION_FAILED', { field: 'email' })
    await rename({ firstName: 'Grace' })
    const changed = await entries(postern, person, 'account.updated')
    assert.equal(changed.length, 2, 'what changes nothing is no entry')
    assert.ok(changed.every(({ actorId }) => actorId === person.accountId))
  })

  it('is to change the password, which ends every other way in and tells the owner', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const other = await secondBrowser(postern, person)
    const otherToken = await tokenOf(other)
    const link = await askMagicLink(postern, person.email)
    const answer = await change(person.client)
    assert.deepEqual([answer.status, answer.body], [200, { endedSessions: 1 }], answer.text)
    assert.equal((await person.client.get('/v1/auth/session')).status, 200)
    assert.equal((await callsOf(postern, person.token).get('/v1/organizations')).status, 200)
    assertError(await other.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await callsOf(postern, otherToken).get('/v1/organizations'), 'UNAUTHORIZED')
    assertError(await link.client.post('/v1/auth/magic-link/verify', { token: link.token }), 'UNAUTHORIZED')
    assertError(await signIn(postern.client(), person.email, PASSWORD), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), person.email, NEW_PASSWORD)).status, 200)
    const mail = await postern.app.database.db
      .selectFrom('mail')
      .select('id')
      .where('recipient', '=', person.email)
      .where('subject', '=', 'Your password was changed')
      .execute()
    assert.equal(mail.length, 1)
    const [entry] = await entries(postern, person, 'password.changed')
    assert.deepEqual(entry?.details, { how: 'change', endedSessions: 1 })
  })

  it('is to change the password by the present one alone, which is guessed no faster than at the sign-in', async () => {
    const postern = await server()
    const person = await administrator(postern)
    assertError(await change(person.client, 'wrong', NEW_PASSWORD), 'FORBIDDEN', { reason: 'wrong_password' })
    assertError(await change(person.client, PASSWORD, 'short'), 'VALIDATION_FAILED', {
      field: 'newPassword',
      value: '[redacted]',
    })
    assertError(await change(person.client, PASSWORD, 'password1'), 'VALIDATION_FAILED', {
      reason: 'password_too_common',
    })
    assert.equal((await signIn(postern.client(), person.email, PASSWORD)).status, 200)
    // The first wait is a second, which a busy machine takes for less.
    using _ = postern.clock.stop()
    for (let tries = 0; tries < 5; tries += 1)
      assertError(await change(person.client, 'wrong'), 'FORBIDDEN', { reason: 'wrong_password' })
    // The password is right, but too early: the answer is that of a wrong one.
    assertError(await change(person.client), 'FORBIDDEN', { reason: 'wrong_password' })
    const failed = await entries(postern, person, 'sign_in.failed')
    assert.deepEqual(failed[0]?.details, { how: 'change_password', throttled: true })
    postern.clock.advance(2_000)
    assert.equal((await change(person.client)).status, 200)
  })

  test('is to have no password changed where there is none', async () => {
    const postern = await server()
    const person = await administrator(postern)
    await postern.app.database.tx((tx) =>
      tx.updateTable('account').set({ password_hash: null }).where('email', '=', person.email).execute(),
    )
    assertError(await change(person.client), 'FORBIDDEN', { reason: 'wrong_password' })
  })

  it('is to end all other sessions, and their tokens with them', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const others = [await secondBrowser(postern, person), await secondBrowser(postern, person)]
    const tokens = await Promise.all(others.map((other) => tokenOf(other)))
    const answer = await person.client.delete('/v1/auth/sessions')
    assert.deepEqual([answer.status, answer.body], [200, { endedSessions: 2 }])
    for (const other of others) assertError(await other.get('/v1/auth/session'), 'UNAUTHORIZED')
    for (const token of tokens)
      assertError(await callsOf(postern, token).get('/v1/organizations'), 'UNAUTHORIZED')
    assert.equal((await person.client.get('/v1/auth/sessions')).body.data.length, 1)
    assert.deepEqual((await person.client.delete('/v1/auth/sessions')).body, { endedSessions: 0 })
    const ended = await entries(postern, person, 'session.ended')
    assert.deepEqual(
      ended.map(({ details }) => details),
      [{ because: 'others', count: 2 }],
    )
  })

  test('is to rename the organization, as its administrator', async () => {
    const postern = await server()
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    const path = `/v1/organizations/${admin.organizationId}`
    const calls = callsOf(postern, admin.token)
    const name = `Renamed ${admin.organizationId}`
    const renamed = await calls.patch(path, { name: ` ${name} ` })
    assert.equal(renamed.status, 200, renamed.text)
    assert.deepEqual([renamed.body.name, renamed.body.role], [name, 'administrator'])
    assert.deepEqual((await calls.get('/v1/organizations')).body.data, [renamed.body])
    const [entry] = await entries(postern, admin, 'organization.renamed')
    assert.deepEqual([entry?.actorId, entry?.details.name], [admin.accountId, name])
    const taken = await callsOf(postern, other.token).patch(`/v1/organizations/${other.organizationId}`, {
      name,
    })
    assertError(taken, 'DUPLICATE', { field: 'name', value: name })
    assertError(await callsOf(postern, other.token).patch(path, { name: 'Mine' }), 'ENTITY_NOT_FOUND')
    const plain = await member(postern, admin)
    assertError(await callsOf(postern, plain.token).patch(path, { name: 'Ours' }), 'FORBIDDEN', {
      reason: 'administrator_required',
    })
    for (const bad of ['', ' ', 'a\r\nb', 'x'.repeat(101)])
      assertError(await calls.patch(path, { name: bad }), 'VALIDATION_FAILED', { field: 'name' })
  })

  it('is to rename the organization twenty times a day, as a refusal tells of others', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const rename = (name: string) =>
      callsOf(postern, admin.token).patch(`/v1/organizations/${admin.organizationId}`, { name })
    for (let turn = 0; turn < 20; turn += 1)
      assert.equal((await rename(`Turn ${turn} of ${admin.organizationId}`)).status, 200)
    assertError(await rename('One more'), 'RATE_LIMITED')
  })

  // SQLite has one writer: there is nothing between the statements of a transaction.
  if (engine === 'sqlite') return

  it('leaves no session of the old password, whichever of sign-in and change comes first', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const [changed, late] = await inOrder(postern, 'account', person.accountId, [
      () => change(person.client),
      () => signIn(postern.client(), person.email, PASSWORD),
    ])
    assert.equal(changed.status, 200, changed.text)
    assertError(late, 'UNAUTHORIZED')
    const [early, ended] = await inOrder(postern, 'account', person.accountId, [
      () => signIn(postern.client(), person.email, NEW_PASSWORD),
      () => change(person.client, NEW_PASSWORD, PASSWORD),
    ])
    assert.deepEqual([early.status, ended.status], [200, 200])
    assert.equal(await sessionsOf(postern, person.email), 1, 'the one that asked')
  })

  it('lets one of two changes of a password at once succeed', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const other = await secondBrowser(postern, person)
    const [first, second] = await inOrder(postern, 'account', person.accountId, [
      () => change(person.client),
      () => change(other, PASSWORD, 'yet another horse 9'),
    ])
    assert.equal(first.status, 200, first.text)
    assertError(second, 'UNAUTHORIZED')
    const [third, fourth] = await inOrder(postern, 'account', person.accountId, [
      () => change(person.client, NEW_PASSWORD, PASSWORD),
      () => change(person.client, NEW_PASSWORD, 'yet another horse 9'),
    ])
    assert.equal(third.status, 200, third.text)
    assertError(fourth, 'FORBIDDEN', { reason: 'wrong_password' })
    assert.equal((await signIn(postern.client(), person.email, PASSWORD)).status, 200)
  })

  it('tells of two renamings at once as one after the other', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { organizationId } = admin
    const rename = (name: string) => () =>
      callsOf(postern, admin.token).patch(`/v1/organizations/${organizationId}`, { name })
    const [first, second] = [`First ${organizationId}`, `Second ${organizationId}`]
    const answers = await inOrder(postern, 'organization', organizationId, [rename(first), rename(second)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const [entry] = await entries(postern, admin, 'organization.renamed')
    assert.deepEqual(entry?.details, { before: first, name: second })
  })

  it('gives a name that two organizations want at once to one of them', async () => {
    const postern = await server()
    const [one, other] = [await administrator(postern), await administrator(postern)]
    const name = `Wanted ${one.organizationId}`
    const answers = await Promise.all(
      [one, other].map(({ token, organizationId }) =>
        callsOf(postern, token).patch(`/v1/organizations/${organizationId}`, { name }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
  })
})
