import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { MINUTE, type Millis, SECOND, systemClock } from '#src/core/clock.ts'
import { PARKING } from '#src/jobs/lanes/circuit-breaker.ts'
import type { TestClock } from './support/clock.ts'
import { administrator, apiKey } from './support/people.ts'
import type { Postern } from './support/postern.ts'
import { startProcess } from './support/process.ts'
import { untilDivided, useProcesses, useReceivers } from './support/processes.ts'
import { advanceAtRest, untilAtRest } from './support/rest.ts'
import { type Calls, callsOf, until } from './support/webhook-calls.ts'
import { RUN } from './support/webhooks.ts'

const EVENT = { type: 'agent.run.completed', data: RUN }
/** Longer than a lease: after this the lanes of a killed process have another owner. */
const LEASE_OVER: Millis = 45 * SECOND
/** The clock advances by this step. */
const STEP: Millis = 3 * SECOND
/** The slowest pace that a webhook can ask for. */
const PACE: Millis = 10 * SECOND
const SLOWEST = { maxPerSecond: SECOND / PACE }

const newReceiver = useReceivers()

const well = (response: ServerResponse) => void response.writeHead(204).end()
const ill = (response: ServerResponse) => void response.writeHead(503).end()

/** A destination, and its records of calls. */
async function startDestination(clock: Pick<TestClock, 'now'>) {
  const receiver = await newReceiver()
  const open = new Set<ServerResponse>()
  const destination = {
    url: receiver.url,
    /** When each call came, by the clock of the processes. */
    moments: [] as Millis[],
    open,
    /** How many calls were open at once. */
    most: 0,
    answer: well,
  }
  receiver.answer = (_call, response) => {
    destination.moments.push(clock.now())
    open.add(response)
    response.once('close', () => open.delete(response))
    destination.most = Math.max(destination.most, open.size)
    destination.answer(response)
  }
  return destination
}
type Destination = Awaited<ReturnType<typeof startDestination>>

/** Publishes this many events through each process. */
async function publish(by: Calls[], count: number): Promise<void> {
  const events = Array.from({ length: count }, () => EVENT)
  const answers = await Promise.all(by.map((calls) => calls.post('/v1/events/batch', { events })))
  for (const { status, text } of answers) assert.equal(status, 202, text)
}

/** An organization's client for each process, and a webhook of it. */
async function customer(processes: Postern[]) {
  const [first] = processes as [Postern]
  const key = await apiKey(first, await administrator(first))
  const by = processes.map((postern) => callsOf(postern, key))
  async function register(url: string, more: object = {}): Promise<string> {
    const made = await callsOf(first, key).post('/v1/webhooks', { url, events: [EVENT.type], ...more })
    assert.equal(made.status, 201, made.text)
    return String(made.body.id)
  }
  return { by, register }
}

/** Advances the clock, and resolves when all processes have run what is due. */
async function pass(
  clock: TestClock,
  { senders, by, destination }: Awaited<ReturnType<typeof witnessOf>>,
  time: Millis,
) {
  await untilAtRest(...senders)
  clock.advance(time)
  const before = destination.moments.length
  await publish(by, 1)
  await until(
    () => {
      // Notifications are paced, so the clock must advance between two of them.
      clock.advance(1)
      return destination.moments.length - before
    },
    (came) => came === by.length,
    { what: 'what each process has published' },
  )
}

/** @param senders the processes that make the calls */
async function witnessOf(processes: Postern[], clock: TestClock, senders = processes) {
  const destination = await startDestination(clock)
  const { by, register } = await customer(processes)
  await register(destination.url)
  return { senders, by, destination }
}

/** The shortest time between two calls. */
const closest = ({ moments }: Destination) =>
  Math.min(...moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0)))

const parkedBy = ({ log }: Postern, webhookId: string) =>
  log().split(`"webhookId":"${webhookId}","msg":"lane parked"`).length - 1

