import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { DAY } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import { DEADLINE } from '#src/delivery/attempt/send.ts'
import { createDeliveryStore, type DeliveryStore } from '#src/delivery/delivery-store.ts'
import { createDeliveryWorker } from '#src/delivery/delivery-worker.ts'
import { createJobShares } from '#src/jobs/lanes/job-shares.ts'
import { PACE } from '#src/jobs/lease/lease.ts'
import { stoppedClock, type TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database.ts'
import { leased, newLease } from '../support/leased.ts'
import { writeDeliveries, writeWebhooks } from '../support/many-webhooks.ts'
import { onBothEngines } from '../support/store.ts'
import { until } from '../support/waits.ts'

const WEBHOOKS = 400

/** A worker over the store of a process that counts the webhooks read by its polls. */
async function startWorker(database: Database, clock: TestClock) {
  const read: string[] = []
  const polls = { ended: 0, isUnderWay: false }
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      for (const { laneId } of result.rows) if (laneId !== undefined) read.push(String(laneId))
      return result
    },
  }
  const targets = { find: async () => undefined, forget: () => {} }
  const background = { ...database, db: database.db.withPlugin(counting) }
  const real = createDeliveryStore({ database: background, targets, onGone: async () => {}, page: 30 })
  const store: DeliveryStore = {
    ...real,
    // The first and the last step of a poll.
    freeLost(now) {
      polls.isUnderWay = true
      return real.freeLost(now)
    },
    async stepReplays(now) {
      const step = await real.stepReplays(now)
      polls.ended += 1
      polls.isUnderWay = false
      return step
    },
  }
  const lease = newLease(database, { clock })
  const sending = createDeliveryWorker({
    ...{ clock, lease, store, shared: database.shared, shares: createJobShares(DEADLINE) },
    log: { info() {}, error() {} },
    send: () => assert.fail('nothing is to be sent'),
    onAttempt() {},
  })
  const worker = leased(lease, sending)
  await worker.start()
  return {
    worker,
    polls,
    takeRead: () => read.splice(0).sort(),
  }
}

onBothEngines('a poll', (engine) => {
  const open = useDatabase(engine)

  it('reads only webhooks with waiting deliveries, a tenth of all', async () => {
    const database = await open()
    const clock = stoppedClock()
    const organization = newId('organization', clock.now())
    const row = { id: organization, name: 'Acme', plan: 'free', flags: '{}', created_at: clock.now() }
    await database.tx((tx) => tx.insertInto('organization').values(row).execute())
    const more = { status: 'active' } as const
    const ids = await writeWebhooks(database, organization, WEBHOOKS, clock.now(), more)
    const waiting = ids.filter((_, index) => index % 10 === 0)
    await writeDeliveries({ app: { database }, clock }, organization, waiting.length, (index) => ({
      webhook_id: waiting[index] as (typeof waiting)[number],
      status: 'pending',
      due_at: clock.now() + DAY,
    }))
    const processes = [await startWorker(database, clock)]
    if (database.shared) processes.push(await startWorker(database, clock))

    /** Lets all workers poll once more. */
    async function pollAll(): Promise<string[][]> {
      const before = processes.map(({ polls }) => polls.ended)
      clock.advance(PACE.poll)
      await until(
        () => processes.map(({ polls }) => ({ ...polls })),
        (polls) => polls.every(({ isUnderWay, ended }, index) => !isUnderWay && ended > (before[index] ?? 0)),
        { what: 'all to have polled' },
      )
      return processes.map(({ takeRead }) => takeRead())
    }

    await until(
      async () => {
        await pollAll()
        return processes.map(({ worker }) => worker.workers())
      },
      (counts) => counts.every((count) => count === (database.shared ? 2 : 1)),
      { what: 'all to know of each other' },
    )
    for (const read of await pollAll()) assert.deepEqual(read, waiting.toSorted())
    for (const { worker } of processes) await worker.stop()
  })
})
