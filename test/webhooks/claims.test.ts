import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR } from '../../src/core/clock.ts'
import { type Id, newId } from '../../src/core/id.ts'
import { PROBES_OF } from '../../src/delivery/store/claim.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { DeliveryJob } from '../../src/delivery/store/job.ts'
import { LAST_CALL } from '../../src/jobs/job.ts'
import type { Want } from '../../src/jobs/job-store.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { useSender } from '../support/webhooks.ts'

/** More than a claim for a probe looks at. */
const BACKLOG = 2 * PROBES_OF + 20
/** The place of the one that was not tried before. */
const UNTRIED = 7

onBothEngines('a claim from the table', (engine) => {
  const sender = useSender(usePostern(engine))

  /** A webhook with a backlog, due one after the other when the engine of the server has long ended. */
  async function backlog(lastEndsIn = DAY) {
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
        .values({ ...event, body: Buffer.from('{}'), hops: 0 })
        .execute()
      const made = Array.from({ length: BACKLOG }, (_, index) => ({
        id: newId('delivery', now),
        organization_id,
        webhook_id: webhookId,
        event_id: event.id,
        event_type: event.type,
        status: 'pending' as const,
        reason: null,
        attempts: index === UNTRIED ? 0 : 2,
        due_at: due + index,
        horizon_at: due + HOUR + (index === BACKLOG - 1 ? lastEndsIn : DAY),
        claim_id: null,
        sample: 0,
        created_at: now,
        updated_at: now,
      }))
      await tx.insertInto('delivery').values(made).execute()
      return made
    })
    const targets = { find: async () => undefined, forget: () => {} }
    const store = createDeliveryStore({ database, targets, onGone: async () => {} })
    await store.join(webhookId, due + DAY)
    async function claim(want: Omit<Want<DeliveryJob>, 'laneId'>) {
      const jobs = await store.claim(webhookId, [{ laneId: webhookId, ...want }], due + HOUR)
      const [next] = await store.dueOf([webhookId])
      return { jobs, nextDueAt: next?.dueAt }
    }
    return { rows, claim, claimNamed: (id: Id<'delivery'>) => store.claimNamed(webhookId, [id], due + HOUR) }
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

  it('probes with one that was not tried before: what was refused once may be refused again for what it says', async () => {
    const { rows, claim } = await backlog()
    const { jobs, nextDueAt } = await claim({ limit: 1, order: 'probe' })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [rows[UNTRIED]?.id],
    )
    assert.equal(nextDueAt, rows[0]?.due_at)
  })

  it('probes first with the one whose time runs out, however long the backlog is', async () => {
    const { rows, claim } = await backlog(LAST_CALL - 1)
    const { jobs } = await claim({ limit: 1, order: 'probe' })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [rows.at(-1)?.id],
    )
  })

  it('takes the one that it is told', async () => {
    const { rows, claimNamed } = await backlog()
    const only = rows.at(-1)?.id ?? ('' as Id<'delivery'>)
    const jobs = await claimNamed(only)
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [only],
    )
  })
})
