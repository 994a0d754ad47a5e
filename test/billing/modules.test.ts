import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, member, newEmail } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, postern, startPostern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const plan = (modules: string[]) => ({ requestsPerMinute: null, modules, creditsPerCycle: 10 })
const PLANS = plansFile({
  plans: { bare: plan([]), post: plan(['webhooks']), full: plan(['webhooks', 'connections']) },
})

onBothEngines('a module', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const env = { PLANS_FILE: PLANS, DEFAULT_PLAN: 'bare' }
  const server = usePostern(engine, { env })
  const refusal = { module: 'webhooks', plans: ['post', 'full'] }

  it('that the plan lacks is refused, with the plans that have it', async () => {
    const running = await server()
    const admin = await administrator(running)
    const key = await apiKey(running, admin, 'member')
    for (const token of [admin.token, key]) {
      const answer = await running.client().get('/v1/webhooks', { token })
      assertError(answer, 'MODULE_NOT_ENABLED')
      assert.deepEqual(answer.body.error.details, refusal)
    }
    const published = { type: 'webhook.test', data: {} }
    assertError(
      await running.client().post('/v1/events', published, { token: admin.token }),
      'MODULE_NOT_ENABLED',
    )
    // What belongs to no module is there for everybody.
    assert.equal((await running.client().get('/v1/organizations', { token: admin.token })).status, 200)
  })

  test('is asked for after who is calling, and with what role', async () => {
    const running = await server()
    const admin = await administrator(running)
    const person = await member(running, admin)
    assertError(await running.client().get('/v1/webhooks', { token: 'garbage' }), 'UNAUTHORIZED')
    assertError(await running.client().post('/v1/webhooks', {}, { token: person.token }), 'FORBIDDEN')
    // The module is checked before the body, so the missing members are not reported.
    assertError(await running.client().post('/v1/webhooks', {}, { token: admin.token }), 'MODULE_NOT_ENABLED')
  })

  it('comes and goes with the plan, within five seconds', async () => {
    const running = await server()
    const name = newEmail('Org')
    const { token } = await administrator(running, name)
    const ask = () => running.client().get('/v1/webhooks', { token })
    assertError(await ask(), 'MODULE_NOT_ENABLED')
    await postern(running, 'plan', '--organization', name, '--plan', 'post')
    running.clock.advance(5 * SECOND)
    assert.equal((await ask()).status, 200)
    await postern(running, 'plan', '--organization', name, '--plan', 'bare')
    running.clock.advance(5 * SECOND)
    assertError(await ask(), 'MODULE_NOT_ENABLED')
  })

  it('is turned on and off by a flag of the organization, whatever the plan says', async () => {
    const running = await server()
    const name = newEmail('Org')
    const { token } = await administrator(running, name)
    const ask = async () => {
      running.clock.advance(5 * SECOND)
      return running.client().get('/v1/webhooks', { token })
    }
    const flag = (option: string) => postern(running, 'plan', '--organization', name, option, 'webhooks')
    const own = async () => {
      const { body } = await running.client().get('/v1/billing/plans', { token })
      return body.modules.map(({ module, enabled, byFlag }: Record<string, unknown>) => [
        module,
        enabled,
        byFlag,
      ])
    }
    assert.deepEqual(await own(), [
      ['webhooks', false, false],
      ['connections', false, false],
      ['files', false, false],
      ['knowledge', false, false],
      ['agents', false, false],
    ])
    assert.match((await flag('--enable')).out, /webhooks: on, by its flag\n {2}connections: off, by its plan/)
    assert.equal((await ask()).status, 200)
    assert.deepEqual((await own())[0], ['webhooks', true, true])
    await postern(running, 'plan', '--organization', name, '--plan', 'full')
    assert.match(
      (await flag('--disable')).out,
      /webhooks: off, by its flag\n {2}connections: on, by its plan/,
    )
    assertError(await ask(), 'MODULE_NOT_ENABLED')
    assert.match((await flag('--inherit')).out, /webhooks: on, by its plan/)
    assert.equal((await ask()).status, 200)
    const { body } = await running.client().get('/v1/audit-log?action=flag.changed', { token })
    // The command line goes by the machine's clock and not by the one that is moved here, so they have no order.
    const changes = body.data.map(({ details: { from, to } }: { details: Record<string, unknown> }) => [
      from,
      to,
    ])
    const expected = [
      [false, null],
      [true, false],
      [null, true],
    ]
    assert.deepEqual(new Set(changes.map(String)), new Set(expected.map(String)))
    assert.equal(changes.length, expected.length)
  })

  it('is refused in every process that has not heard of the change for five seconds', async () => {
    if (engine === 'sqlite') return
    const [one, name] = [await server(), newEmail('Org')]
    const other = await startPostern(engine, { env0: one.env, env: { PORT: '0' }, clock: one.clock })
    try {
      // A key: the two have ports, and so issuers of tokens, of their own.
      const token = await apiKey(one, await administrator(one, name), 'administrator')
      for (const { client } of [one, other])
        assertError(await client().get('/v1/webhooks', { token }), 'MODULE_NOT_ENABLED')
      await postern(one, 'plan', '--organization', name, '--plan', 'full')
      one.clock.advance(5 * SECOND)
      for (const { client } of [one, other])
        assert.equal((await client().get('/v1/webhooks', { token })).status, 200)
    } finally {
      await other.stop()
    }
  })

  it('that is off loses nothing: what comes from outside is still taken and kept', async () => {
    const running = await server()
    const name = newEmail('Org')
    const { token } = await administrator(running, name)
    await postern(running, 'plan', '--organization', name, '--plan', 'post')
    running.clock.advance(5 * SECOND)
    const endpointPath = `path-${crypto.randomUUID()}`
    const body = { url: 'http://127.0.0.1:9/nobody', events: ['webhook.received'], endpointPath }
    assert.equal((await running.client().post('/v1/webhooks', body, { token })).status, 201)
    await postern(running, 'plan', '--organization', name, '--plan', 'bare')
    running.clock.advance(5 * SECOND)
    assertError(await running.client().get('/v1/webhooks', { token }), 'MODULE_NOT_ENABLED')
    assert.equal((await running.client().post(`/v1/webhooks/${endpointPath}`, { a: 1 })).status, 202)
  })
})

