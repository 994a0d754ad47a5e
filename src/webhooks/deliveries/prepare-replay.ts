import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { idFloor, momentOf, newId, nextIdBoundary } from '../../core/id.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { newestIn } from '../../delivery/lists/newest-first.ts'
import { insertReplay } from '../../delivery/replays/replay-row.ts'
import { type Asked, type Count, countSources } from '../../delivery/replays/replay-sources.ts'
import { readSpan } from '../../http/schema/list.ts'
import type { WebhookDeps } from '../deps.ts'
import { holdWebhook } from '../endpoints/webhook-wire.ts'
import { refuseTooManyReplays } from './replay-limit.ts'
import { type ReplayRequest, toWire } from './replay-wire.ts'

/**
 * Prepares a replay: `count` counts its deliveries, `begin` writes it with that count and returns the answer.
 * @throws ApiError VALIDATION_FAILED where its time range begins after its end
 */
export async function prepareReplay(
  { config, database, dispatch }: Pick<WebhookDeps, 'config' | 'database' | 'dispatch'>,
  request: ReplayRequest,
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
    /** Called outside of the transaction, because counting a million deliveries takes long. */
    count: () => countSources(database.db, asked),
    async begin(tx: Tx, counted: Count) {
      await refuseTooManyReplays(tx, organization_id)
      if (webhook_id !== null) await holdWebhook(tx, organization_id, webhook_id)
      const row = await insert(tx, asked, counted, now)
      afterCommit(tx, () => {
        dispatch.poll()
        // A webhook in backoff is tried immediately.
        if (expedite && webhook_id !== null) dispatch.expedite(webhook_id)
      })
      const location = `${config.web.baseUrl}/v1/replays/${row.id}`
      return { status: 202, body: toWire(row), headers: { location } }
    },
  }
}

/**
 * The end of a replay's time range, by the ids of deliveries instead of the clock: where the clock was set back, ids of
 * deliveries may be far ahead of it. A replay up to now takes all deliveries.
 */
async function readEnd(
  db: Db,
  { organization_id, webhook_id, until }: Pick<ReplayRequest, 'organization_id' | 'webhook_id' | 'until'>,
  now: Millis,
): Promise<Millis> {
  if (until !== undefined && until < now) return until
  const whose = { organizationId: organization_id, webhookId: webhook_id ?? undefined }
  const newest = await newestIn(db, whose, { ...readSpan('delivery', {}), from: idFloor('delivery', now) })
  const end = Math.max(nextIdBoundary(now), newest === undefined ? now : momentOf(newest) + 1)
  // Later deliveries are not included, so a later end is reduced to the newest id.
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
