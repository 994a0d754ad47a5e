import type { Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { preparedInsert } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Sent } from './send.ts'

/** An attempt that was made. */
export interface Attempted {
  startedAt: Millis
  sent: Sent
  /** The verdict of the outcome table. */
  outcome: string
}

/** Writes the records of attempts. */
export const insertAttempts = preparedInsert('attempt', [
  'id',
  'delivery_id',
  'number',
  'started_at',
  'duration_ms',
  'outcome',
  'status_code',
  'error',
  'request_headers',
  'response_headers',
  'response_body',
  'secret_index',
])

/** The record of one attempt of a delivery. */
export function toAttemptRow(
  deliveryId: Id<'delivery'>,
  number: number,
  { startedAt, sent, outcome }: Attempted,
): Tables['attempt'] {
  return {
    id: newId('attempt', startedAt),
    delivery_id: deliveryId,
    number,
    started_at: startedAt,
    duration_ms: Math.round(sent.durationMs),
    outcome,
    status_code: 'status' in sent.result ? sent.result.status : null,
    error: sent.error,
    request_headers: JSON.stringify(sent.requestHeaders),
    response_headers: sent.responseHeaders === null ? null : JSON.stringify(sent.responseHeaders),
    response_body: sent.responseBody,
    secret_index: sent.secretIndex,
  }
}
