import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { idFloor, momentOf, newId, nextIdBoundary } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { newestIn } from '../../delivery/lists/newest-first.ts'
import { EVER } from '../../delivery/lists/windows.ts'
import { insertReplay } from '../../delivery/replays/replay-row.ts'
import { type Asked, type Count, countSources } from '../../delivery/replays/replay-sources.ts'
import type { WebhookDeps } from '../deps.ts'
import { holdWebhook } from '../endpoints/webhook-wire.ts'
import { refuseTooManyReplays } from './replay-limit.ts'
import { type Requested, toWire } from './replay-wire.ts'

/**
 * Prepares a replay: `count` counts the deliveries that are asked for, `begin` writes the replay with that count and returns its
 * answer.
 * @throws ApiError VALIDATION_FAILED where its time begins after it ends
 */
export async function prepareReplay(
  { config, database, dispatch }: Pick<WebhookDeps, 'config' | 'database' | 'dispatch'>,
  request: Requested,
  now: Millis,
  { expedite = false } = {},
) {
  const until = await readEnd(database.db, request, now)
  if (request.since > until)
    throw new ApiError('VALIDATION_FAILED', {
      ...{ field: 'since', value: toIso(request.since), reason: 'after_until' },
    })
  const asked: Asked = { ...request, until }
  const { organization_id, webhook_id } = asked
  return {
    /** Called outside of the transaction: there may be a million to count. */
    count: () => countSources(database.db, asked),
    async begin(tx: Tx, counted: Count) {
      await refuseTooManyReplays(tx, organization_id)
      if (webhook_id !== null) await holdWebhook(tx, organization_id, webhook_id)
      const row = await insert(tx, asked, counted, now)
      afterCommit(tx, () => {
        dispatch.poll()
        // A webhook that is held back after failures is tried now.
        if (expedite && webhook_id !== null) dispatch.expedite(webhook_id)
      })
      const location = `${config.web.baseUrl}/v1/replays/${row.id}`
      return { status: 202, body: toWire(row), headers: { location } }
    },
  }
}

/**
 * Where the time of a replay ends: by the ids of the deliveries, not by the clock. A replay up to now takes all deliveries that
 * there are. Where the clock was set back, ids of deliveries are ahead of it, however far.
 */
async function readEnd(
  db: Db,
  { organization_id, webhook_id, until }: Pick<Requested, 'organization_id' | 'webhook_id' | 'until'>,
  now: Millis,
): Promise<Millis> {
  if (until !== undefined && until < now) return until
  const whose = { organizationId: organization_id, webhookId: webhook_id ?? undefined }
  const newest = await newestIn(db, whose, { ...EVER, from: idFloor('delivery', now) })
  const end = Math.max(nextIdBoundary(now), newest === undefined ? now : momentOf(newest) + 1)
  // Later deliveries are not taken, so a time that ends later ends with the newest id.
  return until === undefined || until === now ? end : Math.min(until, end)
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
