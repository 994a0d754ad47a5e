import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Millis, SECOND, systemClock } from '#src/core/clock.ts'
import { nightly } from './support/nightly.ts'
import { administrator, apiKey } from './support/people.ts'
import type { Postern } from './support/postern.ts'
import { type ServerProcess, startProcess } from './support/process.ts'
import {
  clockWithoutPolls,
  ELSEWHERE,
  ownerOf,
  type Processes,
  untilDivided,
  useProcesses,
  useReceivers,
} from './support/processes.ts'
import type { Receiver } from './support/receiver.ts'
import { callsOf, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }
/** Longer than a lease: after this the lanes of a killed process have another owner. */
const LEASE_OVER: Millis = 45 * SECOND

/** The largest difference between the clocks of machines. */
const AHEAD: Millis = SECOND / 2

const receiver = useReceivers()

/** Extends the leases of all workers by an hour, whatever their clocks and the load of the machine. */
const SIGN_OF_LIFE = 'update worker set alive_until = alive_until + 3600000'

/** Resolves after the next search for dead workers; no lease expires before. */
async function looksForTheDead(processes: Processes): Promise<void> {
  await processes.asks(SIGN_OF_LIFE)
  await processes.asks(`insert into worker (id, alive_until) values ('witness', 0)`)
  await until(
    () => processes.asks(`select id from worker where id = 'witness'`),
    (rows) => rows.length === 0,
  )
}

/** A webhook, and its API client for each process. */
async function webhookOf(postern: Postern, others: Postern[], url: string, more: object = {}) {
  const key = await apiKey(postern, await administrator(postern))
  const calls = callsOf(postern, key)
  const made = await calls.post('/v1/webhooks', { url, events: [EVENT.type], ...more })
  assert.equal(made.status, 201, made.text)
  return { calls, webhookId: String(made.body.id), by: [postern, ...others].map((one) => callsOf(one, key)) }
}

const idsOf = ({ received }: Receiver) => received.map(({ event }) => String(event.id))

describe('two processes that send', () => {
  const start = useProcesses()
  let made: Promise<{ one: Postern; two: Postern; processes: Processes }> | undefined

  function both() {
    made ??= (async () => {
      const { one, processes } = await start()
      return { one, two: await processes.start(), processes }
    })()
    return made
  }

  it('divide the calls at once that each webhook takes between them', async () => {
    const { processes } = await both()
    await untilDivided(processes, 2)
  })

  it('send to one that takes one at a time in the order of publication, whoever is published by', async () => {
    const { one, two, processes } = await both()
    await untilDivided(processes, 2)
    for (let round = 0; round < nightly(4, 2); round += 1) {
      const destination = await receiver()
      const { by } = await webhookOf(one, [two], destination.url, { maxInFlight: 1 })
      const published: string[] = []
      for (let count = 0; count < 20; count += 1) {
        const { body } = await (by[count % 2] as (typeof by)[0]).post('/v1/events', EVENT)
        published.push(String(body.id))
      }
      await destination.count(20)
      assert.deepEqual(idsOf(destination), published)
    }
  })

  it('send what a paused webhook held in the order of its publication', async () => {
    const { one, two } = await both()
    const destination = await receiver()
    const { by, calls, webhookId } = await webhookOf(one, [two], destination.url, { maxInFlight: 1 })
    await calls.patch(`/v1/webhooks/${webhookId}`, { status: 'paused' })
    const published: string[] = []
    for (let count = 0; count < 30; count += 1) {
      const { body } = await (by[count % 2] as (typeof by)[0]).post('/v1/events', EVENT)
      published.push(String(body.id))
    }
    await (by[1] as (typeof by)[0]).patch(`/v1/webhooks/${webhookId}`, { status: 'active' })
    await destination.count(30)
    assert.deepEqual(idsOf(destination), published)
  })

  it('make no more attempts at once together than a webhook takes', async () => {
    const { one, two } = await both()
    const destination = await receiver()
    let [open, most] = [0, 0]
    destination.answer = (_call, response) => {
      open += 1
      most = Math.max(most, open)
      systemClock.after(20, () => {
        open -= 1
        response.writeHead(204).end()
      })
    }
    const { by } = await webhookOf(one, [two], destination.url, { maxInFlight: 3 })
    const events = Array.from({ length: 30 }, () => EVENT)
    await Promise.all(by.map((calls) => calls.post('/v1/events/batch', { events })))
    await destination.count(60)
    assert.equal(most, 3)
  })
})

