import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askMagicLink, assertError, signIn } from '../support/attacks.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, type Person, tokenOf } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'

onBothEngines('the operator API, over accounts,', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const operator = (postern: Postern) => callsOf(postern, OPERATOR_TOKEN)
  const pathOf = ({ accountId }: Pick<Person, 'accountId'>) => `/v1/operator/accounts/${accountId}`
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

  it('finds them by address, organization and status, a page at a time, and shows no secret', async () => {
    const postern = await server()
    const calls = operator(postern)
    const ada = await administrator(postern)
    const people = [await member(postern, ada), await member(postern, ada), await member(postern, ada)]
    const invited = newEmail('invited')
    await postern.client().post('/v1/invitations', { email: invited }, { token: ada.token })

    const found = await calls.get(`/v1/operator/accounts?email=${ada.email.toUpperCase()}`)
    assert.equal(found.status, 200, found.text)
    const { createdAt, termsAcceptedAt, ...one } = found.body.data[0]
    assert.deepEqual([found.body.data.length, found.body.nextCursor], [1, null])
    assert.deepEqual(one, {
      ...{ id: ada.accountId, email: ada.email, firstName: 'Ada', lastName: 'Lovelace', status: 'active' },
      ...{
        language: null,
        emailVerified: true,
        memberships: 1,
        sessions: 1,
        hasPassword: true,
        secondFactors: 0,
        providers: [],
      },
    })
    assert.ok(createdAt <= termsAcceptedAt)
    assert.doesNotMatch(found.text, /argon2|hash/i)
    assert.deepEqual((await calls.get(`/v1/operator/accounts?email=${newEmail('nobody')}`)).body.data, [])

    const of = `/v1/operator/accounts?organizationId=${ada.organizationId}`
    const newestFirst = [...people, ada]
      .map(({ accountId }) => accountId)
      .toSorted((a, b) => (a < b ? 1 : -1))
    assert.deepEqual(idsOf(await readAll(calls, of, 1)), newestFirst)
    assert.deepEqual(idsOf(await readAll(calls, of, 2)), newestFirst)
    const waiting = await readAll(calls, '/v1/operator/accounts?status=inactive')
    const added = waiting.find(({ email }) => email === invited)
    assert.deepEqual([added?.firstName, added?.memberships, added?.hasPassword], [null, 0, false])
    assert.ok(waiting.every(({ status }) => status === 'inactive'))
    assert.deepEqual((await readAll(calls, `${of}&status=inactive`)).length, 0)
    assert.equal((await readAll(calls, `${of}&status=active`, 2)).length, 4)
    assertError(await calls.get('/v1/operator/accounts?status=gone'), 'VALIDATION_FAILED')
    assertError(await calls.get('/v1/operator/accounts?organizationId=1'), 'INVALID_UUID')
    assertError(await calls.get('/v1/operator/accounts?email=nobody'), 'INVALID_EMAIL')
  })

  it('reads one with its organizations, its sessions and its last sign-in', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    postern.clock.advance(60_000)
    const again = await signIn(postern.client(), ada.email, PASSWORD)
    assert.equal(again.status, 200, again.text)
    const signedInAt = again.body.session.createdAt
    postern.clock.advance(60_000)
    await signIn(postern.client(), ada.email, 'a wrong password')
    const { status, body, text } = await operator(postern).get(pathOf(ada))
    assert.equal(status, 200, text)
    assert.deepEqual([body.sessions, body.lastSignInAt], [2, signedInAt])
    assert.deepEqual(
      body.organizations.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [[ada.organizationId, 'administrator']],
    )
    const unknown = { accountId: ada.organizationId.replace('org_', 'acc_') }
    assertError(await operator(postern).get(pathOf(unknown)), 'ENTITY_NOT_FOUND')
    assertError(await operator(postern).get(pathOf({ accountId: ada.organizationId })), 'INVALID_UUID')
  })

  it('disables one at once, streams included, and lets it in again', async () => {
    const postern = await server()
    const { patch, get } = operator(postern)
    const ada = await administrator(postern)
    const eve = await member(postern, ada, 'administrator')
    const key = await apiKey(postern, eve)
    const stream = await watchLive(postern.url, eve.token)
    const disabled = await patch(pathOf(eve), { status: 'disabled' })
    assert.equal(disabled.status, 200, disabled.text)
    assert.deepEqual(
      [disabled.body.status, disabled.body.sessions, disabled.body.memberships],
      ['disabled', 0, 1],
    )
    await stream.over
    assertError(await postern.client().get('/v1/organizations', { token: eve.token }), 'UNAUTHORIZED')
    assertError(await eve.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), eve.email, PASSWORD)).status, 401)
    assert.equal((await postern.client().get('/v1/organizations', { token: key })).status, 200)
    const listed = await readAll(
      { get, post: get, patch, delete: get },
      '/v1/operator/accounts?status=disabled',
    )
    assert.ok(idsOf(listed).includes(eve.accountId))

    const again = await patch(pathOf(eve), { status: 'disabled', endKeys: true })
    assert.equal(again.status, 200, again.text)
    assertError(await postern.client().get('/v1/organizations', { token: key }), 'UNAUTHORIZED')
    assert.equal((await patch(pathOf(eve), { status: 'active' })).body.status, 'active')
    postern.clock.advance(24 * 3_600_000)
    const client = postern.client()
    assert.equal((await signIn(client, eve.email, PASSWORD)).status, 200)
    assert.ok(await tokenOf(client, ada.organizationId))
    const log = await postern
      .client()
      .get('/v1/audit-log?limit=100', { token: await tokenOf(client, ada.organizationId) })
    const entries = log.body.data.filter(({ targetId }: { targetId: string }) => targetId === eve.accountId)
    assert.deepEqual(
      entries.map(({ action, actorId, ip }: Record<string, string>) => [action, actorId, ip]),
      [
        ['account.enabled', null, '127.0.0.1'],
        ['account.disabled', null, '127.0.0.1'],
      ],
    )
  })

  test('neither enables nor disables one that has not signed up: that would let it in without an invitation', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const email = newEmail('invited')
    await postern.client().post('/v1/invitations', { email }, { token: ada.token })
    const { get, patch } = operator(postern)
    const [{ id }] = (await get(`/v1/operator/accounts?email=${email}`)).body.data
    for (const status of ['active', 'disabled'])
      assertError(await patch(pathOf({ accountId: id }), { status }), 'FORBIDDEN', {
        reason: 'not_signed_up',
      })
    assertError(await patch(pathOf({ accountId: id }), { status: 'inactive' }), 'VALIDATION_FAILED')
    assert.equal((await get(pathOf({ accountId: id }))).body.status, 'inactive')
  })

  it('ends all sessions of one, with their tokens, streams and mailed links, and nothing else', async () => {
    const postern = await server()
    const calls = operator(postern)
    const ada = await administrator(postern)
    const link = await askMagicLink(postern, ada.email)
    const second = postern.client()
    assert.equal((await signIn(second, ada.email, PASSWORD)).status, 200)
    const stream = await watchLive(postern.url, ada.token)
    const ended = await calls.delete(`${pathOf(ada)}/sessions`)
    assert.deepEqual([ended.status, ended.body], [200, { endedSessions: 2 }])
    await stream.over
    for (const client of [ada.client, second])
      assertError(await client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await postern.client().get('/v1/organizations', { token: ada.token }), 'UNAUTHORIZED')
    assert.ok((await link.client.post('/v1/auth/magic-link/verify', { token: link.token })).status >= 400)
    assert.deepEqual((await calls.delete(`${pathOf(ada)}/sessions`)).body, { endedSessions: 0 })
    const client = postern.client()
    assert.equal((await signIn(client, ada.email, PASSWORD)).status, 200)
    const token = await tokenOf(client, ada.organizationId)
    const { data } = (await postern.client().get('/v1/audit-log?action=session.ended', { token })).body
    assert.deepEqual(
      data.map(({ actorId, targetId, details }: Record<string, unknown>) => [actorId, targetId, details]),
      [[null, ada.accountId, { because: 'operator', count: 2 }]],
    )
    const unknown = { accountId: ada.organizationId.replace('org_', 'acc_') }
    assertError(await calls.delete(`${pathOf(unknown)}/sessions`), 'ENTITY_NOT_FOUND')
  })

  it('deletes one whose address is said, and keeps the last administrator unless forced', async () => {
    const postern = await server()
    const calls = operator(postern)
    const ada = await administrator(postern)
    const eve = await member(postern, ada)
    const said = ({ email }: Person, more = '') => `?email=${encodeURIComponent(email)}${more}`
    for (const refused of [
      await calls.delete(pathOf(ada) + said(ada)),
      await calls.patch(pathOf(ada), { status: 'disabled' }),
    ])
      assertError(refused, 'FORBIDDEN', { reason: 'last_administrator' })
    assert.equal((await ada.client.get('/v1/auth/session')).status, 200)
    assertError(await calls.delete(pathOf(eve)), 'MISSING_REQUIRED_FIELD', { field: 'email' })
    assertError(await calls.delete(pathOf(eve) + said(ada)), 'VALIDATION_FAILED', {
      ...{ field: 'email', reason: 'not_its_address' },
    })
    const answers = await Promise.all([1, 2, 3].map(() => calls.delete(pathOf(eve) + said(eve))))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 404, 404])
    assertError(await eve.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await postern.client().get('/v1/organizations', { token: eve.token }), 'UNAUTHORIZED')
    const log = await postern.client().get('/v1/audit-log?action=account.deleted', { token: ada.token })
    assert.equal(log.body.data[0].targetId, eve.accountId)
    assert.equal((await calls.delete(pathOf(ada) + said(ada, '&force=true'))).status, 204)
    assertError(await calls.get(pathOf(ada)), 'ENTITY_NOT_FOUND')
  })

  test('is for the operator alone', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    for (const token of [ada.token, await apiKey(postern, ada)]) {
      const calls = callsOf(postern, token)
      for (const answer of [
        await calls.get('/v1/operator/accounts'),
        await calls.get(pathOf(ada)),
        await calls.patch(pathOf(ada), { status: 'disabled' }),
        await calls.delete(`${pathOf(ada)}/sessions`),
        await calls.delete(`${pathOf(ada)}?email=${ada.email}&force=true`),
      ])
        assertError(answer, 'UNAUTHORIZED')
    }
    assert.equal((await ada.client.get('/v1/auth/session')).status, 200)
  })
})
