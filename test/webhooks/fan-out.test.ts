import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cpuStopwatch, type Millis, repeat, SECOND, systemClock } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Loop } from '#src/core/loop.ts'
import type { Database } from '#src/db/database.ts'
import { createFanOut, type FanOutStore } from '#src/delivery/publish/fan-out.ts'
import { createFanOutStore, SHORT_STEP, STEP } from '#src/delivery/publish/fan-out-store.ts'
import type { DeliveryHandover } from '#src/delivery/publish/new-delivery.ts'
import { createPublishAll } from '#src/delivery/publish/publish.ts'
import { createSubscriptions } from '#src/delivery/publish/subscriptions.ts'
import { useDatabase } from '../support/database.ts'
import { NO_HANDOVER } from '../support/delivering.ts'
import { countPairs, writeWebhooks } from '../support/many-webhooks.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

const NOW = 1_795_000_000_000
/** Most rows of one commit. */
const MOST = 1_000
/** Of the 300,000 deliveries of a batch: enough commits to measure the time of one on the event loop. */
const WATCHED = 5 * MOST
/** One commit for all occupied the loop for 14 s; one of 1,000 rows takes some 10 ms, and more at first for compilation. */
const LONGEST_TURN: Millis = 500

onBothEngines('an event for very many webhooks', (engine) => {
  const open = useDatabase(engine)

  /** An organization with a number of webhooks, and its function for publishing. */
  async function publisher(webhooks: number, handover: DeliveryHandover = NO_HANDOVER, isAlone = true) {
    const database = await open()
    const organizationId = newId('organization', NOW)
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id: organizationId, name: organizationId, plan: 'free', flags: '{}', created_at: NOW })
        .execute(),
    )
    const ids = await writeWebhooks(database, organizationId, webhooks, NOW)
    const publishAll = createPublishAll(
      handover,
      createSubscriptions(database),
      () => {},
      () => isAlone,
    )
    return {
      organizationId,
      ids,
      publish: (events: number, types = ['file.processed']) =>
        database.tx((tx) =>
          publishAll(
            tx,
            Array.from({ length: events }, (_, index) => ({
              now: NOW,
              fact: { organizationId, type: types[index % types.length] as string, data: { index } },
            })),
          ),
        ),
      count: () => countPairs(database, organizationId),
      left: () =>
        database.db
          .selectFrom('fan_out')
          .select('id')
          .where('organization_id', '=', organizationId)
          .execute()
          .then((rows) => rows.length),
    }
  }

  async function wait(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
    await until(isSo, Boolean, { what, patience: 120 * SECOND })
  }

  /** Runs a fan-out until an organization has no unwritten deliveries. */
  async function finish(fanOut: Loop, { left }: { left(): Promise<number> }): Promise<void> {
    fanOut.start()
    await wait(async () => (await left()) === 0, 'the rest of a fan-out')
    await fanOut.stop()
  }

  const silent = { error() {} }
  async function newFanOut(handover: DeliveryHandover = NO_HANDOVER, database?: Database): Promise<Loop> {
    const store = createFanOutStore(database ?? (await open()), () => STEP, handover)
    return createFanOut({ store, clock: systemClock, log: silent })
  }

  /** A fan-out that records the number of rows of each step. */
  async function counted(stepOf: (organizationId: Id<'organization'>) => number = () => STEP) {
    const steps: number[] = []
    const store = createFanOutStore(await open(), stepOf, NO_HANDOVER)
    const counting: FanOutStore = {
      ...store,
      async step(...args) {
        const written = await store.step(...args)
        steps.push(written ?? 0)
        return written
      },
    }
    return { fanOut: createFanOut({ store: counting, clock: systemClock, log: silent }), steps }
  }

  it('is written in commits of 1,000 rows at most, and each webhook gets each event exactly once', async () => {
    const one = await publisher(1_200)
    const published = await one.publish(12)
    assert.ok(published.every(({ deliveries }) => deliveries === 1_200))
    assert.ok((await one.count()).deliveries + 12 <= MOST, 'of the commit that was answered')
    const { fanOut, steps } = await counted()
    await finish(fanOut, one)
    assert.ok(Math.max(...steps) <= MOST, `${Math.max(...steps)} in one step`)
    assert.deepEqual(await one.count(), { deliveries: 12 * 1_200, pairs: 12 * 1_200 })
  })

  it('is written in smaller steps while other organizations have work: 200 rows with the event, then 100 a step', async () => {
    const one = await publisher(150, NO_HANDOVER, false)
    await one.publish(4)
    assert.equal((await one.count()).deliveries, 150, 'of the commit that was answered')
    const { fanOut, steps } = await counted((organizationId) =>
      organizationId === one.organizationId ? SHORT_STEP : STEP,
    )
    await finish(fanOut, one)
    assert.ok(Math.max(...steps) <= 100, `${Math.max(...steps)} in one step`)
    assert.deepEqual(await one.count(), { deliveries: 600, pairs: 600 })
  })

  it('for few webhooks is written in the commit of the event', async () => {
    const one = await publisher(4)
    await one.publish(200)
    assert.deepEqual(await one.count(), { deliveries: 800, pairs: 800 })
    assert.equal(await one.left(), 0)
  })

  it('continues after its last committed step when any step is interrupted', async () => {
    const database = await open()
    const one = await publisher(1_100)
    await one.publish(3)
    // Every third commit is lost, as if the process had died in it.
    let steps = 0
    const dying: Database = {
      ...database,
      tx: (work) =>
        database.tx(async (tx) => {
          const value = await work(tx)
          steps += 1
          if (steps % 3 === 0) throw new Error('killed')
          return value
        }),
    }
    for (let left = await one.left(); left > 0; left = await one.left()) {
      assert.ok(steps < 1_000, 'the fan-out does not come to its end')
      const fanOut = await newFanOut(NO_HANDOVER, dying)
      const before = steps
      fanOut.start()
      await wait(async () => steps >= before + 2 || (await one.left()) === 0, 'two steps')
      await fanOut.stop()
    }
    assert.ok(steps > 6)
    assert.deepEqual(await one.count(), { deliveries: 3_300, pairs: 3_300 })
  })

  it('is delivered to the webhooks that were subscribed when it was published, except deleted ones', async () => {
    const database = await open()
    const one = await publisher(1_100)
    const [first, second] = one.ids as [Id<'webhook'>, Id<'webhook'>]
    const [published] = await one.publish(1)
    assert.equal(published?.deliveries, 1_100)
    assert.equal((await one.count()).deliveries, 0)
    await database.tx(async (tx) => {
      await tx.updateTable('webhook').set({ status: 'deleted' }).where('id', '=', first).execute()
      await tx.updateTable('webhook').set({ events: '["webhook.test"]' }).where('id', '=', second).execute()
    })
    const [late] = await writeWebhooks(database, one.organizationId, 1, NOW - 5_000)
    await finish(await newFanOut(), one)
    const theirs = await database.db
      .selectFrom('delivery')
      .select('webhook_id')
      .where('organization_id', '=', one.organizationId)
      .execute()
    const got = new Set(theirs.map(({ webhook_id }) => webhook_id))
    assert.equal(theirs.length, 1_099)
    assert.ok(!got.has(first) && got.has(second) && !got.has(late as Id<'webhook'>))
  })

  it('takes turns with other organizations', async () => {
    const large = await publisher(1_000)
    const small = await publisher(1_000)
    await large.publish(15)
    await small.publish(1)
    await finish(await newFanOut(), small)
    assert.ok((await large.left()) > 0, 'the large one was finished before the small one')
    await finish(await newFanOut(), large)
    assert.deepEqual(await large.count(), { deliveries: 15_000, pairs: 15_000 })
  })

  it('does not use up the rows of a commit that events of another organization share', async () => {
    const database = await open()
    const [large, small] = [await publisher(900), await publisher(3)]
    const publishAll = createPublishAll(NO_HANDOVER, createSubscriptions(database))
    const fact = ({ organizationId }: typeof large) => ({
      now: NOW,
      fact: { organizationId, type: 'file.processed', data: {} },
    })
    await database.tx((tx) => publishAll(tx, [fact(large), fact(large), fact(small), fact(small)]))
    assert.equal((await small.count()).deliveries, 6)
    assert.equal(await small.left(), 0)
    await finish(await newFanOut(), large)
    assert.equal((await large.count()).pairs, 1_800)
  })

  it('keeps the limit of a commit in a transaction that publishes twenty times', async () => {
    const database = await open()
    const one = await publisher(300)
    const publishAll = createPublishAll(NO_HANDOVER, createSubscriptions(database))
    const fact = { organizationId: one.organizationId, type: 'invitation.created', data: {} }
    await database.tx(async (tx) => {
      for (let times = 0; times < 20; times += 1) await publishAll(tx, [{ now: NOW, fact }])
    })
    assert.ok((await one.count()).deliveries <= MOST)
    await finish(await newFanOut(), one)
    assert.deepEqual(await one.count(), { deliveries: 6_000, pairs: 6_000 })
  })

  it('is passed to lanes with room, with the body of the event', async () => {
    const handed: string[] = []
    const handover: DeliveryHandover = {
      wakeListeners: () => {},
      claimFor: () => 'worker',
      accept(fresh) {
        for (const { job, claimer } of fresh) {
          assert.equal(claimer, 'worker')
          assert.equal(JSON.parse(Buffer.from(job.body ?? []).toString()).id, job.eventId)
          handed.push(job.id)
        }
      },
    }
    const database = await open()
    const one = await publisher(0, handover)
    await writeWebhooks(database, one.organizationId, 700, NOW, { status: 'active' })
    await one.publish(3)
    await finish(await newFanOut(handover), one)
    assert.equal(new Set(handed).size, 2_100)
    assert.deepEqual(await one.count(), { deliveries: 2_100, pairs: 2_100 })
  })
})

onBothEngines('a batch for very many webhooks', (engine) => {
  const sender = useSender(usePostern(engine))

  it('delays no other request while it is accepted, nor while its deliveries are written', async () => {
    const { postern, admin, key, register } = await sender()
    const organizationId = admin.organizationId as Id<'organization'>
    await writeWebhooks(postern.app.database, organizationId, 1_500, postern.clock.now())
    // A registration tells the process about other webhooks.
    await register('http://127.0.0.1:9/')
    const events = Array.from({ length: 200 }, () => ({ type: 'agent.run.completed', data: RUN }))
    let [longest, computed] = [0, cpuStopwatch()]
    // The processor time of the loop between two measurements, which a busy machine does not change.
    const stopLooking = repeat(systemClock, 5, () => {
      longest = Math.max(longest, computed())
      computed = cpuStopwatch()
    })
    const { status } = await callsOf(postern, key).post('/v1/events/batch', { events })
    assert.equal(status, 202)
    await until(
      () => countPairs(postern.app.database, organizationId),
      ({ deliveries }) => deliveries >= WATCHED,
      { what: `${WATCHED} deliveries to be written` },
    )
    stopLooking()
    assert.ok(longest < LONGEST_TURN, `${Math.round(longest)} ms`)
  })
})
