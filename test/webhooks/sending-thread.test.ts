import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { Client } from '../support/browser.ts'
import { startMailbox } from '../support/mailbox.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { OPERATOR_TOKEN, onBothEngines, type Postern, readyStore } from '../support/postern.ts'
import { type ServerProcess, startProcess } from '../support/process.ts'
import { useReceivers } from '../support/processes.ts'
import type { Received, Receiver } from '../support/receiver.ts'
import { signs, verifies } from '../support/signing.ts'
import { put, THREAD_HOOK, troublePath } from '../support/trouble.ts'
import { until } from '../support/waits.ts'
import { type Calls, callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'

const TYPE = 'agent.run.completed'

interface Attempt {
  error: string | null
  reason?: string | null
  statusCode: number | null
  requestHeaders: Record<string, string>
  responseBody: string | null
  address: string | null
}

/** A destination that holds its calls until `release`. */
function holding(destination: Receiver): { held: ServerResponse[]; release(): void } {
  const held: ServerResponse[] = []
  destination.answer = (_call, response) => void held.push(response)
  return {
    held,
    release() {
      destination.answer = (_call, response) => void response.writeHead(204).end()
      for (const response of held.splice(0)) response.writeHead(204).end()
    },
  }
}

onBothEngines('deliveries that are sent by a thread of their own', (engine) => {
  const receiver = useReceivers()
  const trouble = troublePath()
  let started: Promise<{ env: Record<string, string>; server: ServerProcess; key: string }> | undefined
  let server: ServerProcess | undefined
  after(async () => {
    await server?.end()
  })

  async function start(): Promise<{ env: Record<string, string>; server: ServerProcess; key: string }> {
    const mailbox = await startMailbox()
    after(mailbox.stop)
    const env = {
      ...(await readyStore(engine)),
      ...{ SENDING_THREAD: 'on', SMTP_URL: mailbox.url, OPERATOR_TOKEN, DEFAULT_PLAN: 'unlimited' },
      ...{ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'info', DRAIN_SECONDS: '0' },
      ...{ NODE_OPTIONS: `--import=${THREAD_HOOK}`, THREAD_TROUBLE: trouble },
    }
    server = await startProcess(env)
    const { url } = server
    const postern = { url, env, mailbox, client: () => new Client(url) } as unknown as Postern
    return { env, server, key: await apiKey(postern, await administrator(postern)) }
  }

  async function sender() {
    started ??= start()
    const { env, key } = await started
    const { url = '' } = server ?? {}
    const postern = { url, client: () => new Client(url) } as unknown as Postern
    return { env, url, key, calls: callsOf(postern, key) }
  }

  async function register(calls: Calls, url: string): Promise<{ id: string; secret: string }> {
    const { status, text, body } = await calls.post('/v1/webhooks', { url, events: [TYPE] })
    assert.equal(status, 201, text)
    return body
  }

  async function publish(calls: Calls): Promise<string> {
    const { status, text, body } = await calls.post('/v1/events', { type: TYPE, data: RUN })
    assert.equal(status, 202, text)
    return body.id
  }

  /** The newest delivery of a webhook, with its attempts. */
  async function newest(calls: Calls, webhookId: string) {
    const { body } = await calls.get(`/v1/webhooks/${webhookId}/deliveries?limit=1`)
    const [delivery] = body.data as { id: string; status: string; reason: string | null }[]
    if (delivery === undefined) return { delivery, attempts: [] }
    const { body: shown } = await calls.get(`/v1/deliveries/${delivery.id}`)
    return { delivery, attempts: shown.attempts as Attempt[] }
  }

  const ended = (calls: Calls, webhookId: string, wanted: string) =>
    until(
      () => newest(calls, webhookId),
      ({ delivery }) => delivery?.status === wanted,
      { what: `a delivery to be ${wanted}` },
    )

  /** Publishes an event whose attempt stays open until `release`. */
  async function underWay() {
    const { calls, env } = await sender()
    const destination = await receiver()
    const webhook = await register(calls, destination.url)
    const { held, release } = holding(destination)
    await publish(calls)
    await until(
      () => held.length,
      (open) => open === 1,
      { what: 'the attempt to be under way' },
    )
    return { calls, env, destination, webhook, release }
  }

  it('are signed by the current secret, and recorded as they were sent and answered', async () => {
    const { calls } = await sender()
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(200, { 'x-own': 'yes' }).end('taken')
    const webhook = await register(calls, destination.url)
    const eventId = await publish(calls)
    const [call] = (await destination.count(1)) as [Received]
    assert.equal(call.event.id, eventId)
    assert.ok(signs(webhook.secret, call) && verifies(webhook.secret, call))
    const { attempts } = await ended(calls, webhook.id, 'delivered')
    const [attempt] = attempts
    assert.equal(attempts.length, 1)
    assert.equal(attempt?.statusCode, 200)
    assert.equal(attempt?.responseBody, 'taken')
    assert.equal(attempt?.requestHeaders['x-service-signature'], call.headers['x-service-signature'])
    assert.equal(attempt?.requestHeaders['webhook-signature'], call.headers['webhook-signature'])

    const { body } = await calls.post(`/v1/webhooks/${webhook.id}/rotate-secret`)
    await publish(calls)
    const [, second] = (await destination.count(2)) as [Received, Received]
    assert.ok(signs(body.secret, second) && verifies(webhook.secret, second))
  })

  it('fail with the reason of their failure: refused, blocked, unknown, or an answer that is none', async () => {
    const { calls } = await sender()
    const test = async (url: string) => {
      const { id } = await register(calls, url)
      const { body, text, status } = await calls.post(`/v1/webhooks/${id}/test`)
      assert.equal(status, 200, text)
      const { delivery } = await newest(calls, id)
      return { ...body.attempt, delivered: body.delivered, reason: delivery?.reason }
    }
    const destination = await receiver()
    destination.answer = (_call, response) => void response.writeHead(503).end('later')
    const busy = await test(destination.url)
    assert.deepEqual([busy.delivered, busy.statusCode, busy.responseBody], [false, 503, 'later'])
    destination.answer = (_call, response) => void response.socket?.destroy()
    assert.equal((await test(destination.url)).reason, 'reset')
    await destination.stop()
    assert.equal((await test(destination.url)).reason, 'refused')
    assert.equal((await test('https://name.invalid/')).reason, 'dns')
  })

  it('are counted by the time in which the thread was busy', async () => {
    const { calls, url } = await sender()
    const destination = await receiver()
    const webhook = await register(calls, destination.url)
    await publish(calls)
    await ended(calls, webhook.id, 'delivered')
    const read = async () => {
      const { status, text } = await new Client(url).get('/metrics')
      assert.equal(status, 200, text)
      return Number(/^postern_sending_thread_busy_seconds_total (\S+)$/m.exec(text)?.[1])
    }
    await until(read, (seconds) => seconds > 0, { what: 'the thread to have been busy' })
    let before = 0
    for (let reads = 0; reads < 50; reads += 1) {
      const now = await read()
      assert.ok(now >= before, `${now} after ${before}`)
      before = now
    }
  })

  it('arrive while another organization has all its attempts open, at destinations whose answers do not end', async () => {
    const { calls, url, env } = await sender()
    const slow = await receiver()
    const open: ServerResponse[] = []
    slow.answer = (_call, response) => {
      open.push(response)
      response.writeHead(200).write('x'.repeat(15 * 1024))
    }
    const postern = { url, env, client: () => new Client(url) } as unknown as Postern
    const neighbour = callsOf(postern, await apiKey(postern, await administrator(postern)))
    for (let count = 0; count < 20; count += 1) await register(neighbour, `${slow.url}/${count}`)
    for (let count = 0; count < 4; count += 1) await publish(neighbour)
    await until(
      () => open.length,
      (held) => held >= 40,
      { what: '40 attempts whose answers do not end' },
    )
    const own = await receiver()
    await register(calls, own.url)
    for (let count = 0; count < 5; count += 1) await publish(calls)
    await own.count(5)
    slow.answer = (_call, response) => void response.writeHead(204).end()
    for (const response of open) response.destroy()
  })

  it('that were under way when the thread ended are recorded as lost connections, and made again', async () => {
    const { calls, destination, webhook, release } = await underWay()
    put(trouble, 'throw')
    await server?.says('the sending thread has ended')
    release()
    const { attempts } = await ended(calls, webhook.id, 'delivered')
    assert.deepEqual(
      attempts.map(({ error, statusCode }) => [statusCode, error]),
      [
        [null, 'the thread that sends ended during the attempt'],
        [204, null],
      ],
    )
    assert.equal(destination.received.length, 2)
  })

  it('that were under way when the thread stood still are made again, too', {
    skip: !IS_NIGHTLY,
  }, async () => {
    const { calls, destination, webhook, release } = await underWay()
    put(trouble, 'stand still')
    await until(
      () => newest(calls, webhook.id),
      ({ attempts }) => attempts.length > 0,
      { what: 'the thread to be ended' },
    )
    release()
    await ended(calls, webhook.id, 'delivered')
    assert.equal(destination.received.length, 2)
  })

  it('end before the server does, and are not sent again by the next one', async () => {
    const { env, destination, webhook, release } = await underWay()
    const gone = server?.end()
    await server?.says('Stopping: ')
    release()
    assert.equal(await gone, 0)
    server = await startProcess(env)
    const { calls: later } = await sender()
    await ended(later, webhook.id, 'delivered')
    assert.equal(destination.received.length, 1)
  })
})
