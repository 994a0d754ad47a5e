import { toIso, toIsoOrNull } from '../../core/clock.ts'
import { ERROR_CLASSES, errorClassOf } from '../../delivery/attempt/error-class.ts'
import { readReach } from '../../delivery/attempt/kept-reach.ts'
import type { ListedDelivery, ShownDelivery } from '../../delivery/lists/newest-first.ts'
import type { RecordedAttempt } from '../../delivery/lists/read-attempts.ts'
import { lastErrorClass } from '../../delivery/replays/replay-sources.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'

export const STATUSES = ['pending', 'held', 'delivered', 'failed'] as const

export const Shown = {
  id: Type.String(),
  webhookId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: Type.String({ enum: [...STATUSES] }),
  reason: Nullable(Type.String()),
  test: Type.Boolean({ description: 'Whether it is a test of the webhook, which no replay makes again.' }),
  attemptCount: Type.Integer(),
  nextAttemptAt: Nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
}
export const DeliverySchema = Type.Object(Shown)

const ErrorClassSchema = Type.String({ enum: [...ERROR_CLASSES] })

export const ListedSchema = Type.Object({
  ...Shown,
  url: Type.String({ description: 'Where its webhook sends to now.' }),
  lastStatusCode: Nullable(Type.Integer({ description: 'The status of the last attempt’s answer.' })),
  lastErrorClass: Nullable(ErrorClassSchema),
  endedAt: Nullable(Moment),
})

export const AttemptSchema = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  startedAt: Moment,
  durationMs: Type.Integer(),
  outcome: Type.String(),
  statusCode: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  errorClass: Nullable(ErrorClassSchema),
  url: Nullable(Type.String({ description: 'Where its webhook sent to then.' })),
  address: Nullable(Type.String({ description: 'The IP address that it went to.' })),
  timings: Type.Object(
    {
      dnsMs: Nullable(Type.Integer()),
      connectMs: Nullable(Type.Integer()),
      tlsMs: Nullable(Type.Integer()),
      firstByteMs: Nullable(
        Type.Integer({ description: 'From when the request was written until its answer began.' }),
      ),
      totalMs: Type.Integer({ description: 'Of the whole attempt.' }),
    },
    {
      description:
        'The duration of each part; null for absent parts, such as the first three on an open connection.',
    },
  ),
  requestHeaders: Type.Record(Type.String(), Type.String()),
  responseHeaders: Nullable(Type.Record(Type.String(), Type.String())),
  responseBody: Nullable(Type.String()),
  signedWith: Type.String({
    enum: ['current', 'previous'],
    description: 'Which secret the counting request was signed with.',
  }),
})

/**
 * The shown status: a pending delivery is held while its webhook is not active, and failed when its webhook is deleted
 * (decisions: webhooks).
 */
export function shownStatus({
  status,
  webhook_status,
}: Pick<ShownDelivery, 'status' | 'webhook_status'>): (typeof STATUSES)[number] {
  if (status !== 'pending' || webhook_status === 'active') return status
  return webhook_status === 'deleted' ? 'failed' : 'held'
}

export function toWire(row: ShownDelivery): Static<typeof DeliverySchema> {
  const status = shownStatus(row)
  const isOrphan = row.status === 'pending' && status === 'failed'
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status,
    reason: isOrphan ? 'webhook_deleted' : row.reason,
    test: row.sample === 1,
    attemptCount: row.attempts,
    nextAttemptAt: status === 'pending' ? toIsoOrNull(row.due_at) : null,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

export function toListed(row: ListedDelivery): Static<typeof ListedSchema> {
  const wire = toWire(row)
  const hasEnded = wire.status === 'delivered' || wire.status === 'failed'
  // Pending deliveries of a deleted webhook failed when it was deleted.
  const endedAt = row.status === 'pending' ? row.webhook_updated_at : row.updated_at
  return {
    ...wire,
    url: row.url,
    lastStatusCode: row.last_status_code,
    lastErrorClass: lastErrorClass(row),
    endedAt: hasEnded ? toIso(endedAt) : null,
  }
}

/** @param urls the URLs of the webhook, by version */
export function toAttempt(
  row: RecordedAttempt,
  urls: ReadonlyMap<number, string>,
): Static<typeof AttemptSchema> {
  const reach = readReach(row.reach)
  return {
    id: row.id,
    number: row.number,
    startedAt: toIso(row.started_at),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    statusCode: row.status_code,
    error: row.error,
    errorClass: errorClassOf(row.status_code, row.failure),
    url: urls.get(reach.urlVersion) ?? null,
    address: reach.address,
    timings: {
      dnsMs: reach.dnsMs,
      connectMs: reach.connectMs,
      tlsMs: reach.tlsMs,
      firstByteMs: reach.firstByteMs,
      totalMs: row.duration_ms,
    },
    requestHeaders: row.requestHeaders,
    responseHeaders: row.responseHeaders,
    responseBody: row.response_body === null ? null : Buffer.from(row.response_body).toString('utf8'),
    signedWith: row.secret_index === 0 ? 'current' : 'previous',
  }
}
