import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, MINUTE, pause } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { Client } from '../support/browser.ts'
import { countPairs, writeWebhooks } from '../support/many-webhooks.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'

const WEBHOOKS = 4
/** More than one step of a replay makes for a webhook. */
const EVENTS = 700
/** Further kills after the first, which comes in the middle of the replay. */
const MORE_KILLS = nightly(2, 0)

/** Writes events whose deliveries to all of some webhooks have failed. */
async function writeFailed(
  { app: { database }, clock }: Postern,
  organization_id: Id<'organization'>,
  webhooks: Id<'webhook'>[],
): Promise<void> {
  const moments = { created_at: clock.now(), updated_at: clock.now() }
  const events = Array.from({ length: EVENTS }, () => ({
    ...{ id: newId('event', clock.now()), organization_id, type: 'file.processed' },
    ...{ body: Buffer.from('{}'), hops: 0, created_at: clock.now() },
  }))
  await database.tx(async (tx) => {
    await tx.insertInto('event').values(events).execute()
    for (const webhook_id of webhooks)
      await tx
        .insertInto('delivery')
        .values(
          events.map(({ id, type }) => ({
            ...{ id: newId('delivery', clock.now()), organization_id, webhook_id },
            ...{ event_id: id, event_type: type, status: 'failed' as const, reason: 'http_400' },
            ...{ attempts: 1, due_at: null, horizon_at: clock.now() + DAY, claim_id: null, sample: 0 },
            ...moments,
          })),
        )
        .execute()
  })
}

onBothEngines('a server that is killed while it replays the deliveries of all webhooks', (engine) => {
  it('continues with the next start, and makes each delivery exactly once', async () => {
    const before = await startPostern(engine)
    const admin = await administrator(before)
    const organizationId = admin.organizationId as Id<'organization'>
    const token = await apiKey(before, admin)
    // The webhooks are paused, so that new deliveries do not change.
    const webhooks = await writeWebhooks(
      before.app.database,
      organizationId,
      WEBHOOKS,
      before.clock.now() - MINUTE,
    )
    await writeFailed(before, organizationId, webhooks)
    await before.stop()
    const { DATA_DIR, DATABASE_URL } = before.env
    const store = { DATA_DIR, DATABASE_URL, DEFAULT_PLAN: 'unlimited' }
    const env = Object.fromEntries(
      Object.entries(store).filter(([, value]) => value !== undefined),
    ) as Record<string, string>

    const first = await startProcess(env)
    const asked = { since: '2020-01-01T00:00:00Z', errorClass: 'http_4xx' }
    // Attempts have the reason of a failure, and these deliveries have no attempts.
    const none = await new Client(first.url).post('/v1/replays', { ...asked, dryRun: true }, { token })
    assert.equal(none.body.matched, 0)
    const begun = await new Client(first.url).post('/v1/replays', { since: asked.since }, { token })
    assert.deepEqual([begun.status, begun.body.total], [202, EVENTS * WEBHOOKS])
    await until(
      async () => (await new Client(first.url).get(`/v1/replays/${begun.body.id}`, { token })).body,
      ({ replayed }) => replayed > 0,
      { what: 'the first deliveries to be made again' },
    )
    await first.kill()
    for (let times = 0; times < MORE_KILLS; times += 1) {
      const next = await startProcess(env)
      await pause(50)
      await next.kill()
    }

    const last = await startPostern(engine, { env0: env })
    try {
      const done = await until(
        async () => (await last.client().get(`/v1/replays/${begun.body.id}`, { token })).body,
        ({ status }) => status !== 'running',
        { patience: 3 * MINUTE },
      )
      assert.deepEqual([done.status, done.replayed], ['completed', EVENTS * WEBHOOKS])
      assert.deepEqual(await countPairs(last.app.database, organizationId), {
        deliveries: 2 * EVENTS * WEBHOOKS,
        pairs: EVENTS * WEBHOOKS,
      })
    } finally {
      await last.stop()
    }
  })
})
