import type { Dialect } from '../engine/engine.ts'

/** The tables of `http/`. */
export function statements({ integer, table, volatile }: Dialect): string[] {
  return [
    // Counters of the rate limits, where several processes share them. A crash may empty the table.
    `create ${volatile} table rate_window (
      key text primary key,
      window_start ${integer} not null,
      count ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    // Answers to requests with an Idempotency-Key. `answer` is sealed.
    `create table idempotency (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status ${integer} not null,
      answer text not null,
      created_at ${integer} not null,
      primary key (scope, key)
    )${table}`,
    `create index idempotency_age on idempotency (created_at)`,
  ]
}
