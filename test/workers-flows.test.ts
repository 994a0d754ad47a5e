import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { repeat, SECOND, systemClock } from '#src/core/clock.ts'
import { useAgentTools } from './support/agent-tools.ts'
import { agentCalls, type Shown } from './support/agents.ts'
import { assertError, atOnce } from './support/attacks.ts'
import { type Answer, type Call, Client } from './support/browser.ts'
import { begin as beginAnswer, event } from './support/chat-server.ts'
import { type ForgingProvider, startForgingProvider } from './support/forging-provider.ts'
import { openEvents, watchLive } from './support/live-stream.ts'
import { type Mailbox, startMailbox } from './support/mailbox.ts'
import { connectMcp } from './support/mcp-client.ts'
import { askByDevice, connect, pollToken, refresh } from './support/oauth.ts'
import { administrator, apiKey, member, type Person, tokenOf } from './support/people.ts'
import { postern as command, OPERATOR_TOKEN, type Postern, readyStore } from './support/postern.ts'
import { type ServerProcess, startProcess } from './support/process.ts'
import { useReceivers } from './support/processes.ts'
import { assertSignedIn, begin, SOCIAL_ENV, vouched } from './support/social.ts'
import { until } from './support/waits.ts'
import { callsOf } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'
import { doorsOf, type WorkerDoor } from './support/worker-doors.ts'

const TYPE = 'agent.run.completed'
const tools = await useAgentTools()
/** How long another worker may believe in what has ended, where a notification is lost. */
const BELIEF = 5_000

/** A client each of whose requests goes to another worker than the one before; two at once go to two. */
class TurningClient extends Client {
  readonly #doors: WorkerDoor[]
  #turn = 0

  constructor(doors: WorkerDoor[]) {
    super('http://localhost')
    this.#doors = doors
  }

  override call(path: string, call: Call = {}): Promise<Answer> {
    const door = this.#doors[this.#turn++ % this.#doors.length]
    const { pathname, search } = new URL(path, door?.url)
    return super.call(`${door?.url}${pathname}${search}`, call)
  }
}

