import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AttemptRecord } from '../../db/tables/webhooks.ts'
import type { Sent } from './send.ts'

/** An attempt that was made. */
export interface Attempted {
  startedAt: Millis
  sent: Sent
  /** The verdict of the outcome table. */
  outcome: string
}

/** The columns of the record of an attempt, in the row of its delivery or in a row of its own. */
export const RECORD_COLUMNS: Columns<AttemptRecord> = {
  started_at: 'integer',
  duration_ms: 'integer',
  outcome: 'text',
  status_code: 'integer',
  error: 'text',
  request_headers: 'text',
  response_headers: 'text',
  response_body: 'bytes',
  secret_index: 'integer',
  failure: 'text',
  reach: 'text',
}

const COLUMNS: Columns<Tables['attempt']> = {
  organization_id: 'text',
  delivery_id: 'text',
  number: 'integer',
  ...RECORD_COLUMNS,
}

/** Writes the records of attempts. */
export const insertAttempts = preparedForList(COLUMNS, (db, list) =>
  sql`insert into attempt (${namesOf(COLUMNS)}) ${list}`.compile(db),
)

/** The record of one attempt. */
export function toRecord({ startedAt, sent, outcome }: Attempted): AttemptRecord {
  return {
    started_at: startedAt,
    duration_ms: Math.round(sent.durationMs),
    outcome,
    status_code: 'status' in sent.result ? sent.result.status : null,
    error: sent.error,
    request_headers: sent.requestHeaders,
    response_headers: sent.responseHeaders,
    response_body: sent.responseBody,
    secret_index: sent.secretIndex,
    failure: 'failure' in sent.result ? sent.result.failure : null,
    reach: sent.reach,
  }
}

/** The size of a record in the row of its delivery at most, because lists read thousands of these rows. */
const MOST_IN_ROW = 1_024

/** Whether a record is small enough for the row of its delivery. */
export function fitsRow({ request_headers, response_headers, response_body, error }: AttemptRecord): boolean {
  const texts = [request_headers, response_headers, response_body, error]
  return texts.reduce((size, text) => size + (text?.length ?? 0), 0) <= MOST_IN_ROW
}
