import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lock, lockShared } from '../../db/locking.ts'
import { getOwned, notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { LiveView } from '../../live/live-kinds.ts'
import { type Health, HealthSchema, healthOf, toHealthWire } from './webhook-health.ts'

export const WebhookSchema = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  endpointPath: Nullable(Type.String()),
  description: Nullable(Type.String()),
  status: Type.String({ enum: ['active', 'paused', 'disabled'] }),
  disabledReason: Nullable(Type.String()),
  listener: Nullable(Type.String()),
  listenedAt: Nullable(Moment),
  health: HealthSchema,
  maxInFlight: Type.Integer(),
  maxPerSecond: Nullable(Type.Number()),
  createdAt: Moment,
  updatedAt: Moment,
  secretHint: Type.String({ description: 'The end of the current secret.' }),
  secretRotatedAt: Moment,
  previousSecretExpiresAt: Nullable(Moment),
})

type Secret = Pick<Tables['webhook_secret'], 'hint' | 'created_at' | 'expires_at'>

/** The `Webhook` of decisions: webhooks; only answers that create a secret contain it. */
function toWebhook(
  row: Tables['webhook'],
  secrets: Secret[],
  health: Health,
  now: Millis,
): Static<typeof WebhookSchema> {
  const current = secrets.find(({ expires_at }) => expires_at === null)
  const retired = secrets.flatMap(({ expires_at }) =>
    expires_at !== null && expires_at > now ? [expires_at] : [],
  )
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    endpointPath: row.endpoint_path,
    description: row.description,
    status: shownStatus(row),
    disabledReason: row.disabled_reason,
    listener: row.listener,
    listenedAt: toIsoOrNull(row.listened_at),
    health: toHealthWire(health),
    maxInFlight: row.max_in_flight,
    maxPerSecond: row.max_per_second,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    secretHint: current?.hint ?? '',
    secretRotatedAt: toIso(current?.created_at ?? row.created_at),
    previousSecretExpiresAt: toIsoOrNull(retired.length === 0 ? null : Math.max(...retired)),
  }
}

/** A listener is stored as paused, so that no worker calls it, and shown as active. */
function shownStatus({ status, listener }: Tables['webhook']): 'active' | 'paused' | 'disabled' {
  if (status === 'deleted') return 'disabled'
  return status === 'paused' && listener !== null ? 'active' : status
}

/** Webhooks as the API shows them; reads the hints of their secrets in one query and their health in two. */
export async function toWebhooks(
  db: Db | Tx,
  rows: Tables['webhook'][],
  now: Millis,
): Promise<Static<typeof WebhookSchema>[]> {
  if (rows.length === 0) return []
  const secrets = await db
    .selectFrom('webhook_secret')
    .select(['webhook_id', 'hint', 'created_at', 'expires_at'])
    .where(
      'webhook_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  const ofWebhook = Map.groupBy(secrets, ({ webhook_id }) => webhook_id)
  const healths = await healthOf(db, rows, now)
  return rows.map((row) => toWebhook(row, ofWebhook.get(row.id) ?? [], healths.get(row.id) as Health, now))
}

/** Webhooks in the live stream, in the form of their list. */
export const webhookView: LiveView = {
  kind: 'webhook',
  async show(db, ids, now) {
    const rows = await db
      .selectFrom('webhook')
      .selectAll()
      .where('id', 'in', ids as Id<'webhook'>[])
      .where('status', '!=', 'deleted')
      .execute()
    const wires = new Map((await toWebhooks(db, rows, now)).map((wire) => [wire.id, wire]))
    return rows.map((row) => ({
      ...{ id: row.id, organization_id: row.organization_id, about: row.id },
      data: wires.get(row.id) ?? {},
    }))
  },
}

/**
 * A webhook of the caller's organization that was not deleted.
 * @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND
 */
export async function getWebhook(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  text: string,
  how?: typeof lock | typeof lockShared,
): Promise<Tables['webhook']> {
  const row = await getOwned(db, 'webhook', text, organizationId, how)
  if (row.status === 'deleted') throw notFound('id', row.id)
  return row
}

/** As `getWebhook`, locked for a change: waits for transactions that change or delete the webhook. */
export function lockWebhook(tx: Tx, organizationId: Id<'organization'>, text: string) {
  return getWebhook(tx, organizationId, text, lock)
}

/** As `getWebhook`, locked against deletion until the transaction has written a row for it. */
export function holdWebhook(tx: Tx, organizationId: Id<'organization'>, text: string) {
  return getWebhook(tx, organizationId, text, lockShared)
}
