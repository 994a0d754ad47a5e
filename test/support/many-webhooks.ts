import { DAY } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Database, Tx } from '#src/db/database.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { addCounts, countsOfEnded, countsOfMade } from '#src/delivery/counts/delivery-counts.ts'
import type { Postern } from './postern.ts'

/** Writes many webhooks directly. They are paused, so that their deliveries are only stored. */
export async function writeWebhooks(
  database: Database,
  organizationId: Id<'organization'>,
  count: number,
  now: number,
  more: Partial<Tables['webhook']> = {},
): Promise<Id<'webhook'>[]> {
  const rows = Array.from({ length: count }, () => newId('webhook', now)).map((id): Tables['webhook'] => ({
    id,
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
    status_at: now,
    resumed_at: null,
    ...{ listener: null, listened_at: null },
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

/** Counts the deliveries of an organization, and their different pairs of event and webhook. */
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

/** Counts deliveries that a test has written by itself, as what makes and ends them does. */
export async function countDeliveries(tx: Tx, rows: Tables['delivery'][]): Promise<void> {
  await addCounts(tx, countsOfMade(tx, rows))
  const ended = rows.flatMap((row) =>
    row.status === 'pending' ? [] : [{ ...row, status: row.status, duration: undefined }],
  )
  await addCounts(tx, countsOfEnded(tx, ended))
}

/** Writes deliveries, oldest first, as if they had been made a millisecond after one another. */
export async function writeDeliveries(
  { app: { database }, clock }: { app: { database: Database }; clock: Pick<Postern['clock'], 'now'> },
  organization_id: Id<'organization'>,
  count: number,
  each: (index: number) => Pick<Tables['delivery'], 'webhook_id' | 'status'> & Partial<Tables['delivery']>,
): Promise<Tables['delivery'][]> {
  const now = clock.now()
  const event = {
    id: newId('event', now),
    organization_id,
    type: 'file.processed',
    body: Buffer.from('{}'),
    hops: 0,
    created_at: now,
  }
  const rows = Array.from({ length: count }, (_, index): Tables['delivery'] => ({
    id: newId('delivery', now - count + index),
    organization_id,
    event_id: event.id,
    event_type: event.type,
    reason: null,
    attempts: 1,
    due_at: null,
    horizon_at: now + DAY,
    claim_id: null,
    sample: 0,
    created_at: now,
    updated_at: now,
    ...each(index),
  }))
  await database.tx(async (tx) => {
    await tx.insertInto('event').values(event).execute()
    for (let start = 0; start < count; start += 1_000)
      await tx
        .insertInto('delivery')
        .values(rows.slice(start, start + 1_000))
        .execute()
    await countDeliveries(tx, rows)
  })
  return rows
}
