import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import { DEADLINE, type Send, type Sent } from '#src/delivery/attempt/send.ts'
import { createDeliveryStore, type DeliveryStore } from '#src/delivery/delivery-store.ts'
import { createDeliveryWorker } from '#src/delivery/delivery-worker.ts'
import { createJobShares } from '#src/jobs/lanes/job-shares.ts'
import { PACE } from '#src/jobs/lease/lease.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'
import { stoppedClock, type TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database.ts'
import { leased, newLease } from '../support/leased.ts'
import { writeDeliveries, writeWebhooks } from '../support/many-webhooks.ts'
import { onBothEngines } from '../support/store.ts'
import { until } from '../support/waits.ts'

const DELIVERED: Sent = {
  result: { status: 200, retryAfter: undefined },
  durationMs: 1,
  secretIndex: 0,
  requestHeaders: '{}',
  responseHeaders: '',
  responseBody: new Uint8Array(),
  reach: '0',
  error: null,
}

/** A worker whose connection to the database and whose calls the test controls. */
function newWorker(database: Database, clock: TestClock) {
  const target = { url: 'http://127.0.0.1:9/', urlVersion: 0, secrets: ['whsec_AAAA'] }
  const targets = {
    find: async () => ({ ...target, maxInFlight: 8, maxPerSecond: null, resumedAt: null }),
    forget: () => {},
  }
  const real = createDeliveryStore({ database, targets, onGone: async () => {} })
  const way = { isCut: false, polls: 0, calls: 0, lost: 0, end: Promise.withResolvers<void>() }
  const cut = <T extends object>(one: T): T =>
    new Proxy(one, {
      get(object, name) {
        const value = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (way.isCut) {
            way.lost += 1
            throw new Error('the database is away')
          }
          const answer = await value.apply(object, args)
          if (name === 'stepReplays') way.polls += 1
          return answer
        }
      },
    })
  const store: DeliveryStore = Object.assign(cut(real), { interrupt: real.interrupt })
  const send: Send = async () => {
    way.calls += 1
    await way.end.promise
    return DELIVERED
  }
  const leases = createLeaseStore(database)
  const cutLeases = Object.assign(cut(leases), { interrupt: leases.interrupt })
  const lease = newLease(database, { clock, store: { ...leases, ...cutLeases } })
  const sending = createDeliveryWorker({
    ...{ clock, lease, send, shared: database.shared, shares: createJobShares(DEADLINE) },
    store: {
      ...store,
      ...cut(real),
      ownership: cut(real.ownership),
      lanes: cut(real.lanes),
      interrupt: real.interrupt,
    },
    log: { info() {}, error() {} },
    onAttempt() {},
  })
  return { worker: leased(lease, sending), way }
}

type Running = ReturnType<typeof newWorker>

/** Starts the first call of a worker, which the test ends. */
async function startSending({ worker, way }: Running): Promise<void> {
  await worker.start()
  await until(
    () => way.calls,
    (calls) => calls === 1,
    { what: 'the call to begin' },
  )
}

/** Cuts the connections to the database until every lease has expired. */
function cutOff(clock: TestClock, ...some: Running[]): void {
  for (const { way } of some) way.isCut = true
  for (let passed = 0; passed < 2 * MINUTE; passed += SECOND) clock.advance(SECOND)
}

/** Resolves when the workers have detected the outage. */
const noticing = (...some: Running[]) =>
  until(
    () => some.map(({ way }) => way.lost),
    (lost) => lost.every((count) => count > 2),
    { what: 'the processes to notice' },
  )

onBothEngines('deliveries in flight whose lease expires during an outage of the database', (engine) => {
  const open = useDatabase(engine)

  async function oneDelivery() {
    const database = await open()
    const clock = stoppedClock()
    const organization = newId('organization', clock.now())
    const row = { id: organization, name: organization, plan: 'free', flags: '{}', created_at: clock.now() }
    await database.tx((tx) => tx.insertInto('organization').values(row).execute())
    const more = { status: 'active', max_in_flight: 8 } as const
    const [webhook] = await writeWebhooks(database, organization, 1, clock.now(), more)
    const [delivery] = await writeDeliveries({ app: { database }, clock }, organization, 1, () => ({
      webhook_id: webhook as NonNullable<typeof webhook>,
      status: 'pending',
      due_at: clock.now(),
    }))
    const status = async () =>
      (
        await database.db
          .selectFrom('delivery')
          .select('status')
          .where('id', '=', delivery?.id as NonNullable<typeof delivery>['id'])
          .executeTakeFirstOrThrow()
      ).status
    /** Lets some workers poll once more, one poll interval later. */
    const poll = async (...some: Running[]) => {
      const before = some.map(({ way }) => way.polls)
      clock.advance(PACE.poll)
      await until(
        () => some.map(({ way }) => way.polls),
        (polls) => polls.every((count, index) => count > (before[index] ?? 0)),
        { what: 'the workers to poll' },
      )
    }
    return { database, clock, status, poll }
  }

  it('are not sent again by their own process, which still runs', async () => {
    const { database, clock, status, poll } = await oneDelivery()
    const one = newWorker(database, clock)
    await startSending(one)
    cutOff(clock, one)
    await noticing(one)
    one.way.isCut = false
    await poll(one)
    await poll(one)
    assert.equal(one.way.calls, 1)
    one.way.end.resolve()
    await until(status, (found) => found === 'delivered', { what: 'the result in the table' })
    await poll(one)
    assert.equal(one.way.calls, 1)
    await one.worker.stop()
  })

  it('are not sent again by another process with the same outage', async (context) => {
    const { database, clock, status, poll } = await oneDelivery()
    if (!database.shared) return context.skip('one process has this data')
    const [one, other] = [newWorker(database, clock), newWorker(database, clock)]
    await startSending(one)
    await other.worker.start()
    await poll(one, other)
    cutOff(clock, one, other)
    await noticing(one, other)
    other.way.isCut = false
    await poll(other)
    one.way.isCut = false
    await poll(one, other)
    assert.deepEqual([one.way.calls, other.way.calls], [1, 0])
    one.way.end.resolve()
    await until(status, (found) => found === 'delivered', { what: 'the result in the table' })
    assert.deepEqual([one.way.calls, other.way.calls], [1, 0])
    for (const { worker } of [one, other]) await worker.stop()
  })

  it('are sent by another process if their own does not return', async (context) => {
    const { database, clock, status, poll } = await oneDelivery()
    if (!database.shared) return context.skip('one process has this data')
    const [one, other] = [newWorker(database, clock), newWorker(database, clock)]
    await startSending(one)
    await other.worker.start()
    cutOff(clock, one, other)
    await noticing(other)
    other.way.isCut = false
    other.way.end.resolve()
    await until(
      () => {
        clock.advance(PACE.poll)
        return other.way.calls
      },
      (calls) => calls === 1,
      { what: 'the other to send it' },
    )
    await until(status, (found) => found === 'delivered', { what: 'the result in the table' })
    one.way.isCut = false
    one.way.end.resolve()
    await poll(one, other)
    for (const { worker } of [one, other]) await worker.stop()
  })
})
