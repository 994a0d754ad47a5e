import { sql } from 'kysely'
import { type Millis, turn } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { literal } from '../../db/literal.ts'
import type { Whose } from '../../delivery/store/newest-first.ts'

/** Webhooks that are looked through in one go. */
const PAGE = 100
/** Of one webhook no more are counted. */
const MOST_OF_ONE = 10_000
/** Nor of all of them. */
const MOST_OF_ALL = 100_000

/** What of an organization has not ended. */
export interface Waiting {
  pending: number
  held: number
  /** When the first of those that nobody has in hand is due. */
  oldest: Millis | null
}

/** Counts what waits by the index of what is due, and what workers have in hand. */
export async function readWaiting(db: Db, { organizationId, webhookId }: Whose): Promise<Waiting> {
  const waiting: Waiting = {
    pending: await countClaimed(db, { organizationId, webhookId }),
    held: 0,
    oldest: null,
  }
  for (let after = '' as Id<'webhook'>; waiting.pending + waiting.held < MOST_OF_ALL; ) {
    const webhooks = await db
      .selectFrom('webhook')
      .select(['webhook.id', 'webhook.status'])
      .select((where) => [
        where
          .selectFrom(
            where
              .selectFrom('delivery')
              .select('delivery.id')
              .whereRef('delivery.webhook_id', '=', 'webhook.id')
              .where('delivery.status', '=', literal('pending'))
              .where('delivery.claim_id', 'is', null)
              .limit(sql.lit(MOST_OF_ONE))
              .as('few'),
          )
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('count'),
        where
          .selectFrom('delivery')
          .select(({ fn }) => fn.min('delivery.due_at').as('due_at'))
          .whereRef('delivery.webhook_id', '=', 'webhook.id')
          .where('delivery.status', '=', literal('pending'))
          .where('delivery.claim_id', 'is', null)
          .as('oldest'),
      ])
      .where('webhook.organization_id', '=', organizationId)
      .where('webhook.status', '!=', 'deleted')
      .where('webhook.id', '>', after)
      .$if(webhookId !== undefined, (query) => query.where('webhook.id', '=', webhookId as Id<'webhook'>))
      .orderBy('webhook.id')
      .limit(PAGE)
      .execute()
    for (const { status, count, oldest } of webhooks) {
      waiting[status === 'active' ? 'pending' : 'held'] += Number(count)
      if (status === 'active' && oldest !== null) waiting.oldest = Math.min(waiting.oldest ?? oldest, oldest)
    }
    const last = webhooks.at(-1)
    if (last === undefined || webhooks.length < PAGE) break
    after = last.id
    await turn()
  }
  return waiting
}

/** Workers have some thousands in hand at most, of all organizations. */
async function countClaimed(db: Db, { organizationId, webhookId }: Whose): Promise<number> {
  const { count } = await db
    .selectFrom('delivery')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('claim_id', 'is not', null)
    .where('organization_id', '=', organizationId)
    .$if(webhookId !== undefined, (query) => query.where('webhook_id', '=', webhookId as Id<'webhook'>))
    .executeTakeFirstOrThrow()
  return Number(count)
}
