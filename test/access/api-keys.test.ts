import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, fromIso, HOUR, MINUTE, SECOND, toIso } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { stoppedClock } from '../support/clock.ts'
import { openEvents, watchLive } from '../support/live-stream.ts'
import { administrator, member, newEmail } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

/** The proxy of these tests is this machine, and says where a client comes from. */
const from = (address: string) => ({ 'x-forwarded-for': address })

onBothEngines('an API key', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { clock: stoppedClock(), env: { TRUST_PROXY: '127.0.0.1/32' } })

  async function setScene() {
    const postern = await server()
    const ada = await administrator(postern)
    const calls = callsOf(postern, ada.token)
    const ok = async (answer: Promise<Answer>) => {
      const { status, body, text } = await answer
      assert.ok(status < 300, text)
      return body
    }
    const make = (body: object) => ok(calls.post('/v1/api-keys', body))
    const works = async (token: string) =>
      (await postern.client().get('/v1/organizations', { token })).status === 200
    return { postern, ada, calls, ok, make, works }
  }

  test('comes from its addresses alone, at every door, behind a proxy and as IPv4 in IPv6', async () => {
    const { postern, make } = await setScene()
    const allowedAddresses = ['203.0.113.0/24', '::ffff:198.51.100.7', '2001:DB8::/32', '203.0.113.0/24']
    const made = await make({ name: 'bound', role: 'administrator', allowedAddresses })
    assert.deepEqual(made.allowedAddresses, ['203.0.113.0/24', '198.51.100.7/32', '2001:db8::/32'])
    const client = postern.client()
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const doors = (headers: Record<string, string>) => [
      client.get('/v1/organizations', { token: made.key, headers }),
      client.post('/mcp', ping, {
        token: made.key,
        headers: { ...headers, accept: 'application/json, text/event-stream' },
      }),
    ]
    const outside = ['192.0.2.1', '203.0.114.1', '2001:db9::1', '::1', 'unknown', '203.0.113.9, 192.0.2.1']
    for (const address of outside)
      for (const answer of await Promise.all(doors(from(address))))
        assertError(answer, 'FORBIDDEN', { reason: 'address_not_allowed' })
    for (const answer of await Promise.all(doors({})))
      assertError(answer, 'FORBIDDEN', { reason: 'address_not_allowed' })
    assert.equal(
      (await client.get(`/v1/api-keys/${made.id}`, { token: made.key, headers: from('192.0.2.1') })).status,
      403,
    )
    for (const address of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '198.51.100.7',
      '2001:db8::5',
      '192.0.2.1, 203.0.113.9',
    ])
      for (const answer of await Promise.all(doors(from(address)))) assert.equal(answer.status, 200, address)
    // A verdict is cached for one address and does not hold for another.
    for (const answer of await Promise.all(doors(from('192.0.2.1')))) assert.equal(answer.status, 403)
    const stream = (address: string) => ({
      headers: { authorization: `Bearer ${made.key}`, ...from(address) },
    })
    const refused = await fetch(`${postern.url}/v1/stream`, stream('192.0.2.1'))
    assert.equal(refused.status, 403, await refused.text())
    const live = await openEvents(`${postern.url}/v1/stream`, stream('203.0.113.9'))
    await live.sees('the beginning', ({ event }) => event === 'open')
    live.leave()
  })

  test('calls tools of /mcp from its addresses, and no tool lets it out of them', async () => {
    const { postern, make, calls } = await setScene()
    const made = await make({ name: 'bound', role: 'administrator', allowedAddresses: ['203.0.113.0/24'] })
    const other = await make({ name: 'free' })
    const headers = from('203.0.113.9')
    const bound = { token: made.key, headers }
    const client = postern.client()
    const params = { name: 'list_organizations', arguments: {} }
    const called = await client.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { token: made.key, headers: { ...headers, accept: 'application/json, text/event-stream' } },
    )
    assert.equal(called.status, 200, called.text)
    assert.doesNotMatch(called.text, /address_not_allowed|isError":true/)
    // What it makes is bound likewise.
    const heir = await client.post('/v1/api-keys', { name: 'heir' }, bound)
    assert.deepEqual(heir.body.allowedAddresses, ['203.0.113.0/24'], heir.text)
    const part = await client.post(
      '/v1/api-keys',
      { name: 'part', allowedAddresses: ['203.0.113.8/29'] },
      bound,
    )
    assert.equal(part.status, 201, part.text)
    const beyond = { reason: 'beyond_own_addresses' }
    for (const allowedAddresses of [null, ['203.0.112.0/23'], ['203.0.113.0/24', '::/0']]) {
      assertError(
        await client.post('/v1/api-keys', { name: 'out', allowedAddresses }, bound),
        'FORBIDDEN',
        beyond,
      )
      const path = `/v1/api-keys/${made.id}`
      assertError(await client.patch(path, { allowedAddresses }, bound), 'FORBIDDEN', beyond)
    }
    assertError(await client.post(`/v1/api-keys/${other.id}/rotate`, {}, bound), 'FORBIDDEN', beyond)
    assertError(await client.patch(`/v1/api-keys/${other.id}`, { name: 'x' }, bound), 'FORBIDDEN', beyond)
    // A list with an entry that is not a network is refused, too.
    for (const [allowedAddresses, at] of [
      [['10.0.0.0/8', '10.0.0.1/8'], 1],
      [['localhost'], 0],
    ] as const)
      assertError(await calls.post('/v1/api-keys', { name: 'x', allowedAddresses }), 'VALIDATION_FAILED', {
        ...{ field: `allowedAddresses.${at}`, value: allowedAddresses[at], reason: 'not_a_network' },
      })
    for (const allowedAddresses of [[], Array.from({ length: 21 }, (_, at) => `10.0.0.${at}`)])
      assert.equal((await calls.post('/v1/api-keys', { name: 'x', allowedAddresses })).status, 400)
  })

  it('is rotated with an overlap: each secret works within its own time, and is shown once', async () => {
    const { postern, calls, ok, make, works } = await setScene()
    const { clock } = postern
    const made = await make({ name: 'machine' })
    const path = `/v1/api-keys/${made.id}`
    const second = await ok(calls.post(`${path}/rotate`, { overlapHours: 1 }))
    const third = await ok(calls.post(`${path}/rotate`))
    assert.equal(new Set([made.key, second.key, third.key]).size, 3)
    assert.deepEqual(
      [second.id, third.id, third.serviceAccountId, third.rotatedAt],
      [made.id, made.id, made.serviceAccountId, toIso(clock.now())],
    )
    const ends = (hours: number) => toIso(clock.now() + hours * HOUR)
    const former = [
      { hint: second.hint, expiresAt: ends(24), lastUsedAt: null },
      { hint: made.hint, expiresAt: ends(1), lastUsedAt: null },
    ]
    const byHint = (a: { hint: string }, b: { hint: string }) => (a.hint < b.hint ? -1 : 1)
    assert.deepEqual((await ok(calls.get(path))).formerSecrets.toSorted(byHint), former.toSorted(byHint))
    for (const { key } of [made, second, third]) assert.ok(await works(key))
    const used = (await ok(calls.get(path))).formerSecrets as { lastUsedAt: string }[]
    assert.deepEqual(
      used.map(({ lastUsedAt }) => lastUsedAt),
      [toIso(clock.now()), toIso(clock.now())],
    )
    clock.advance(HOUR)
    assert.deepEqual(
      [await works(made.key), await works(second.key), await works(third.key)],
      [false, true, true],
    )
    clock.advance(23 * HOUR)
    const log = callsOf(postern, third.key)
    assert.deepEqual([await works(second.key), (await log.get('/v1/organizations')).status], [false, 200])
  })

  it('is rotated at once where a secret has leaked, and keeps five secrets at most', async () => {
    const { calls, ok, make, works, postern } = await setScene()
    const made = await make({ name: 'machine' })
    const path = `/v1/api-keys/${made.id}/rotate`
    const keys = [made.key]
    for (let time = 0; time < 5; time += 1) keys.push((await ok(calls.post(path, { overlapHours: 168 }))).key)
    assertError(await calls.post(path), 'FORBIDDEN', { reason: 'too_many_secrets', limit: 5 })
    for (const key of keys) assert.ok(await works(key))
    const stream = await watchLive(postern.url, keys[2] ?? '')
    const last = await ok(calls.post(path, { overlapHours: 0 }))
    for (const key of keys) assert.ok(!(await works(key)))
    assert.ok(await works(last.key))
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    for (const overlapHours of [-1, 169, 0.5, '1', null])
      assert.equal((await calls.post(path, { overlapHours })).status, 400)
    const idempotent = { 'idempotency-key': 'once' }
    const [one, two] = [await calls.post(path, {}, idempotent), await calls.post(path, {}, idempotent)]
    assert.equal(one.body.key, two.body.key, one.text)
  })

  test('gives no key a longer time than it has itself, and a replaced secret no longer one than its own', async () => {
    const { postern, ok, make } = await setScene()
    const { clock } = postern
    const made = await make({ name: 'for a week', role: 'administrator', expiresInDays: 7 })
    const lasting = await make({ name: 'lasting' })
    const beyond = { reason: 'beyond_own_expiry' }
    const week = callsOf(postern, made.key)
    const wish = { name: 'heir', role: 'administrator' }
    assert.equal((await ok(week.post('/v1/api-keys', wish))).expiresAt, made.expiresAt)
    assert.ok((await ok(week.post('/v1/api-keys', { ...wish, expiresInDays: 6 }))).expiresAt < made.expiresAt)
    for (const refused of [
      week.post('/v1/api-keys', { ...wish, expiresInDays: 8 }),
      week.patch(`/v1/api-keys/${made.id}`, { expiresInDays: null }),
      week.patch(`/v1/api-keys/${made.id}`, { expiresInDays: 8 }),
      week.patch(`/v1/api-keys/${lasting.id}`, { name: 'renamed' }),
      week.post(`/v1/api-keys/${lasting.id}/rotate`),
    ])
      assertError(await refused, 'FORBIDDEN', beyond)
    // With its next secret the replaced one lasts an hour, and so does what is made with it.
    const path = `/v1/api-keys/${made.id}`
    const next = await ok(week.post(`${path}/rotate`, { overlapHours: 1 }))
    const hour = toIso(clock.now() + HOUR)
    assert.equal((await ok(week.post('/v1/api-keys', wish))).expiresAt, hour)
    const invited = await ok(week.post('/v1/invitations', { email: newEmail(), sendEmail: false }))
    assert.equal(invited.expiresAt, hour)
    assertError(await week.post(`${path}/rotate`, { overlapHours: 0 }), 'FORBIDDEN', beyond)
    assert.equal((await callsOf(postern, next.key).post(`${path}/rotate`)).status, 200)
  })

  it('that was rotated by a member who is gone is found by that member', async () => {
    const { postern, ada, calls, ok, make } = await setScene()
    const eve = await member(postern, ada, 'administrator')
    const made = await make({ name: 'machine' })
    await ok(callsOf(postern, eve.token).post(`/v1/api-keys/${made.id}/rotate`))
    await ok(calls.delete(`/v1/organizations/${ada.organizationId}/members/${eve.accountId}`))
    const seen = async () =>
      (await ok(calls.get(`/v1/api-keys?createdBy=${eve.accountId}`))).data.map(
        ({ id }: { id: string }) => id,
      )
    assert.deepEqual(await seen(), [made.id])
    const again = await ok(calls.post(`/v1/api-keys/${made.id}/rotate`))
    assert.deepEqual([again.rotatedBy, await seen()], [ada.accountId, [made.id]])
    // Once the secret that the member has seen has ended, the key is no longer found by that member.
    await ok(calls.post(`/v1/api-keys/${made.id}/rotate`, { overlapHours: 0 }))
    assert.deepEqual(await seen(), [])
  })

  it('is changed but for what it may do; its invitations end with its new end', async () => {
    const { postern, calls, ok, make, works } = await setScene()
    const made = await make({ name: 'machine', role: 'administrator' })
    const path = `/v1/api-keys/${made.id}`
    const invite = { email: newEmail(), sendEmail: false, expiresInDays: 30 }
    const invited = await ok(callsOf(postern, made.key).post('/v1/invitations', invite))
    const change = { name: 'Deploys', description: 'in CI', expiresInDays: 2 }
    const changed = await ok(calls.patch(path, change))
    const expiresAt = toIso(postern.clock.now() + 2 * DAY)
    assert.deepEqual([changed.name, changed.description, changed.expiresAt], ['Deploys', 'in CI', expiresAt])
    assert.equal((await ok(calls.get(`/v1/invitations/${invited.id}`))).expiresAt, expiresAt)
    const bound = await ok(calls.patch(path, { allowedAddresses: ['203.0.113.7'] }))
    assert.deepEqual(bound.allowedAddresses, ['203.0.113.7/32'])
    assert.ok(!(await works(made.key)))
    const free = await ok(
      calls.patch(path, { allowedAddresses: null, expiresInDays: null, description: null }),
    )
    assert.deepEqual([free.allowedAddresses, free.expiresAt, free.description], [null, null, null])
    assert.ok(await works(made.key))
    for (const body of [{}, { role: 'member' }, { scopes: [] }, { expiresInDays: 0 }])
      assert.equal((await calls.patch(path, body)).status, 400)
    const narrow = await make({ name: 'narrow', scopes: ['keys:write'] })
    const lacking = callsOf(postern, narrow.key)
    assert.equal(
      (await lacking.patch(path, { expiresInDays: 9 })).body.error.details.reason,
      'scope_required',
    )
    assert.equal((await lacking.post(`${path}/rotate`)).body.error.details.reason, 'scope_required')
    const log = (await ok(calls.get(`/v1/audit-log?target=${made.id}`))).data
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      [...Array(3).fill('api_key.updated'), 'api_key.created'],
    )
  })

  it('says when it and its account were used last, at most a minute earlier than that', async () => {
    const { postern, calls, ok, make, works } = await setScene()
    const { clock } = postern
    const made = await make({ name: 'machine' })
    const said = async () => [
      (await ok(calls.get(`/v1/api-keys/${made.id}`))).lastUsedAt,
      (await ok(calls.get(`/v1/service-accounts/${made.serviceAccountId}`))).lastUsedAt,
    ]
    assert.deepEqual(await said(), [null, null])
    for (const step of [0, 4, 5, 30, 14, 6, 59, 55, 1, 3]) {
      clock.advance(step * SECOND)
      assert.ok(await works(made.key))
      for (const at of await said()) {
        const behind = clock.now() - Number(fromIso(String(at)))
        assert.ok(behind >= 0 && behind <= MINUTE, `${behind} ms after ${step} s`)
      }
    }
    // A second key of the account sets the time of the account exactly, and leaves that of the first key.
    clock.advance(10 * MINUTE)
    const before = (await said())[0]
    const { key } = await make({ name: 'second', serviceAccountId: made.serviceAccountId })
    assert.ok(await works(key))
    assert.deepEqual(await said(), [before, toIso(clock.now())])
  })

  it('of a directory is found by its only scope, however many others there are', async () => {
    const { calls, ok, make } = await setScene()
    const of = (...scopes: string[]) => make({ name: 'machine', role: 'administrator', scopes })
    const directory = await of('scim:write')
    await make({ name: 'machine', role: 'administrator' })
    for (const scopes of [['scim:write', 'events:write'], ['events:write']]) await of(...scopes)
    const list = (query: string) => ok(calls.get(`/v1/api-keys?${query}`))
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const first = await list('limit=3')
    assert.ok(first.nextCursor !== null && !ids(first).includes(directory.id))
    const found = await list('limit=3&onlyScope=scim:write')
    assert.deepEqual([ids(found), found.nextCursor], [[directory.id], null])
    const newer = await of('scim:write')
    const page = await list('limit=1&onlyScope=scim:write')
    const next = await list(`limit=1&onlyScope=scim:write&cursor=${page.nextCursor}`)
    assert.deepEqual([...ids(page), ...ids(next)], [newer.id, directory.id])
    assertError(await calls.get('/v1/api-keys?onlyScope=everything'), 'VALIDATION_FAILED', {
      field: 'onlyScope',
    })
  })

  test('with a wrong checksum is refused as any other, and one of before service accounts has none', async () => {
    const { postern, make } = await setScene()
    const { key } = await make({ name: 'machine' })
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    const unknown = `psk_${'x'.repeat(43)}`
    const answers = await Promise.all(
      [wrong, unknown, 'psk_'].map((token) => postern.client().get('/v1/organizations', { token })),
    )
    for (const answer of answers) assertError(answer, 'UNAUTHORIZED')
    const shapes = answers.map(({ body }) => ({ ...body.error, requestId: '' }))
    assert.deepEqual(shapes[0], shapes[1])
    assert.deepEqual(shapes[1], shapes[2])
  })
})