onBothEngines('postern plan', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('lists the plans, and what an organization has', async () => {
    const running = await server()
    const all = await postern(running, 'plan')
    assert.equal(all.code, 0)
    assert.match(
      all.out,
      /^free .*; 60 requests a minute; 100 credits a cycle; 20 webhooks; webhooks, files; \$0\.00/,
    )
    assert.match(all.out, /\nunlimited .*; any number of requests a minute; .*; not for sale$/)
    const name = newEmail('Org')
    await administrator(running, name)
    const one = await postern(running, 'plan', '--organization', name)
    const modules = ['webhooks', 'connections', 'files', 'knowledge', 'agents']
    assert.deepEqual(one.out.split('\n'), [
      `${name} has the plan unlimited.`,
      ...modules.map((module) => `  ${module}: on, by its plan`),
    ])
  })

  test('refuses a module that there is not, and one that is named twice', async () => {
    const running = await server()
    const run = (...options: string[]) => postern(running, 'plan', '--organization', 'Acme', ...options)
    assert.match(
      (await run('--enable', 'mailboxes')).err,
      /^--enable must be one of webhooks, connections, files, knowledge, agents\./,
    )
    assert.match(
      (await run('--enable', 'webhooks', '--disable', 'webhooks')).err,
      /^A module can be named in one of/,
    )
    assert.match((await postern(running, 'plan', '--plan', 'free')).err, /^--organization must be/)
  })
})
