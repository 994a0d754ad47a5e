import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, withPostern } from '../support/attacks.ts'
import { administrator, apiKey, newEmail } from '../support/people.ts'
import {
  postern as command,
  OPERATOR_TOKEN,
  onBothEngines,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

onBothEngines('the operator API', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { DEFAULT_PLAN: 'free' } })
  const calls = async () => callsOf(await server(), OPERATOR_TOKEN)

  test('says how the installation stands', async () => {
    const postern = await server()
    await administrator(postern)
    const { status, body, text } = await (await calls()).get('/v1/operator/installation')
    assert.equal(status, 200, text)
    assert.equal(body.engine, engine)
    assert.ok(body.organizations >= 1)
    assert.deepEqual(Object.keys(body.deliveries).toSorted(), [
      'claimed',
      'due',
      'held',
      'oldestDueAt',
      'scheduled',
      'unwritten',
    ])
    assert.ok(body.jobs.length > 0)
    assert.ok(body.disk.freeBytes > 0)
    assert.equal(body.mails.isConfigured, true)
    assert.equal(body.workers.length, engine === 'sqlite' ? body.workers.length : 1)
  })

  test('says what the doctor finds, and repeats no secret of the settings', async () => {
    const { status, body, text } = await (await calls()).get('/v1/operator/findings')
    assert.equal(status, 200, text)
    const about = body.data.map(({ what }: { what: string }) => what)
    const own = engine === 'postgres' ? ['Durability', 'Pooler', 'Workers'] : []
    const database = ['Database', ...own, 'Key', 'Plans', 'Ledger', 'Clock']
    for (const what of ['Node', 'Data folder', ...database, 'Mail', 'Base URL', 'Proxy'])
      assert.ok(about.includes(what), what)
    // The PostgreSQL of the tests does not wait for its disk.
    const problems = body.data.filter(({ level }: { level: string }) => level === 'problem')
    assert.deepEqual(
      problems.map(({ what }: { what: string }) => what),
      engine === 'postgres' ? ['Durability', 'Durability'] : [],
    )
    const asked = JSON.parse((await command(await server(), 'doctor', '--json')).out).findings
    const told = asked.filter(({ what }: { what: string }) => database.includes(what) && what !== 'Clock')
    const found = body.data.filter(
      ({ what }: { what: string }) => database.includes(what) && what !== 'Clock',
    )
    assert.deepEqual(found, told, 'as the command says it')
    assert.ok(!text.includes(OPERATOR_TOKEN))
  })

  it('lists, makes and changes organizations as the commands do', async () => {
    const postern = await server()
    const { get, post, patch } = await calls()
    const name = `Operated ${newEmail()}`
    const made = await post('/v1/operator/organizations', { name, plan: 'team' })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.plan, made.body.members, made.body.flags], ['team', 0, {}])
    assertError(await post('/v1/operator/organizations', { name }), 'DUPLICATE', {
      field: 'name',
      value: name,
    })
    const listed = await get(`/v1/operator/organizations?name=${encodeURIComponent(name)}`)
    assert.deepEqual(listed.body, { data: [made.body], nextCursor: null })
    const path = `/v1/operator/organizations/${made.body.id}`
    const changed = await patch(path, { plan: 'scale', modules: { webhooks: false } })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.plan, changed.body.modules.webhooks, changed.body.flags],
      ['scale', false, { webhooks: false }],
    )
    assert.deepEqual((await patch(path, { modules: { webhooks: null } })).body.flags, {})
    const shown = JSON.parse((await command(postern, 'plan', '--organization', name, '--json')).out)
    assert.equal(shown.plan, 'scale')
    assertError(await patch(path, {}), 'VALIDATION_FAILED')
    assertError(await patch(path, { plan: 'no-such' }), 'VALIDATION_FAILED', { field: 'plan' })
    assertError(await patch(path, { modules: { nothing: true } }), 'VALIDATION_FAILED')
    const taken = `Taken ${newEmail()}`
    await post('/v1/operator/organizations', { name: taken })
    assertError(await patch(path, { name: taken, plan: 'free' }), 'DUPLICATE', { field: 'name' })
    const after = await get(`/v1/operator/organizations?name=${encodeURIComponent(name)}`)
    assert.equal(after.body.data[0].plan, 'scale', 'all of it, or nothing')
    const missing = path.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    assertError(await patch(missing, { plan: 'free' }), 'ENTITY_NOT_FOUND')
  })

  it('gives an organization the id that the platform calls it by, to one alone, until it is deleted', async () => {
    const postern = await server()
    const { get, post, patch } = await calls()
    const externalId = `cus_${newEmail()}/eu|1`
    const make = (named: object) =>
      post('/v1/operator/organizations', { name: `External ${newEmail()}`, ...named })
    const found = async (id: string) =>
      (await get(`/v1/operator/organizations?${new URLSearchParams([['externalId', id]])}`)).body.data.map(
        ({ id: one }: { id: string }) => one,
      )
    // Of many at once one gets it.
    const atOnce = await Promise.all(Array.from({ length: 12 }, () => make({ externalId })))
    const [made, ...others] = atOnce.filter(({ status }) => status === 201).map(({ body }) => body)
    assert.deepEqual([made?.externalId, others.length], [externalId, 0])
    for (const refused of atOnce.filter(({ status }) => status !== 201))
      assertError(refused, 'DUPLICATE', { field: 'externalId', value: externalId })
    assert.deepEqual(await found(externalId), [made.id])
    assert.deepEqual(await found(externalId.toUpperCase()), [])

    const two = [await make({}), await make({ externalId: externalId.toUpperCase() })]
    assert.equal(two[0]?.body.externalId, null)
    const pathOf = (id: string) => `/v1/operator/organizations/${id}`
    for (const { body } of two)
      assertError(await patch(pathOf(body.id), { externalId, plan: 'team' }), 'DUPLICATE', {
        field: 'externalId',
        value: externalId,
      })
    const next = `${externalId}-next`
    const taking = await Promise.all(two.map(({ body }) => patch(pathOf(body.id), { externalId: next })))
    assert.deepEqual(taking.map(({ status }) => status).sort(), [200, 409])
    const winner = taking.find(({ status }) => status === 200)?.body
    assert.deepEqual([winner.externalId, winner.plan], [next, 'free'])
    assert.equal((await patch(pathOf(winner.id), { externalId: null })).body.externalId, null)
    const free = await patch(pathOf(made.id), { externalId: next })
    assert.equal(free.body.externalId, next, free.text)

    const gone = await postern
      .client()
      .delete(`${pathOf(made.id)}?${new URLSearchParams([['name', made.name]])}`, {
        token: OPERATOR_TOKEN,
      })
    assert.equal(gone.status, 204, gone.text)
    assert.equal((await make({ externalId: next })).status, 201)
    const longest = 'x'.repeat(255)
    assert.equal((await make({ externalId: longest })).body.externalId, longest)
    for (const bad of ['', ' ', `${longest}x`, 'a b', 'a,b', 'é', 'a\nb', "a'b", 'a\u0000'])
      assertError(await make({ externalId: bad }), 'VALIDATION_FAILED', { field: 'externalId' })
  })

  it('shows an organization the id that the platform calls it by, and a change of it in the audit log', async () => {
    const postern = await server()
    const { patch } = await calls()
    const admin = await administrator(postern)
    const own = callsOf(postern, admin.token)
    const shown = async () => (await own.get('/v1/organizations')).body.data[0].externalId
    assert.equal(await shown(), null)
    const externalId = `cus-${newEmail()}`
    await patch(`/v1/operator/organizations/${admin.organizationId}`, { externalId })
    assert.equal(await shown(), externalId)
    const { body } = await own.get('/v1/audit-log?action=organization.external_id_changed')
    assert.deepEqual(
      body.data.map(({ details, actorId }: { details: object; actorId: unknown }) => [details, actorId]),
      [[{ before: null, externalId }, null]],
    )
  })

  it('gives credits once for a reference, and the audit log of the organization says so', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { post } = await calls()
    const path = `/v1/operator/organizations/${admin.organizationId}/credits`
    const gift = { credits: 25, reason: 'for the outage', reference: 'outage-1' }
    const first = await post(path, gift)
    assert.deepEqual([first.status, first.body.granted], [200, true], first.text)
    assert.deepEqual((await post(path, gift)).body, { granted: false, balance: first.body.balance })
    const { body } = await callsOf(postern, admin.token).get('/v1/audit-log?action=credits.granted')
    assert.deepEqual(
      body.data.map(({ details, actorId }: { details: object; actorId: unknown }) => [details, actorId]),
      [[{ credits: 25, reason: 'for the outage' }, null]],
    )
    for (const bad of [
      { credits: 0 },
      { credits: 1.5 },
      { credits: 2e9 },
      { reason: 'a\nb' },
      { reason: '' },
    ])
      assert.equal((await post(path, { ...gift, ...bad })).status, 400, JSON.stringify(bad))
    const unknown = path.replace(/.(?=\/credits)/, (last) => (last === '0' ? '1' : '0'))
    assertError(await post(unknown, gift), 'ENTITY_NOT_FOUND')
  })

  test('answers nobody without its token, however good what they show is elsewhere', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const shown = [
      admin.token,
      await apiKey(postern, admin),
      'x',
      OPERATOR_TOKEN.slice(0, -1),
      `${OPERATOR_TOKEN}x`,
    ]
    for (const token of shown)
      assertError(await callsOf(postern, token).get('/v1/operator/organizations'), 'UNAUTHORIZED')
    const cookie = await admin.client.get('/v1/operator/organizations')
    assertError(cookie, 'UNAUTHORIZED')
    assertError(await callsOf(postern, OPERATOR_TOKEN).get('/v1/organizations'), 'UNAUTHORIZED')
    assert.ok(!postern.log().includes(OPERATOR_TOKEN))
  })

  test('is not there where no token is set, also for who shows an empty one or sits on this machine', () =>
    withPostern(engine, { env: { OPERATOR_TOKEN: '' } }, async (postern) => {
      for (const path of ['installation', 'findings', 'organizations']) {
        const there = await postern.client().get(`/v1/operator/${path}`, { token: OPERATOR_TOKEN })
        assertError(there, 'ENTITY_NOT_FOUND', { method: 'GET', path: `/v1/operator/${path}` })
        const headers = { authorization: 'Bearer ' }
        assertError(await postern.client().get(`/v1/operator/${path}`, { headers }), 'ENTITY_NOT_FOUND')
      }
    }))

  test('is asked as often as by anybody else, with its token as without', () =>
    withPostern(engine, { env: { LIMITS: JSON.stringify({ publicPerIp: { max: 5 } }) } }, async (postern) => {
      const ask = (token: string) => postern.client().get('/v1/operator/organizations', { token })
      for (let tries = 0; tries < 3; tries += 1) assertError(await ask('guess'), 'UNAUTHORIZED')
      for (let tries = 0; tries < 2; tries += 1) assert.equal((await ask(OPERATOR_TOKEN)).status, 200)
      assertError(await ask(OPERATOR_TOKEN), 'RATE_LIMITED')
      assertError(await ask('guess'), 'RATE_LIMITED')
    }))
})
