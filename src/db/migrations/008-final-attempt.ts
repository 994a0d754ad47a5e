import type { Dialect } from '../engine/engine.ts'

export const name = 'the final attempt in the row of its delivery'

/** What ended before keeps its attempts where they are. */
export function statements({ integer, bytes }: Dialect): string[] {
  return [
    `started_at ${integer}`,
    `duration_ms ${integer}`,
    'outcome text',
    `status_code ${integer}`,
    'error text',
    'request_headers text',
    'response_headers text',
    `response_body ${bytes}`,
    `secret_index ${integer}`,
  ].map((column) => `alter table delivery add column ${column}`)
}
