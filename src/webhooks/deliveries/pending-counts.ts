import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import { readOpen, type Whose } from '../../delivery/counts/read-counts.ts'
import { NEXT_DUE } from '../../delivery/queue/waiting-lanes.ts'

/** The open deliveries of an organization. */
interface PendingCounts {
  pending: number
  held: number
  /** The first due time of an unclaimed delivery; null where there is none. */
  oldest: Millis | null
}

/** Counts the open deliveries exactly; the index of due deliveries provides the oldest of each active webhook. */
export async function readPendingCounts(db: Db, whose: Whose): Promise<PendingCounts> {
  const { organizationId, webhookId } = whose
  const { oldest } = await db
    .selectFrom((from) =>
      from
        .selectFrom('webhook')
        .select(NEXT_DUE.as('due_at'))
        .where('webhook.organization_id', '=', organizationId)
        .where('webhook.status', '=', 'active')
        .$if(webhookId !== undefined, (query) => query.where('webhook.id', '=', webhookId as Id<'webhook'>))
        .as('first'),
    )
    .select(({ fn }) => fn.min('first.due_at').as('oldest'))
    .executeTakeFirstOrThrow()
  return { ...(await readOpen(db, whose)), oldest }
}
