import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { createPublishAll } from '#src/delivery/publish/publish.ts'
import { createSubscriptions } from '#src/delivery/publish/subscriptions.ts'
import { stepReplays } from '#src/delivery/replays/replay-step.ts'
import { useDatabase } from '../support/database.ts'
import { NO_HANDOVER } from '../support/delivering.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { onBothEngines } from '../support/postern.ts'

/** Advances, so that the rows of one test are older than those of the next. */
let now = 1_795_000_000_000
/** More replays than one round advances. */
const MANY = 25

onBothEngines('replays of several organizations', (engine) => {
  const open = useDatabase(engine)

  /** An organization with a number of webhooks, each with a failed delivery and a replay of it. */
  async function replaying(webhooks: number): Promise<Id<'organization'>> {
    const database = await open()
    const organizationId = newId('organization', now)
    const organization = {
      id: organizationId,
      name: organizationId,
      plan: 'free',
      flags: '{}',
      created_at: now,
    }
    await database.tx((tx) => tx.insertInto('organization').values(organization).execute())
    const ids = await writeWebhooks(database, organizationId, webhooks, now)
    const publishAll = createPublishAll(NO_HANDOVER, createSubscriptions(database))
    const fact = { organizationId, type: 'file.processed', data: {} }
    await database.tx((tx) => publishAll(tx, [{ now: now, fact }]))
    await database.tx(async (tx) => {
      await tx
        .updateTable('delivery')
        .set({ status: 'failed', due_at: null })
        .where('organization_id', '=', organizationId)
        .execute()
      await tx
        .insertInto('replay')
        .values(
          ids.map((webhookId) => ({
            id: newId('replay', now),
            organization_id: organizationId,
            webhook_id: webhookId,
            since: 0,
            until: now + MINUTE,
            filter: 'failed' as const,
            criteria: '{}',
            status: 'running' as const,
            at_webhook_id: webhookId,
            position: '',
            total: 1,
            replayed: 0,
            created_at: now,
            updated_at: now,
          })),
        )
        .execute()
    })
    return organizationId
  }

  /** The number of completed replays of some organizations. */
  async function made(organizations: Id<'organization'>[]): Promise<number> {
    const { db } = await open()
    const rows = await db
      .selectFrom('replay')
      .select('id')
      .where('organization_id', 'in', organizations)
      .where('replayed', '=', 1)
      .execute()
    return rows.length
  }

  async function step(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      now += SECOND
      await stepReplays(await open(), now)
    }
  }

  it('proceed in turns: a small one does not wait for a large one of another organization', async () => {
    now += HOUR
    const many = await replaying(MANY)
    const one = await replaying(1)
    await step(1)
    assert.equal(await made([one]), 1)
    await step(4)
    assert.equal(await made([many]), MANY)
  })

  it('proceed in turns if many organizations have one', async () => {
    now += HOUR
    const organizations: Id<'organization'>[] = []
    for (let count = 0; count < MANY; count += 1) organizations.push(await replaying(1))
    await step(2)
    assert.equal(await made(organizations), MANY)
  })
})
