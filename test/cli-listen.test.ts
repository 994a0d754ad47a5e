import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { loginStore } from '#src/cli/logins.ts'
import { SECOND } from '#src/core/clock.ts'
import { nightly } from './support/nightly.ts'
import { connect } from './support/oauth.ts'
import { onBothEngines, postern, testOnOneEngineByDay, usePostern } from './support/postern.ts'
import { beginProcess } from './support/process.ts'
import { signs, verifies } from './support/signing.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN, useSender } from './support/webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-listen-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** How many each of two clients takes. */
const EACH = nightly(500, 100)

/** The first word of this line of its output is the secret. */
const secretIn = (said: string) => /shown this once: (whsec_\S+)/.exec(said)?.[1] ?? ''

onBothEngines('postern listen', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))

  async function stand() {
    const { postern: running, key, receiver, publish, admin } = await sender()
    const env = { ...running.env, POSTERN_API_KEY: key, POSTERN_URL: running.url }
    const own = callsOf(running, key)
    const open = (name: string) =>
      running.client().call(`/v1/listeners/${name}`, { method: 'PUT', body: { events: ['*'] }, token: key })
    const deliveriesOf = async (id: string, status: string) =>
      (await own.get(`/v1/webhooks/${id}/deliveries?status=${status}&limit=100`)).body.data
    return { running, key, receiver, publish, admin, env, own, open, deliveriesOf }
  }

  it('makes the answers of a local server the attempts, with the bytes and headers of any other delivery', async () => {
    const { receiver, publish, env, own } = await stand()
    const local = await receiver()
    const forward = `${local.url}/hook?x=1`
    const first = postern(
      { env },
      'listen',
      '--forward-to',
      forward,
      '--name',
      'laptop',
      '--count',
      '1',
      '--json',
    )
    const { id } = await until(
      async () => (await own.get('/v1/webhooks')).body.data,
      (data) => data.some(({ listener }: { listener: string }) => listener === 'laptop'),
      { what: 'the listener' },
    ).then((data) => data.find(({ listener }: { listener: string }) => listener === 'laptop'))
    await publish({ ...RUN, output: 'é\u2028' })
    const said = await first
    assert.equal(said.code, 0, said.err)
    const [call] = local.received
    assert.ok(call !== undefined)
    assert.equal(call.path, '/hook?x=1')
    const secret = secretIn(said.err)
    assert.ok(signs(secret, call) && verifies(secret, call), 'the secret that it shows is the one that signs')
    assert.match(String(call.headers['user-agent']), /^Postern\//)
    const line = JSON.parse(said.out)
    assert.deepEqual([line.outcome, line.status, line.attempt], ['delivered', 204, 1])
    const done = (await own.get(`/v1/deliveries/${line.deliveryId}`)).body
    assert.equal(done.status, 'delivered')
    const { host, connection, 'content-length': _length, ...sent } = call.headers
    assert.deepEqual(done.attempts[0].requestHeaders, sent)
    assert.ok(host && connection)
    // A second time the secret is not shown, unless a new one is asked for; a refusal fails the delivery as elsewhere.
    local.answer = (_, response) => void response.writeHead(404).end('no')
    const event = await publish()
    const more = ['--forward-to', forward, '--name', 'laptop', '--count', '1']
    const second = await postern({ env }, 'listen', ...more)
    assert.equal(secretIn(second.err), '')
    assert.match(
      second.out,
      /^\S+Z {2}failed {4}404 {6}agent\.run\.completed {2}\d+ ms {2}attempt 1 {2}dlv_\S+$/,
    )
    const [failed] = (await own.get(`/v1/webhooks/${id}/deliveries`)).body.data
    assert.deepEqual([failed.eventId, failed.status, failed.reason], [event.id, 'failed', 'http_404'])
    local.answer = (_, response) => void response.writeHead(204).end()
    await publish()
    const third = await postern({ env }, 'listen', ...more, '--new-secret')
    const newest = local.received.at(-1)
    assert.ok(newest && signs(secretIn(third.err), newest))
  })

  test('tries again where the local server is not there, and resends what is asked for', async () => {
    const { receiver, publish, env, open, own, deliveriesOf } = await stand()
    const { id } = (await open('away')).body
    await publish()
    const nowhere = await postern(
      { env },
      ...['listen', '--forward-to', 'http://127.0.0.1:9/', '--name', 'away', '--count', '1', '--json'],
    )
    const told = JSON.parse(nowhere.out)
    assert.deepEqual([told.outcome, told.failure], ['pending', 'refused'])
    const local = await receiver()
    const more = ['--forward-to', local.url, '--name', 'away', '--count', '1', '--json']
    const retried = JSON.parse((await postern({ env }, 'listen', ...more)).out)
    assert.deepEqual(
      [retried.deliveryId, retried.attempt, retried.outcome],
      [told.deliveryId, 2, 'delivered'],
    )
    const resent = await postern({ env }, 'resend', told.deliveryId)
    assert.match(resent.out, /^\S+Z {2}held {2}agent\.run\.completed {2}dlv_\S+$/)
    const anew = JSON.parse((await postern({ env }, 'listen', ...more)).out)
    assert.ok(resent.out.endsWith(anew.deliveryId))
    assert.equal(local.received.length, 2)
    assert.equal((await deliveriesOf(id, 'delivered')).length, 2)
    const [original] = (await own.get(`/v1/deliveries/${told.deliveryId}`)).body.attempts
    assert.equal(original.errorClass, 'refused')
  })

  it('drains many held deliveries by two clients, each one exactly once', async () => {
    const { receiver, env, own, open, running, key } = await stand()
    const { id } = (await open('shared')).body
    const events = Array.from({ length: EACH }, (_, n) => ({
      type: 'agent.run.completed',
      data: { ...RUN, runId: `run_${n}` },
    }))
    const ids: string[] = []
    for (const half of [events, events]) {
      const batch = await running.client().post('/v1/events/batch', { events: half }, { token: key })
      ids.push(...batch.body.results.map((made: { id: string }) => made.id))
    }
    const stats = async () => (await own.get(`/v1/webhooks/${id}/stats`)).body
    const local = await receiver()
    const client = () =>
      postern(
        { env },
        'listen',
        '--forward-to',
        local.url,
        '--name',
        'shared',
        '--count',
        String(EACH),
        '--at-once',
        '16',
      )
    const ended = await Promise.all([client(), client()])
    for (const { code, err } of ended) assert.equal(code, 0, err)
    assert.deepEqual(local.received.map(({ event }) => event.id).sort(), ids.sort())
    const { deliveries } = await stats()
    assert.deepEqual([deliveries.delivered, deliveries.failed, deliveries.pending], [2 * EACH, 0, 0])
  })

  it('gives back what a killed client had in hand', async () => {
    const { receiver, publish, env, open, running, own } = await stand()
    await open('killed')
    const local = await receiver()
    // It never answers: the client has the delivery in hand when it is killed.
    local.answer = () => {}
    const { child, gone } = beginProcess(['listen', '--forward-to', local.url, '--name', 'killed'], {
      ...env,
      LOG_LEVEL: 'error',
    })
    const event = await publish()
    await local.count(1)
    child.kill('SIGKILL')
    await gone
    running.clock.advance(46 * SECOND)
    const heir = await receiver()
    const next = await postern(
      { env },
      ...['listen', '--forward-to', heir.url, '--name', 'killed', '--count', '1', '--json'],
    )
    const told = JSON.parse(next.out)
    assert.deepEqual([told.attempt, told.outcome], [1, 'delivered'])
    assert.equal(heir.received[0]?.event.id, event.id)
    assert.deepEqual(heir.received[0]?.body, local.received[0]?.body)
    assert.equal((await own.get(`/v1/deliveries/${told.deliveryId}`)).body.attempts.length, 1)
  })

  test('publishes the example of a type, and works by a login', async () => {
    const { receiver, env, running, admin, open } = await stand()
    await open('login')
    const granted = await connect(running, admin, {
      scope: 'webhooks:write events:write event_types:read deliveries:write',
    })
    const login = { ...env, POSTERN_API_KEY: '', POSTERN_LOGIN_FILE: join(folder, `${engine}.json`) }
    const tokens = { accessToken: granted.access, scope: granted.scope, expiresAt: Number.MAX_SAFE_INTEGER }
    await loginStore(login, running.url).change(async () => tokens)
    const made = await postern(
      { env: login },
      ...['trigger', 'agent.run.completed', '--data', '{"output":"mine"}', '--json'],
    )
    assert.equal(made.code, 0, made.err)
    const local = await receiver()
    const said = await postern(
      { env: login },
      ...['listen', '--forward-to', local.url, '--name', 'login', '--count', '1'],
    )
    assert.equal(said.code, 0, said.err)
    const [call] = local.received
    assert.equal(call?.event.id, JSON.parse(made.out).id)
    assert.equal(call?.event.data.output, 'mine')
    assert.equal(typeof call?.event.data.runId, 'string', 'the rest is the example of the type')
  })

  test('says what is not understood', async () => {
    const { env } = await stand()
    const misuse = async (...args: string[]) => {
      const { code, err } = await postern({ env }, ...args)
      assert.equal(code, 2, err)
      return err
    }
    assert.match(await misuse('listen'), /^--forward-to must be an address/)
    assert.match(await misuse('listen', '--forward-to', 'localhost:3000'), /^--forward-to must be/)
    const to = ['listen', '--forward-to', 'http://127.0.0.1:9']
    assert.match(await misuse(...to, '--name', 'A B'), /^--name must be/)
    assert.match(await misuse(...to, '--at-once', '0'), /^--at-once must be/)
    assert.match(await misuse('trigger'), /^The event type is missing/)
    assert.match(await misuse('trigger', 'a.b', '--data', '[1]'), /^--data must be an object/)
    assert.match(
      await misuse('trigger', 'a.b', '--data', '@/no/such/file'),
      /^--data: \/no\/such\/file cannot/,
    )
    assert.match(await misuse('resend'), /^The id of a delivery is missing/)
    const unknown = await postern({ env }, 'trigger', 'no.such')
    assert.equal(unknown.code, 1)
    assert.notEqual(unknown.err, '')
  })
})
