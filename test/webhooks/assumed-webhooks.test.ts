import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Id, newId } from '#src/core/id.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import type { DeliveryJob } from '#src/delivery/attempt/delivery-job.ts'
import type { DeliveryHandover } from '#src/delivery/publish/new-delivery.ts'
import { createPublishAll, createPublishGrouped } from '#src/delivery/publish/publish.ts'
import { createSubscriptions } from '#src/delivery/publish/subscriptions.ts'
import { useDatabase } from '../support/database.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { statementsOf } from '../support/statements.ts'

const NOW = 1_795_000_000_000
const open = useDatabase('postgres')

/** An organization with a webhook for every type. */
async function organization() {
  const database = await open()
  const id = newId('organization', NOW)
  await database.tx((tx) =>
    tx
      .insertInto('organization')
      .values({ id, name: id, plan: 'free', flags: '{}', created_at: NOW })
      .execute(),
  )
  return { id, webhooks: await writeWebhooks(database, id, 1, NOW, { status: 'active' }) }
}

/** A process that accepts events and claims jobs, with its own caches. */
async function process() {
  const database = await open()
  const jobs: DeliveryJob[] = []
  const handover: DeliveryHandover = {
    wakeListeners: () => {},
    claimFor: () => 'worker',
    accept: (fresh) => void jobs.push(...fresh.map(({ job }) => job)),
  }
  const accept = createPublishGrouped(database, createPublishAll(handover, createSubscriptions(database)))
  const publish = (organizationId: Id<'organization'>, type = 'file.processed') =>
    accept(NOW, { organizationId, type, data: {} })
  return { publish, jobs }
}

/** The stored deliveries of an event, in the order of the webhooks. */
async function deliveriesOf(eventId: Id<'event'>) {
  const { db } = await open()
  return db
    .selectFrom('delivery')
    .select(['webhook_id', 'claim_id'])
    .where('event_id', '=', eventId)
    .orderBy('webhook_id')
    .execute()
}

async function change(id: Id<'webhook'> | undefined, values: Partial<Tables['webhook']>): Promise<void> {
  const { tx } = await open()
  await tx((tx) =>
    tx
      .updateTable('webhook')
      .set(values)
      .where('id', '=', id as Id<'webhook'>)
      .execute(),
  )
}

describe('events of organizations whose webhooks a process on PostgreSQL has cached', () => {
  it('are accepted by one statement, also those of several organizations at once', async () => {
    const [first, second] = [await organization(), await organization()]
    const { publish } = await process()
    const both = () => Promise.all([publish(first.id), publish(second.id)])
    await both()
    assert.equal(await statementsOf(() => publish(first.id)), 1)
    // Two commits may run at once.
    assert.ok((await statementsOf(both)) <= 2)
    const { id } = await publish(second.id)
    assert.deepEqual(await deliveriesOf(id), [{ webhook_id: second.webhooks[0], claim_id: 'worker' }])
  })

  it('follow every change of a webhook by another process from its commit on', async () => {
    const database = await open()
    const { id, webhooks } = await organization()
    const neighbour = await organization()
    const { publish, jobs } = await process()
    const [webhook] = webhooks
    const claims = async (type?: string) =>
      (await deliveriesOf((await publish(id, type)).id)).map(({ claim_id }) => claim_id)
    assert.deepEqual(await claims(), ['worker'])
    await change(webhook, { status: 'paused' })
    assert.deepEqual(await claims(), [null])
    await change(webhook, { status: 'active', max_in_flight: 7 })
    assert.deepEqual(await claims(), ['worker'])
    assert.equal(jobs.at(-1)?.cap, 7)
    await change(webhook, { max_per_second: 0.1 })
    assert.deepEqual(await claims(), ['worker'])
    assert.equal(jobs.at(-1)?.perSecond, 0.1)
    await change(webhook, { max_per_second: null, events: '["file.processed"]' })
    assert.deepEqual([await claims('file.other'), await claims()], [[], ['worker']])
    await writeWebhooks(database, id, 1, NOW, { status: 'active' })
    // The neighbour's deliveries, which share a commit with the changed ones, are correct.
    const [, theirs] = await Promise.all([publish(id), publish(neighbour.id)])
    assert.deepEqual(await deliveriesOf(theirs.id), [
      { webhook_id: neighbour.webhooks[0], claim_id: 'worker' },
    ])
    assert.deepEqual(await claims(), ['worker', 'worker'])
    await change(webhook, { status: 'deleted' })
    assert.deepEqual([await claims(), await claims('file.other')], [['worker'], ['worker']])
    const { db } = database
    const { count } = await db
      .selectFrom('event')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), 10, 'each is there once, those too for which nothing was written at first')
  })

  it('do not use a cached state of a transaction that was rolled back', async () => {
    const database = await open()
    const { id, webhooks } = await organization()
    const publishAll = createPublishAll(
      { claimFor: () => 'worker', accept: () => {}, wakeListeners: () => {} },
      createSubscriptions(database),
    )
    const fact = { organizationId: id, type: 'file.processed', data: {} }
    const undone = database.tx(async (tx) => {
      await tx.updateTable('webhook').set({ status: 'paused' }).where('organization_id', '=', id).execute()
      await publishAll(tx, [{ now: NOW, fact }])
      throw new Error('taken back')
    })
    await assert.rejects(undone, /taken back/)
    const [published] = await database.brief((tx) => publishAll(tx, [{ now: NOW, fact }]))
    assert.deepEqual(await deliveriesOf(published?.id as Id<'event'>), [
      { webhook_id: webhooks[0], claim_id: 'worker' },
    ])
  })
})
