import { fromIso, type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Asked, Criteria } from '../../delivery/replays/replay-sources.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'
import { CriteriaFields } from './delivery-filter.ts'

type Replay = Tables['replay']

/** Most deliveries that one request may name. */
const MOST_NAMED = 1_000

/** The filters of a replay's deliveries. */
export const FilterFields = {
  ...CriteriaFields,
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
  ids: Type.Optional(
    Type.Array(IdSchema('delivery'), {
      minItems: 1,
      maxItems: MOST_NAMED,
      description: 'Only these. Ids of deliveries of others, or that were removed, are ignored.',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Only counts the deliveries; nothing is changed.' }),
  ),
}

export const Ended = Type.Optional(
  Type.Unsafe<'failed' | 'delivered' | 'all'>(
    Type.String({ enum: ['failed', 'delivered', 'all'], default: 'failed' }),
  ),
)

const _chosen = Type.Object(FilterFields)
type ChosenBody = Static<typeof _chosen>

export const MatchedSchema = Type.Object(
  {
    matched: Type.Integer(),
    atLeast: Type.Boolean({ description: 'Whether there may be more than were counted.' }),
  },
  { title: 'ReplayTrial', description: 'Nothing was made.' },
)

export const ReplaySchema = Type.Object({
  id: Type.String(),
  webhookId: Nullable(Type.String({ description: 'Null where it is of all webhooks.' })),
  status: Type.String({ enum: ['running', 'completed', 'cancelled'] }),
  filter: Type.String({
    enum: ['failed', 'delivered', 'all', 'pending', 'undelivered'],
    description:
      '`all`: delivered or failed; `undelivered`: pending or failed. A pending delivery becomes due now instead of being made again.',
  }),
  eventId: Nullable(Type.String()),
  eventType: Nullable(Type.String()),
  statusCode: Nullable(Type.String()),
  errorClass: Nullable(Type.String()),
  idCount: Nullable(Type.Integer({ description: 'How many deliveries it names; null where it names none.' })),
  since: Moment,
  until: Moment,
  total: Type.Integer({
    description:
      'The number of deliveries to make at its start, as far as they were counted; higher if others have got the status since.',
  }),
  replayed: Type.Integer({
    description:
      'Deliveries that are to be made. Fewer are made where some were delivered since they were counted.',
  }),
  createdAt: Moment,
  updatedAt: Moment,
})

export function toWire(row: Replay): Static<typeof ReplaySchema> {
  const { eventId, eventType, statusCode, errorClass, ids } = JSON.parse(row.criteria) as Criteria
  return {
    id: row.id,
    webhookId: row.webhook_id,
    status: row.status,
    filter: row.filter,
    eventId: eventId ?? null,
    eventType: eventType ?? null,
    statusCode: statusCode ?? null,
    errorClass: errorClass ?? null,
    idCount: ids?.length ?? null,
    since: toIso(row.since),
    until: toIso(row.until),
    total: row.total,
    replayed: row.replayed,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

/** Replays in the live stream. */
export const replayView = rowView(
  'replay',
  (rows) => rows.map(toWire),
  ({ webhook_id }) => webhook_id ?? '',
)

/** The deliveries that a request selects; without an end it selects all up to now. */
export type ReplayRequest = Omit<Asked, 'until'> & { until: Millis | undefined }

/**
 * Reads the body of a request for a replay.
 * @throws ApiError VALIDATION_FAILED, INVALID_UUID
 */
export function readReplayRequest(
  whose: Pick<Asked, 'organization_id' | 'webhook_id' | 'filter'>,
  body: ChosenBody,
): ReplayRequest {
  const { eventId, eventType, statusCode, errorClass, ids } = body
  const since = body.since === undefined ? 0 : (fromIso(body.since) ?? 0)
  const until = body.until === undefined ? undefined : fromIso(body.until)
  if (until !== undefined && since > until)
    throw new ApiError('VALIDATION_FAILED', {
      field: 'since',
      value: body.since ?? '',
      reason: 'after_until',
    })
  const criteria: Criteria = {
    ...(eventId !== undefined && { eventId: parseId('event', eventId) }),
    ...(eventType !== undefined && { eventType }),
    ...(statusCode !== undefined && { statusCode }),
    ...(errorClass !== undefined && { errorClass }),
    ...(ids !== undefined && { ids: [...new Set(ids.map((id) => parseId('delivery', id)))] }),
  }
  return { ...whose, since, until, criteria }
}