describe('a flow over the workers of a server', {
  skip: process.platform === 'linux' ? false : 'it reads /proc',
}, () => {
  const receiver = useReceivers()
  let [server, mailbox, google]: [ServerProcess?, Mailbox?, ForgingProvider?] = []
  let doors: [WorkerDoor, WorkerDoor]
  /** As a client of the tests' helpers sees it. */
  let postern: Postern
  let admin: Person

  before(async () => {
    ;[mailbox, google] = [await startMailbox(), await startForgingProvider()]
    const env = {
      ...(await readyStore('postgres')),
      ...{
        SMTP_URL: mailbox.url,
        DEFAULT_PLAN: 'unlimited',
        OPERATOR_TOKEN,
        WORKERS: '2',
        DRAIN_SECONDS: '0',
      },
      ...{ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', DATABASE_POOL: '8', LOG_LEVEL: 'info' },
      ...SOCIAL_ENV,
      ...google.env('GOOGLE'),
      ...tools.env,
    }
    server = await startProcess(env)
    await server.says('"worker":2,"msg":"a worker answers requests"')
    const [one, two] = await doorsOf(server)
    assert.ok(one && two)
    doors = [one, two]
    const port = new URL(server.url).port
    const seen = { url: server.url, env: { ...env, PORT: port }, mailbox }
    postern = { ...seen, client: () => new TurningClient(doors) } as unknown as Postern
    admin = await administrator(postern)
  })
  after(async () => {
    const code = await server?.end()
    await mailbox?.stop()
    await google?.stop()
    assert.equal(code, 0)
  })

  /** The doors of agents at one worker. */
  const agentsAt = ({ url }: WorkerDoor) => agentCalls({ client: () => new Client(url) }, admin)

  it('signs people in: by a provider, and by links of mails, each of which works once', async () => {
    const client = postern.client()
    assert.ok(google)
    google.claims = vouched(admin.email)
    await assertSignedIn(client, await client.get(google.authorize(await begin(client, 'google'))))

    const { email } = await member(postern, admin)
    const turning = postern.client()
    await turning.post('/v1/auth/magic-link', { email })
    const { token } = await postern.mailbox.next(email)
    const verify = () => turning.post('/v1/auth/magic-link/verify', { token })
    const statuses = (await atOnce(10, verify)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
  })

  it('grants what an application and a device ask for, by keys that both workers publish', async () => {
    const { client, access, refresh: token } = await connect(postern, admin)
    for (const _ of doors) assert.equal((await callsOf(postern, access).get('/v1/webhooks')).status, 200)
    assert.equal((await refresh(postern, client, token)).status, 200)
    const asked = await askByDevice(postern, CLI_CLIENT)
    const { organizationId } = admin
    const decision = { userCode: asked.user_code, allow: true, organizationId, scopes: ['webhooks:read'] }
    assert.equal((await admin.client.post('/v1/auth/devices/decision', decision)).status, 204)
    assert.equal((await pollToken(postern, CLI_CLIENT, asked)).status, 200)
    const keys = await Promise.all(doors.map(({ url }) => new Client(url).get('/.well-known/jwks.json')))
    assert.equal(keys[0]?.text, keys[1]?.text)
  })

  it('makes one thing of requests with one Idempotency-Key that come to both at once', async () => {
    const own = callsOf(postern, admin.token)
    const publish = () => own.post('/v1/events', { type: TYPE, data: RUN }, { 'idempotency-key': 'both' })
    const answers = await atOnce(20, publish)
    const made = answers.filter(({ status }) => status === 202)
    assert.ok(made.length > 0)
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1)
    for (const answer of answers)
      if (answer.status !== 202) assertError(answer, 'DUPLICATE', { reason: 'still_running' })
    assert.equal((await publish()).body.id, made[0]?.body.id)
  })

  it('shows at one what happens at the other: streams, captures, listeners, files and tools', async () => {
    const key = await apiKey(postern, admin)
    const own = callsOf(postern, key)
    const streams = await Promise.all(doors.map(({ url }) => watchLive(url, key)))
    const { url } = await await receiver()
    const webhook = await own.post('/v1/webhooks', { url, events: [TYPE], endpointPath: 'over-workers' })
    assert.equal(webhook.status, 201, webhook.text)
    for (const door of doors) {
      const { id } = (
        await new Client(door.url).post('/v1/events', { type: TYPE, data: RUN }, { token: key })
      ).body
      for (const stream of streams)
        await stream.sees('the delivery', ({ data }) => data.eventId === id && data.status === 'delivered')
    }
    const path = `/v1/webhooks/${webhook.body.id}/test`
    assert.equal((await own.post(`${path}/start`)).status, 200)
    const called = await own.post('/v1/webhooks/over-workers', { a: 1 })
    assert.equal(called.body.status, 'captured')
    const [capture] = (await own.get(`${path}/captures`)).body.data
    assert.equal(capture.status, 'captured')

    const [one, two] = doors.map((door) => new Client(door.url))
    assert.ok(one && two)
    assert.equal(
      (await one.call('/v1/listeners/here', { method: 'PUT', body: { events: [TYPE] }, token: key })).status,
      201,
    )
    const claim = two.post('/v1/listeners/here/claims', { waitMs: 20_000 }, { token: key })
    const event = await one.post('/v1/events', { type: TYPE, data: RUN }, { token: key })
    assert.equal(event.status, 202, event.text)
    const claimed = await claim
    assert.equal(claimed.body.deliveries.length, 1, claimed.text)

    const file = await one.post('/v1/files?name=a.txt', 'hello', {
      token: key,
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(file.status, 201, file.text)
    assert.equal((await two.get(`/v1/files/${file.body.id}`, { token: key })).status, 200)

    for (const stream of streams) stream.leave()
  })

  it('continues a stream at the other from its last event on, and leaves out nothing', async () => {
    const key = await apiKey(postern, admin)
    const own = callsOf(postern, key)
    const { url } = await await receiver()
    const ids: string[] = []
    const register = async () => {
      const { body, text } = await own.post('/v1/webhooks', { url, events: [TYPE] })
      assert.ok(body.id, text)
      ids.push(body.id)
    }
    const isOf = (id: string | undefined) => (one: { data: Shown }) =>
      one.data.webhookId === id || one.data.id === id
    const query = '?topics=webhooks'
    let after: string | undefined
    // Each of the two takes over from the other.
    for (const door of [...doors, ...doors]) {
      const stream = await watchLive(door.url, key, { query, ...(after && { after }) })
      if (ids.length > 0) await stream.sees('what happened between', isOf(ids.at(-1)))
      await register()
      await stream.sees('what happens now', isOf(ids.at(-1)))
      after = stream.place()
      stream.leave()
      await register()
    }
  })

  it('breaks off the call of a model whose run is cancelled at the other, and charges what it had said', async () => {
    const calls = agentCalls(postern, admin)
    const agentId = await calls.agent({ model: 'stub' })
    // It never falls silent, so that only a cancelled run ends its call.
    tools.chat.answer = (_asked, response) => {
      beginAnswer(response)
      const say = () => response.write(event({ choices: [{ delta: { content: 'Well, ' } }] }))
      response.once('close', repeat(systemClock, SECOND, say))
      say()
    }
    for (const start of doors)
      for (const cancel of doors) {
        const before = tools.chat.cut()
        const { id } = await agentsAt(start).run(agentId, 'Long?')
        const headers = { authorization: `Bearer ${admin.token}` }
        const events = await openEvents(`${cancel.url}/v1/runs/${id}/events`, { headers })
        await events.sees('the first words', ({ data }) => String(data.text).includes('Well, '))
        events.leave()
        const cancelled = await agentsAt(cancel).post(`/v1/runs/${id}/cancel`)
        assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
        await until(tools.chat.cut, (count) => count === before + 1, { what: 'the call to be broken off' })
        const run = await until(
          async () => (await calls.get(`/v1/runs/${id}`)).body,
          ({ usage }) => usage.outputTokens > 0,
          { what: 'the words to be counted' },
        )
        const { data } = (await calls.get('/v1/billing/ledger?limit=100')).body
        const debits = data.filter(({ kind, reference }: Shown) => kind === 'debit' && reference === id)
        const paid = debits.reduce((sum: number, { price }: Shown) => sum + price, 0)
        assert.ok(run.credits > 0 && paid === run.credits, `${paid} of ${run.credits} credits`)
      }
  })

  it('lets a run go on that a person approves at the other', async () => {
    tools.reset()
    const calls = agentCalls(postern, admin)
    const agentId = await tools.agent(calls, { approval: 'always' })
    for (const start of doors)
      for (const decide of doors) {
        const { id } = await agentsAt(start).run(agentId, 'Act.')
        const { approval } = await agentsAt(start).becomes(id, 'waiting')
        const path = `/v1/runs/${id}/approvals/${approval.stepId}`
        const both = await atOnce(2, () => agentsAt(decide).post(path, { decision: 'approve' }))
        assert.ok(
          both.some(({ status }) => status === 200),
          both.map(({ text }) => text).join(),
        )
        assert.equal((await calls.ended(id)).output, 'Done.')
      }
    assert.equal(tools.called().length, doors.length ** 2)
  })

  it('is seen by commands that need the database for themselves', async () => {
    const env = { ...postern.env, NEXT_SECRET_KEY: 'a'.repeat(64) }
    const { code, err } = await command({ env }, 'rotate-key')
    assert.equal(code, 1)
    assert.match(err, /Stop all of its processes first/)
  })

  it('serves clients of the Model Context Protocol whose requests come to both', async () => {
    const key = await apiKey(postern, admin)
    for (const protocol of ['old', 'new'] as const) {
      // The official client keeps connections and opens others beside them, so that requests of one session come to both.
      const client = await connectMcp(server?.url ?? '', key, protocol)
      const lists = await atOnce(10, () => client.listTools())
      assert.ok(lists.every(({ tools }) => tools.length > 0))
      await client.close()
    }
  })

  it('ends rights at both at once, and closes the streams that had them within five seconds', async () => {
    const person = await member(postern, admin)
    const token = await tokenOf(person.client, person.organizationId)
    const clients = doors.map(({ url }) => new Client(url))
    const streams = await Promise.all(doors.map(({ url }) => watchLive(url, token)))
    const ask = () => Promise.all(clients.map((client) => client.get('/v1/webhooks', { token })))
    assert.deepEqual(
      (await ask()).map(({ status }) => status),
      [200, 200],
    )
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    assert.equal((await admin.client.delete(path, { token: admin.token })).status, 204)
    await until(ask, (answers) => answers.every(({ status }) => status !== 200), {
      what: 'both workers to refuse',
      patience: 2 * BELIEF,
    })
    for (const stream of streams) await stream.over
  })
})
