import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR } from '../../src/core/clock.ts'
import { type Id, newId } from '../../src/core/id.ts'
import { createDeliveryStore, NEAREST_OF } from '../../src/webhooks/delivery-store.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { useSender } from '../support/webhooks.ts'

/** More than a claim by horizon looks at. */
const BACKLOG = 2 * NEAREST_OF + 20

onBothEngines('a claim from the table', (engine) => {
  const sender = useSender(usePostern(engine))

  /** A webhook with a backlog, due one after the other when the engine of the server has long ended. */
  async function backlog() {
    const { postern, receiver, register } = await sender()
    const { database } = postern.app
    const webhookId = (await register((await receiver()).url)).id as Id<'webhook'>
    const now = postern.clock.now()
    const due = now + 300 * DAY
    const rows = await database.tx(async (tx) => {
      const [owner] = await tx.selectFrom('webhook').selectAll().where('id', '=', webhookId).execute()
      const organization_id = owner?.organization_id ?? ('' as Id<'organization'>)
      const event = { id: newId('event', now), organization_id, type: 'agent.run.completed', created_at: now }
      await tx
        .insertInto('event')
        .values({ ...event, body: Buffer.from('{}') })
        .execute()
      const made = Array.from({ length: BACKLOG }, (_, index) => ({
        id: newId('delivery', now),
        organization_id,
        webhook_id: webhookId,
        event_id: event.id,
        event_type: event.type,
        status: 'pending' as const,
        reason: null,
        attempts: 0,
        due_at: due + index,
        // The longer it is due, the more time it has left.
        horizon_at: due + DAY - index,
        claim_id: null,
        created_at: now,
        updated_at: now,
      }))
      await tx.insertInto('delivery').values(made).execute()
      return made
    })
    const targets = { find: async () => undefined, forget: () => {} }
    const store = createDeliveryStore({ database, targets, onGone: async () => {} })
    await store.join(webhookId, due + DAY)
    return { rows, claim: store.claim.bind(store, webhookId, webhookId, due + HOUR) }
  }

  it('takes the longest due', async () => {
    const { rows, claim } = await backlog()
    const { jobs, nextDueAt } = await claim({ limit: 3 })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      rows.slice(0, 3).map(({ id }) => id),
    )
    assert.equal(nextDueAt, rows[3]?.due_at)
  })

  it('takes the one with the least time left, however long the backlog is', async () => {
    const { rows, claim } = await backlog()
    const { jobs, nextDueAt } = await claim({ limit: 1, order: 'horizon' })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [rows.at(-1)?.id],
    )
    assert.equal(nextDueAt, rows[0]?.due_at)
  })

  it('takes the one that it is told', async () => {
    const { rows, claim } = await backlog()
    const only = rows.at(-1)?.id ?? ('' as Id<'delivery'>)
    const { jobs } = await claim({ limit: 1, only })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [only],
    )
  })
})
