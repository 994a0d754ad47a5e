import { parseId } from '../../core/id.ts'
import { ERROR_CLASSES } from '../../delivery/attempt/error-class.ts'
import type { ListedDelivery } from '../../delivery/lists/newest-first.ts'
import { readCriteria } from '../../delivery/replays/replay-sources.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, strict } from '../../http/schema/validation.ts'
import { STATUSES, shownStatus } from './delivery-wire.ts'

/** One or more names, separated by commas. */
export const several = (names: readonly string[], example: string) =>
  Type.String({
    maxLength: 200,
    pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
    description: `One or several of: ${names.join(', ')}; with a comma between two.`,
    examples: [example],
  })

/** Filters of deliveries beside status, webhook and time. */
export const CriteriaFields = {
  eventId: Type.Optional(IdSchema('event')),
  eventType: Type.Optional(Type.String({ maxLength: 128 })),
  statusCode: Type.Optional(
    Type.String({
      pattern: '^[1-9]([0-9]{2}|xx)$',
      maxLength: 3,
      description: 'The status of the last attempt’s answer: one status, or a class such as `5xx`.',
      examples: ['503', '5xx'],
    }),
  ),
  errorClass: Type.Optional(several(ERROR_CLASSES, 'timeout,http_5xx')),
}

/** The filters of deliveries in a query. */
export const FilterQuery = {
  status: Type.Optional(several(STATUSES, 'failed,pending')),
  webhookId: Type.Optional(IdSchema('webhook')),
  ...CriteriaFields,
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
}
const _query = strict(FilterQuery)
export type Filter = Static<typeof _query>

/** The predicate of a filter; undefined where every delivery of the span matches. */
export function readFilter(filter: Filter): ((row: ListedDelivery) => boolean) | undefined {
  const { status, eventId, eventType } = filter
  const conditions: ((row: ListedDelivery) => boolean)[] = []
  if (status !== undefined) {
    const wanted = new Set(status.split(','))
    conditions.push((row) => wanted.has(shownStatus(row)))
  }
  if (eventId !== undefined) {
    const id = parseId('event', eventId)
    conditions.push((row) => row.event_id === id)
  }
  if (eventType !== undefined) conditions.push((row) => row.event_type === eventType)
  const ofLastAttempt = readCriteria(filter)
  if (ofLastAttempt !== undefined) conditions.push(ofLastAttempt)
  if (conditions.length === 0) return undefined
  return (row) => conditions.every((holds) => holds(row))
}
