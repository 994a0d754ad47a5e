import type { Millis } from '../../core/clock.ts'
import { idFloor, momentOf, newId, partIds, STEADFAST } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { insertReplay } from '../../delivery/store/replay-row.ts'
import { type Asked, type Count, countSources } from '../../delivery/store/replay-sources.ts'
import type { WebhookDeps } from '../deps.ts'
import { holdWebhook } from '../endpoints/webhook-wire.ts'
import { refuseTooManyReplays } from './replay-limit.ts'
import { toWire } from './replay-wire.ts'

/** What a request for a replay does: it counts the deliveries that are asked for, and begins the replay with that count. */
export async function prepareReplay(
  { config, database, dispatch }: Pick<WebhookDeps, 'config' | 'database' | 'dispatch'>,
  request: Asked,
  now: Millis,
  { expedite = false } = {},
) {
  const asked = { ...request, until: await readEnd(database.db, request.until, now) }
  const { organization_id, webhook_id } = asked
  return {
    /** There may be a million to count; nobody waits for a transaction that does. */
    count: () => countSources(database.db, asked),
    async begin(tx: Tx, counted: Count) {
      await refuseTooManyReplays(tx, organization_id)
      if (webhook_id !== null) await holdWebhook(tx, organization_id, webhook_id)
      const row = await insert(tx, asked, counted, now)
      afterCommit(tx, () => {
        dispatch.poll()
        // Who was given a rest after failures is tried now.
        if (expedite && webhook_id !== null) dispatch.expedite(webhook_id)
      })
      const location = `${config.web.baseUrl}/v1/replays/${row.id}`
      return { status: 202, body: toWire(row), headers: { location } }
    },
  }
}

/**
 * Where the time of a replay ends. Up to now means all that there is: where the clock was set back a little, here or at another
 * process, ids are ahead of it, and they are what deliveries are ordered by.
 */
async function readEnd(db: Db, until: Millis, now: Millis): Promise<Millis> {
  if (until < now) return until
  const newest = await db
    .selectFrom('delivery')
    .select('id')
    .where('id', '>=', idFloor('delivery', now))
    .where('id', '<', idFloor('delivery', now + STEADFAST + 1))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Math.max(partIds(now), newest === undefined ? now : momentOf(newest.id) + 1)
}

async function insert(
  tx: Tx,
  { criteria, ...asked }: Asked,
  { matched }: Count,
  now: Millis,
): Promise<Tables['replay']> {
  const row: Tables['replay'] = {
    id: newId('replay', now),
    ...asked,
    criteria: JSON.stringify(criteria),
    status: 'running',
    at_webhook_id: asked.webhook_id ?? '',
    position: '',
    total: matched,
    replayed: 0,
    created_at: now,
    updated_at: now,
  }
  await insertReplay(tx, row)
  return row
}
