import { sql } from 'kysely'
import { repeatable } from '../core/context.ts'
import type { Database } from '../db/database.ts'
import { isDue } from '../db/plausible-time.ts'
import type { Counter } from './rate-limit.ts'

/**
 * Counts in the database, for processes that share limits: one atomic statement per request. A request that is refused later, because no
 * connection is free, may be repeated and then counts again.
 */
export function databaseCounter(database: Database): Counter {
  return {
    async add(key, windowMs, now, by = 1) {
      const isOver = isDue('rate_window.expires_at', now, windowMs)
      const { rows } = await repeatable(() =>
        database.tx((tx) =>
          sql<{ count: number; resetAt: number }>`
          insert into rate_window (key, window_start, count, expires_at)
          values (${key}, ${now}, ${by}, ${now + windowMs})
          on conflict (key) do update set
            count = case when ${isOver} then ${by} else rate_window.count + ${by} end,
            window_start = case when ${isOver} then ${now} else rate_window.window_start end,
            expires_at = case when ${isOver} then ${now + windowMs} else rate_window.expires_at end
          returning count, expires_at as "resetAt"`.execute(tx),
        ),
      )
      return rows[0] ?? { count: by, resetAt: now + windowMs }
    },
  }
}
