import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, member, type Person } from '../support/people.ts'
import { actingFor, platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { callsOf, until } from '../support/webhook-calls.ts'

onBothEngines('a service account', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** Calls of an administrator, and what a new key of hers is: its secret, and whose it is. */
  async function setScene() {
    const postern = await server()
    const ada = await administrator(postern)
    const calls = callsOf(postern, ada.token)
    const make = async (body: object) => {
      const answer = await calls.post('/v1/api-keys', body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    return { postern, ada, calls, make }
  }

  it('is one of 1,000 at most, as a key is, of whatever number of requests at once', async () => {
    const { postern, calls, make } = await setScene()
    const { id, serviceAccountId } = await make({ name: 'first' })
    await postern.app.database.tx(async (tx) => {
      const account = await tx
        .selectFrom('service_account')
        .selectAll()
        .where('id', '=', serviceAccountId)
        .executeTakeFirstOrThrow()
      const key = await tx.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const owners = Array.from({ length: 997 }, () => ({
        ...account,
        id: newId('serviceAccount', account.created_at),
      }))
      const keys = owners.map((owner, made) => ({
        ...{ ...key, id: newId('apiKey', key.created_at), service_account_id: owner.id },
        key_hash: `${id}${made}`,
      }))
      await tx.insertInto('service_account').values(owners).execute()
      await tx.insertInto('api_key').values(keys).execute()
    })
    const accounts = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => calls.post('/v1/service-accounts', { name })),
    )
    const keys = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => calls.post('/v1/api-keys', { name, serviceAccountId })),
    )
    for (const [answers, reason] of [
      [accounts, 'too_many_service_accounts'],
      [keys, 'too_many_api_keys'],
    ] as const) {
      const refused = answers.filter(({ status }) => status !== 201)
      assert.equal(refused.length, 2, JSON.stringify(answers.map(({ status }) => status)))
      for (const answer of refused) assertError(answer, 'FORBIDDEN', { reason, limit: 1_000 })
    }
    assertError(await calls.post('/v1/api-keys', { name: 'alone' }), 'FORBIDDEN', {
      reason: 'too_many_api_keys',
    })
    await calls.delete(`/v1/api-keys/${id}`)
    assertError(await calls.post('/v1/api-keys', { name: 'alone' }), 'FORBIDDEN', {
      reason: 'too_many_service_accounts',
    })
    assert.equal((await calls.post('/v1/api-keys', { name: 'e', serviceAccountId })).status, 201)
  })

  it('is made with a key of its name, or before its keys, and is changed and read by administrators', async () => {
    const { ada, calls, make } = await setScene()
    const alone = await make({ name: 'Deploys', description: 'in CI' })
    const read = await calls.get(`/v1/service-accounts/${alone.serviceAccountId}`)
    const { createdAt, updatedAt, ...rest } = read.body
    assert.deepEqual(rest, {
      id: alone.serviceAccountId,
      name: 'Deploys',
      description: null,
      ownerId: ada.accountId,
      createdBy: ada.accountId,
      lastUsedAt: null,
    })
    assert.equal(createdAt, updatedAt)
    const wish = { name: 'Reports', description: 'every night', ownerId: null }
    const first = (await calls.post('/v1/service-accounts', wish)).body
    assert.deepEqual([first.name, first.description, first.ownerId], ['Reports', 'every night', null])
    const second = await make({ name: 'first', serviceAccountId: first.id })
    assert.equal(second.serviceAccountId, first.id)
    const third = await make({ name: 'second', serviceAccountId: first.id.slice(4) })
    const keys = (await calls.get(`/v1/api-keys?serviceAccountId=${first.id}`)).body.data
    assert.deepEqual(
      keys.map(({ id }: { id: string }) => id),
      [third.id, second.id],
    )
    assert.deepEqual((await calls.get(`/v1/api-keys/${second.id}`)).body, keys[1])
    const change = { name: 'Nightly', description: null, ownerId: ada.accountId }
    const changed = await calls.patch(`/v1/service-accounts/${first.id}`, change)
    assert.deepEqual({ ...changed.body, ...change }, changed.body)
    const listed = (await calls.get('/v1/service-accounts')).body.data
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ['Nightly', 'Deploys'],
    )
    const log = (await calls.get(`/v1/audit-log?target=${first.id}`)).body.data
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      ['service_account.updated', 'service_account.created'],
    )
  })

  test('has a member as owner, who is forgotten when leaving and cannot be of elsewhere', async () => {
    const { postern, ada, calls } = await setScene()
    const colleague = await member(postern, ada)
    const made = await calls.post('/v1/service-accounts', { name: 'one', ownerId: colleague.accountId })
    const path = `/v1/service-accounts/${made.body.id}`
    assert.equal(made.body.ownerId, colleague.accountId)
    const left = await postern
      .client()
      .delete(`/v1/organizations/${ada.organizationId}/members/me`, { token: colleague.token })
    assert.equal(left.status, 204, left.text)
    assert.equal((await calls.get(path)).body.ownerId, null)
    const stranger = await administrator(postern)
    for (const ownerId of [colleague.accountId, stranger.accountId]) {
      assertError(await calls.patch(path, { ownerId }), 'ENTITY_NOT_FOUND', {
        field: 'ownerId',
        value: ownerId,
      })
      assertError(await calls.post('/v1/service-accounts', { name: 'two', ownerId }), 'ENTITY_NOT_FOUND')
    }
  })

  it('is the actor of its keys: what one makes is there for the next, and the log names both', async () => {
    const { postern, calls, make } = await setScene()
    const { id: serviceAccountId } = (await calls.post('/v1/service-accounts', { name: 'worker' })).body
    const [old, next] = [
      await make({ name: 'old', serviceAccountId }),
      await make({ name: 'next', serviceAccountId }),
    ]
    const [before, after] = [callsOf(postern, old.key), callsOf(postern, next.key)]
    const headers = { 'idempotency-key': 'once' }
    const client = postern.client()
    const started = await client.post('/v1/conversations', { title: 'mine' }, { token: old.key, headers })
    assert.deepEqual([started.status, started.body.createdBy], [201, serviceAccountId], started.text)
    const file = await client.post('/v1/files?name=a.txt', 'a text', { token: old.key })
    assert.equal(file.body.createdBy, serviceAccountId)
    assert.equal((await calls.delete(`/v1/api-keys/${old.id}`)).status, 204)
    assertError(await before.get('/v1/conversations'), 'UNAUTHORIZED')
    assert.deepEqual(
      (await after.get('/v1/conversations')).body.data.map(({ id }: { id: string }) => id),
      [started.body.id],
    )
    const repeated = await client.post('/v1/conversations', { title: 'mine' }, { token: next.key, headers })
    assert.equal(repeated.body.id, started.body.id)
    assert.equal((await after.delete(`/v1/files/${file.body.id}`)).status, 204)
    const [entry] = (await calls.get(`/v1/audit-log?actor=${serviceAccountId}`)).body.data
    assert.deepEqual([entry.action, entry.keyId], ['file.deleted', next.id])
    // Another service account with the same role sees nothing of it.
    const other = await make({ name: 'other' })
    assert.deepEqual((await callsOf(postern, other.key).get('/v1/conversations')).body.data, [])
  })

  it('ends all its keys, with their invitations, when it is deleted', async () => {
    const { postern, calls, make } = await setScene()
    const { id: serviceAccountId } = (await calls.post('/v1/service-accounts', { name: 'worker' })).body
    const keys: string[] = []
    for (const name of ['one', 'two'])
      keys.push((await make({ name, serviceAccountId, role: 'administrator' })).key)
    const email = `${crypto.randomUUID()}@acme.test`
    const invited = await callsOf(postern, keys[0] ?? '').post('/v1/invitations', { email, sendEmail: false })
    const heir = await apiKey(postern, { token: keys[0] } as Person)
    for (const key of keys) assert.equal((await callsOf(postern, key).get('/v1/organizations')).status, 200)
    assert.equal((await calls.delete(`/v1/service-accounts/${serviceAccountId}`)).status, 204)
    for (const key of keys) assertError(await callsOf(postern, key).get('/v1/organizations'), 'UNAUTHORIZED')
    assert.equal((await callsOf(postern, heir).get('/v1/organizations')).status, 200)
    assert.equal((await calls.get(`/v1/invitations/${invited.body.id}`)).body.status, 'revoked')
    assertError(await calls.get(`/v1/service-accounts/${serviceAccountId}`), 'ENTITY_NOT_FOUND')
    assertError(await calls.delete(`/v1/service-accounts/${serviceAccountId}`), 'ENTITY_NOT_FOUND')
    assertError(await calls.post('/v1/api-keys', { name: 'late', serviceAccountId }), 'ENTITY_NOT_FOUND', {
      field: 'serviceAccountId',
      value: serviceAccountId,
    })
  })

  test('and its keys stay when their maker is removed, and are found by who made them', async () => {
    const { postern, ada, calls } = await setScene()
    const eve = await member(postern, ada, 'administrator')
    const key = await apiKey(postern, eve)
    const mine = `/v1/api-keys?createdBy=${eve.accountId}`
    const [made] = (await calls.get(mine)).body.data
    const path = `/v1/organizations/${ada.organizationId}/members/${eve.accountId}`
    assert.equal((await calls.delete(path)).status, 204)
    assert.equal((await callsOf(postern, key).get('/v1/organizations')).status, 200)
    const [{ lastUsedAt: _, ...still }] = (await calls.get(mine)).body.data
    assert.deepEqual({ ...made, ...still }, made)
    assert.deepEqual((await callsOf(postern, (await administrator(postern)).token).get(mine)).body.data, [])
  })

  it('and what was made with its keys is found though a key between them was deleted before', async () => {
    const { postern, ada, calls } = await setScene()
    const eve = await member(postern, ada, 'administrator')
    const made = async (token: string, body: object = {}) =>
      (await callsOf(postern, token).post('/v1/api-keys', { name: 'one', role: 'administrator', ...body }))
        .body
    const works = async ({ key }: { key: string }) =>
      (await callsOf(postern, key).get('/v1/organizations')).status === 200
    const boss = callsOf(postern, (await made(ada.token)).key)
    const kept = async () => {
      await advanceAtRest(postern, 2 * HOUR)
      const rows = postern.app.database.db.selectFrom('ended_key').select('id')
      return (
        await rows.where('organization_id', '=', ada.organizationId as Id<'organization'>).execute()
      ).map(({ id }) => id)
    }
    const first = await made(eve.token)
    const second = await made(first.key)
    const [heir, other] = [await made(second.key), await made(second.key)]
    // One key between them is deleted alone, the next one with its service account.
    const third = await made(other.key, { serviceAccountId: other.serviceAccountId })
    const last = await made(third.key)
    const own = callsOf(postern, heir.key)
    assert.equal((await own.delete(`/v1/api-keys/${second.id}`)).status, 204)
    assert.equal((await own.delete(`/v1/service-accounts/${other.serviceAccountId}`)).status, 204)
    assert.deepEqual([await works(heir), await works(last)], [true, true])
    const [lone, rotated, witness] = [await made(eve.token), await made(ada.token), await made(ada.token)]
    assert.equal((await calls.delete(`/v1/api-keys/${witness.id}`)).status, 204)
    const isSwept = (ids: string[]) => !ids.includes(witness.id)
    await until(kept, isSwept, { what: 'a key with which none was made to be forgotten' })
    assert.equal((await boss.delete(`/v1/api-keys/${first.id}?withMade=true`)).status, 204)
    assert.deepEqual([await works(heir), await works(last), await works(rotated)], [false, false, true])
    // The first key of a person is deleted alone, and then all that the person has made.
    const child = await made(lone.key)
    const next = await callsOf(postern, lone.key).post(`/v1/api-keys/${rotated.id}/rotate`)
    assert.equal((await boss.delete(`/v1/api-keys/${lone.id}`)).status, 204)
    const path = `/v1/organizations/${ada.organizationId}/members/${eve.accountId}/api-keys`
    assert.equal((await boss.delete(path)).body.deletedApiKeys, 2)
    for (const key of [child, rotated, next.body]) assert.equal(await works(key), false)
    await until(kept, (ids) => ids.length === 0, { what: 'all of them to be forgotten' })
  })

  it('is left without the keys of a revoked platform key, and of keys of it that were deleted before', async () => {
    const { postern, ada, calls } = await setScene()
    const platform = await platformKey(postern)
    const maker = await actingFor(postern, platform, ada.organizationId).post('/v1/api-keys', {
      name: 'maker',
      role: 'administrator',
    })
    const heir = await callsOf(postern, maker.body.key).post('/v1/api-keys', { name: 'heir' })
    assert.equal((await calls.delete(`/v1/api-keys/${maker.body.id}`)).status, 204)
    const { get } = callsOf(postern, heir.body.key)
    assert.equal((await get('/v1/organizations')).status, 200)
    const path = `/v1/operator/platform-keys/${platform.id}?withMade=true`
    assert.equal((await callsOf(postern, OPERATOR_TOKEN).delete(path)).status, 204)
    assertError(await get('/v1/organizations'), 'UNAUTHORIZED')
  })
})