describe('two processes that send', () => {
  const start = useProcesses()
  let made: Promise<{ both: [Postern, Postern]; clock: TestClock }> | undefined

  function processes() {
    made ??= (async () => {
      const { one, processes } = await start()
      const both: [Postern, Postern] = [one, await processes.start()]
      await untilDivided(processes, 2)
      return { both, clock: one.clock }
    })()
    return made
  }

  it('call a webhook together no more often than its `maxPerSecond`, whichever is published by', async () => {
    const { both, clock } = await processes()
    const witness = await witnessOf(both, clock)
    const destination = await startDestination(clock)
    const { by, register } = await customer(both)
    using _ = clock.stop()
    await register(destination.url, SLOWEST)
    await publish(by, 2)
    for (let step = 0; step < 30 && destination.moments.length < 4; step += 1)
      await pass(clock, witness, STEP)
    assert.equal(destination.moments.length, 4)
    assert.ok(closest(destination) > PACE / 2, `calls at ${destination.moments}`)
  })

  /** A webhook that one process has parked, with deliveries behind it; needs a stopped clock. */
  async function parked() {
    const { both, clock } = await processes()
    const destination = await startDestination(clock)
    const { by, register } = await customer(both)
    const held: ServerResponse[] = []
    destination.answer = (response) => {
      if (destination.moments.length < PARKING.after) ill(response)
      else held.push(response)
    }
    const webhookId = await register(destination.url)
    await publish(by, 30)
    await until(
      () => {
        clock.advance(1)
        return held.length
      },
      (count) => count > 0,
      { what: 'the call that parks it' },
    )
    clock.advance(PARKING.within)
    destination.answer = ill
    for (const response of held.splice(0)) ill(response)
    await until(
      () => both.map((one) => parkedBy(one, webhookId)).sort(),
      ([, most]) => most === 1,
      { what: 'one of them to park it' },
    )
    return { both, clock, destination, by, webhookId }
  }

  it('park a webhook that fails once, and try it with one call at a time', async () => {
    const { both, clock } = await processes()
    const witness = await witnessOf(both, clock)
    using _ = clock.stop()
    const { destination, webhookId } = await parked()
    const before = destination.moments.length
    destination.most = 0
    destination.answer = (response) => void setImmediate(() => ill(response))
    for (let passed = 0; passed < MINUTE; passed += STEP) await pass(clock, witness, STEP)
    const tried = destination.moments.length - before
    assert.ok(tried >= 2 && tried <= 12, `${tried} calls in a minute`)
    assert.equal(destination.most, 1)
    assert.deepEqual(both.map((one) => parkedBy(one, webhookId)).sort(), [0, 1])
  })

  it('say the same of a webhook that one of them has parked: its health, its problem, and why each delivery waits', async () => {
    const { both, clock } = await processes()
    const [first, second] = both
    using _ = clock.stop()
    const { by, webhookId, destination } = await parked()
    /** The answer of each process. */
    const said = () =>
      Promise.all(
        by.map(async (calls) => {
          const { health } = (await calls.get(`/v1/webhooks/${webhookId}`)).body
          const { inFlight, deliveries } = (await calls.get(`/v1/webhooks/${webhookId}/stats`)).body
          const { data } = (await calls.get('/v1/problems')).body
          const problem = data.find(({ subjectId }: { subjectId: string }) => subjectId === webhookId)
          const list = (await calls.get(`/v1/webhooks/${webhookId}/deliveries?status=pending&limit=100`)).body
          const reasons = []
          for (const { id, attemptCount } of list.data)
            if (attemptCount === 0)
              reasons.push((await calls.get(`/v1/deliveries/${id}`)).body.waiting?.reason)
          return { health, inFlight, deliveries, problem: problem && { ...problem, failed: null }, reasons }
        }),
      )
    const [one, two] = await until(
      async () => {
        await advanceAtRest(first, STEP, second)
        return said()
      },
      (answers) =>
        answers.every(({ health, problem }) => health.state === 'parked' && problem?.state === 'parked') &&
        isDeepStrictEqual(answers[0], answers[1]),
      { what: 'both to say the same of a parked webhook' },
    )
    assert.deepEqual(one, two)
    assert.equal(one?.problem.waiting.count, one?.deliveries.pending)
    assert.equal(one?.problem.since, one?.health.since)
    assert.ok(one?.inFlight.parkedAt)
    assert.ok(one?.reasons.length > 0)
    // The next probe may be under way.
    assert.ok(one?.reasons.filter((reason: string) => reason !== 'parked').length <= 1, String(one?.reasons))
    destination.answer = well
    await until(
      async () => {
        await advanceAtRest(first, STEP, second)
        return said()
      },
      (answers) =>
        answers.every(({ health, problem }) => health.state === 'delivering' && problem === undefined),
      { what: 'both to say that it is well' },
    )
  })
})

describe('an owner that is killed', () => {
  const start = useProcesses({ env: { ROLE: 'api' } })

  it('leaves the limits of its webhooks to the next: calls at once, calls a second, and a breaker', async () => {
    const { one, processes } = await start()
    const { clock } = one
    const killed = await startProcess({ ...one.env, ROLE: 'worker', LOG_LEVEL: 'info' })
    const [full, paced, failing] = [
      await startDestination(clock),
      await startDestination(clock),
      await startDestination(clock),
    ]
    full.answer = () => {}
    failing.answer = (response) => {
      // A webhook is not parked before it has failed for two seconds.
      if (failing.moments.length < PARKING.after) ill(response)
      else systemClock.after(PARKING.within, () => ill(response))
    }
    const { by, register } = await customer([one])
    await register(full.url, { maxInFlight: 3 })
    await register(paced.url, SLOWEST)
    const failingId = await register(failing.url)
    await publish(by, 20)
    await killed.says(`"webhookId":"${failingId}","msg":"lane parked"`)
    await until(
      () => [full.open.size, paced.moments.length],
      ([open, calls]) => open === 3 && calls === 1,
      { what: 'three calls that are open, and the first of those that are slow' },
    )
    await killed.kill()
    await until(
      () => full.open.size,
      (open) => open === 0,
      { what: 'the calls of a process that is gone to be closed' },
    )
    full.answer = (response) => void systemClock.after(20, () => well(response))
    failing.answer = (response) => void setImmediate(() => ill(response))
    const next = await processes.start({ env: { ROLE: 'worker' } })
    for (let passed = 0; passed < LEASE_OVER; passed += 9 * SECOND) clock.advance(9 * SECOND)
    await until(
      () => full.moments.length,
      (calls) => calls === 20 + 3,
      { what: 'all to be sent, and what was in flight once more' },
    )
    await untilDivided(processes, 1)
    assert.equal(full.most, 3)

    using _ = clock.stop()
    const witness = await witnessOf([one], clock, [next])
    for (let step = 0; step < 30 && parkedBy(next, failingId) === 0; step += 1)
      await pass(clock, witness, STEP)
    assert.equal(parkedBy(next, failingId), 1)
    const tried = failing.moments.length
    failing.most = 0
    for (let passed = 0; passed < MINUTE; passed += STEP) await pass(clock, witness, STEP)
    assert.ok(failing.moments.length - tried <= 12, `${failing.moments.length - tried} calls in a minute`)
    assert.equal(failing.most, 1)
    assert.ok(paced.moments.length > 5, `${paced.moments.length} calls`)
    assert.ok(closest(paced) > PACE / 2, `calls at ${paced.moments}`)
  })
})
