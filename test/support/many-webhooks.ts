import { type Id, newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { shardOf } from '#src/jobs/shards/shard.ts'

/** Writes webhooks that nobody registered one by one; paused, so that what they get is only kept. */
export async function writeWebhooks(
  database: Database,
  organizationId: Id<'organization'>,
  count: number,
  now: number,
  more: Partial<Tables['webhook']> = {},
): Promise<Id<'webhook'>[]> {
  const rows = Array.from({ length: count }, () => newId('webhook', now)).map((id): Tables['webhook'] => ({
    id,
    shard: shardOf(id),
    organization_id: organizationId,
    url: 'http://127.0.0.1:9/',
    url_version: 0,
    events: '["*"]',
    endpoint_path: null,
    description: null,
    status: 'paused',
    disabled_reason: null,
    max_in_flight: 1,
    max_per_second: null,
    resumed_at: null,
    created_at: now,
    updated_at: now,
    ...more,
  }))
  await database.tx(async (tx) => {
    for (let start = 0; start < count; start += 500)
      await tx
        .insertInto('webhook')
        .values(rows.slice(start, start + 500))
        .execute()
  })
  return rows.map(({ id }) => id)
}

/** How many deliveries there are, how many events and webhooks they join, and how many are of a pair that has another. */
export async function countPairs(
  { db }: Database,
  organizationId: Id<'organization'>,
): Promise<{ deliveries: number; pairs: number }> {
  const { deliveries, pairs } = await db
    .selectFrom(
      db
        .selectFrom('delivery')
        .select(['event_id', 'webhook_id', ({ fn }) => fn.countAll<number>().as('times')])
        .where('organization_id', '=', organizationId)
        .groupBy(['event_id', 'webhook_id'])
        .as('pair'),
    )
    .select(({ fn }) => [fn.sum<number | null>('times').as('deliveries'), fn.countAll<number>().as('pairs')])
    .executeTakeFirstOrThrow()
  return { deliveries: Number(deliveries ?? 0), pairs: Number(pairs) }
}
