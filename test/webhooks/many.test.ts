import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { WINDOW } from '#src/db/windows.ts'
import { countDeliveries } from '../support/many-webhooks.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { ended, replay } from '../support/replays.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

/** More than two reads return. */
const MANY = 2 * WINDOW + 100
/** One in this many has failed: some in each read, fewer than a step of a replay makes. */
const ONE_IN = 1_000
const FAILED = Math.ceil(MANY / ONE_IN)

onBothEngines('a webhook with more deliveries than one step reads', (engine) => {
  const sender = useSender(usePostern(engine))

  async function many() {
    const { postern, key, receiver, register } = await sender()
    const destination = await receiver()
    const { id } = await register(destination.url)
    const { database } = postern.app
    const now = postern.clock.now()
    const { organization_id } = await database.db
      .selectFrom('webhook')
      .select('organization_id')
      .where('id', '=', id as Id<'webhook'>)
      .executeTakeFirstOrThrow()
    const begun = now - MANY
    const event = { organization_id, type: 'agent.run.completed', body: Buffer.from('{}'), hops: 0 }
    const events = Array.from({ length: MANY }, (_, index) => ({
      ...event,
      id: newId('event', begun + index),
      created_at: begun + index,
    }))
    const rows = events.map(({ id: event_id }, index): Tables['delivery'] => ({
      id: newId('delivery', begun + index),
      organization_id,
      webhook_id: id as Id<'webhook'>,
      event_id,
      event_type: event.type,
      status: index % ONE_IN === 0 ? 'failed' : 'delivered',
      reason: null,
      attempts: 1,
      due_at: null,
      horizon_at: now + DAY,
      claim_id: null,
      sample: 0,
      created_at: now,
      updated_at: now,
    }))
    await database.tx(async (tx) => {
      for (let start = 0; start < MANY; start += 1_000) {
        await tx
          .insertInto('event')
          .values(events.slice(start, start + 1_000))
          .execute()
        await tx
          .insertInto('delivery')
          .values(rows.slice(start, start + 1_000))
          .execute()
      }
      await countDeliveries(tx, rows)
    })
    return { id, own: callsOf(postern, key), destination, rows }
  }

  it('counts all of them, pages through the rare failed ones, and replays each of these once', async () => {
    const { id, own, destination, rows } = await many()
    const stats = await own.get(`/v1/webhooks/${id}/stats`)
    assert.deepEqual(stats.body.deliveries, { pending: 0, delivered: MANY - FAILED, failed: FAILED })

    const failed = await readAll(own, `/v1/webhooks/${id}/deliveries?status=failed`)
    const expected = rows.filter(({ status }) => status === 'failed').map((row) => row.id)
    assert.deepEqual(
      failed.map((row) => row.id),
      expected.toReversed(),
    )

    const begun = await replay(own, id)
    assert.equal(begun.total, FAILED)
    const done = await ended(own, begun.id)
    assert.equal(done.replayed, FAILED)
    await destination.count(FAILED)
    const all = await own.get(`/v1/webhooks/${id}/stats`)
    assert.equal(all.body.deliveries.failed, FAILED)
  })
})
