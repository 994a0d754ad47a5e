import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { DeliveryJob } from '#src/delivery/attempt/delivery-job.ts'
import { createDeliveryStore } from '#src/delivery/delivery-store.ts'
import { PROBES_OF } from '#src/delivery/queue/claim.ts'
import { LAST_CALL } from '#src/jobs/job.ts'
import type { Want } from '#src/jobs/job-store.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'
import { useDatabase } from '../support/database.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { statementsOf } from '../support/statements.ts'
import { onBothEngines } from '../support/store.ts'

const NOW = 1_795_000_000_000

/** More than a claim for a probe reads. */
const BACKLOG = 2 * PROBES_OF + 20
/** The position of the delivery without an earlier attempt. */
const UNTRIED = 7

onBothEngines('a claim from the table', (engine) => {
  const open = useDatabase(engine)

  /**
   * A webhook with a backlog, due one after the other. No server runs on the store, because its engine would consider the claimer dead and
   * release its claims.
   */
  async function backlog(lastEndsIn = DAY, body = '{}') {
    const database = await open()
    const organization_id = newId('organization', NOW)
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id: organization_id, name: organization_id, plan: 'free', flags: '{}', created_at: NOW })
        .execute(),
    )
    const more = { status: 'active', max_in_flight: 16 } as const
    const [webhookId] = (await writeWebhooks(database, organization_id, 1, NOW, more)) as [Id<'webhook'>]
    const rows = await database.tx(async (tx) => {
      const event = { id: newId('event', NOW), organization_id, type: 'agent.run.completed', created_at: NOW }
      await tx
        .insertInto('event')
        .values({ ...event, body: Buffer.from(body), hops: 3 })
        .execute()
      const made = Array.from({ length: BACKLOG }, (_, index) => ({
        id: newId('delivery', NOW),
        organization_id,
        webhook_id: webhookId,
        event_id: event.id,
        event_type: event.type,
        status: 'pending' as const,
        reason: null,
        attempts: index === UNTRIED ? 0 : 2,
        due_at: NOW + index,
        horizon_at: NOW + HOUR + (index === BACKLOG - 1 ? lastEndsIn : DAY),
        claim_id: null,
        sample: 0,
        created_at: NOW,
        updated_at: NOW,
      }))
      await tx.insertInto('delivery').values(made).execute()
      return made
    })
    const targets = { find: async () => undefined, forget: () => {} }
    const store = createDeliveryStore({ database, targets, onGone: async () => {} })
    await createLeaseStore(database).join(webhookId, NOW + DAY)
    const claimOnly = (limit: number, want: Partial<Want<DeliveryJob>> = {}) =>
      store.claim(webhookId, [{ laneId: webhookId, limit, ...want }], NOW + HOUR)
    async function claim({ limit, ...want }: Omit<Want<DeliveryJob>, 'laneId'>) {
      const jobs = await claimOnly(limit, want)
      const [next] = await store.dueOf([webhookId])
      return { jobs, nextDueAt: next?.dueAt }
    }
    return {
      rows,
      claimOnly,
      claim,
      claimNamed: (id: Id<'delivery'>) =>
        store.claimNamed(webhookId, [{ id, laneId: webhookId }], NOW + HOUR),
    }
  }

  it('takes the deliveries that have been due longest', async () => {
    const { rows, claim } = await backlog()
    const { jobs, nextDueAt } = await claim({ limit: 3 })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      rows.slice(0, 3).map(({ id }) => id),
    )
    assert.equal(nextDueAt, rows[3]?.due_at)
  })

  it('probes with a delivery that was not tried before, because a refused one may be refused again for its content', async () => {
    const { rows, claim } = await backlog()
    const { jobs, nextDueAt } = await claim({ limit: 1, order: 'probe' })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [rows[UNTRIED]?.id],
    )
    assert.equal(nextDueAt, rows[0]?.due_at)
  })

  it('probes first with a delivery near its end, even behind a long backlog', async () => {
    const { rows, claim } = await backlog(LAST_CALL - 1)
    const { jobs } = await claim({ limit: 1, order: 'probe' })
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [rows.at(-1)?.id],
    )
  })

  it('takes a delivery that is named', async () => {
    const { rows, claimNamed } = await backlog()
    const only = rows.at(-1)?.id ?? ('' as Id<'delivery'>)
    const jobs = await claimNamed(only)
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [only],
    )
  })

  if (engine === 'postgres')
    it('is one statement that also reads small bodies, and a second one reads the large body of many deliveries once', async () => {
      for (const [body, statements] of [
        ['{"small":true}', 1],
        [JSON.stringify({ large: 'x'.repeat(3_000) }), 2],
      ] as const) {
        const { claimOnly } = await backlog(DAY, body)
        // After this each connection is set up.
        await claimOnly(1)
        let jobs: DeliveryJob[] = []
        assert.equal(
          await statementsOf(async () => {
            jobs = await claimOnly(20)
          }),
          statements,
        )
        assert.equal(jobs.length, 20)
        for (const job of jobs) {
          assert.equal(Buffer.from(job.body ?? []).toString(), body)
          assert.deepEqual([job.bytes, job.hops, job.cap, job.perSecond], [body.length, 3, 16, null])
        }
        assert.equal(new Set(jobs.map((job) => job.body)).size, 1, 'one in memory for all of them')
      }
    })
})