describe('a retry by hand', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('reaches the process that owns the webhook, whichever is asked', async () => {
    const { one, processes } = await start()
    for (let count = 0; count < 2; count += 1)
      await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    await untilDivided(processes, 2)
    for (let round = 0; round < nightly(4, 2); round += 1) {
      const destination = await receiver()
      const { calls, webhookId } = await webhookOf(one, [], destination.url)
      await calls.post('/v1/events', EVENT)
      await destination.count(1)
      const list = () => calls.get(`/v1/webhooks/${webhookId}/deliveries?status=delivered`)
      const { body } = await until(list, (answer) => answer.body.data.length === 1)
      const asked = await calls.post(`/v1/deliveries/${body.data[0].id}/retry`)
      assert.equal(asked.status, 202, asked.text)
      await destination.count(2)
    }
  })
})

describe('a process whose clock is behind', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('sends what another has written as soon as it is due by its own clock: it is not found by a look', async () => {
    const { one, processes } = await start()
    await processes.start({ env: { ROLE: 'worker' }, clock: clockWithoutPolls() })
    await untilDivided(processes, 1)
    const destination = await receiver()
    const { calls } = await webhookOf(one, [], destination.url)
    // From here on the owner knows the webhook's organization.
    await calls.post('/v1/events', EVENT)
    await destination.count(1)
    one.clock.advance(AHEAD)
    await calls.post('/v1/events', EVENT)
    await destination.count(2)
  })
})

describe('an owner that is killed', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  /** A process with two calls under way of a webhook that takes two, and eight events behind them. */
  async function busy() {
    const { one, processes } = await start()
    const owner: ServerProcess = await startProcess({ ...one.env, ROLE: 'worker' })
    const destination = await receiver()
    destination.answer = (_call, response) => {
      if (destination.received.length > 2) response.writeHead(204).end()
    }
    const { calls, webhookId } = await webhookOf(one, [], destination.url, { maxInFlight: 2 })
    const published: string[] = []
    const publish = async () => published.push(String((await calls.post('/v1/events', EVENT)).body.id))
    for (let count = 0; count < 10; count += 1) await publish()
    await destination.count(2)
    const inFlight = idsOf(destination)
    const before = await ownerOf(processes, webhookId)

    /** No event is lost, and only those in flight arrive twice. */
    async function isFollowed(): Promise<void> {
      const all = (await destination.count(published.length + 2)).map(({ event }) => String(event.id))
      assert.deepEqual(all.slice(0, 2), inFlight)
      assert.deepEqual(all.slice(2).sort(), published.toSorted())
      assert.notEqual(await ownerOf(processes, webhookId), before)
    }
    /** No other process has sent to the webhook. */
    const isStillAlone = () => destination.received.length === inFlight.length
    return { one, processes, owner, publish, isStillAlone, isFollowed }
  }

  it('is followed by another within its lease: nothing is lost, and only what was in flight comes again', async () => {
    const { one, processes, owner, publish, isStillAlone, isFollowed } = await busy()
    await processes.asks(ELSEWHERE)
    await owner.kill()
    const next = await processes.start({ env: { ROLE: 'worker' } })
    // Events that are published now wait for the dead owner.
    await publish()
    for (let passed = 0; passed < LEASE_OVER; passed += 9 * SECOND) {
      assert.ok(passed > 27 * SECOND || isStillAlone(), 'before its lease')
      one.clock.advance(9 * SECOND)
    }
    await isFollowed()
    await next.stop()
  })

  it('is followed by one on its machine with its next poll, which it is not while it lives, however silent', async () => {
    const { processes, owner, publish, isStillAlone, isFollowed } = await busy()
    owner.child.kill('SIGSTOP')
    await processes.asks(SIGN_OF_LIFE)
    await processes.start({ env: { ROLE: 'worker' } })
    await publish()
    for (let count = 0; count < 2; count += 1) {
      await looksForTheDead(processes)
      assert.ok(isStillAlone(), 'it lives')
    }
    await owner.kill()
    await isFollowed()
  })
})
