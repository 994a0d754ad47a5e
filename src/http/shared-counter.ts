import { sql } from 'kysely'
import { type Batcher, createBatcher } from '../core/batcher.ts'
import { createBoundedMap } from '../core/bounded-map.ts'
import type { Millis } from '../core/clock.ts'
import { currentOwner, hasWritten, repeatable, runForOwner } from '../core/context.ts'
import type { Database } from '../db/database.ts'
import { prepared } from '../db/engine/prepared.ts'
import { isOutside, latestPlausible } from '../db/plausible-time.ts'
import type { Counter, Window } from './rate-limit.ts'

/** What one caller adds to a key. */
interface Addition {
  by: number
  windowMs: Millis
  now: Millis
}

type Batches = Batcher<Addition, Window>

/** Keys with a batcher, at most. An evicted batcher still ends its work. */
const MOST_BATCHERS = 1_000

const addToWindow = prepared<Addition & { key: string; expiresAt: Millis; latest: Millis }>()((db, value) => {
  const isOver = isOutside('rate_window.expires_at', value('now'), value('latest'))
  return sql<Window>`
    insert into rate_window (key, window_start, count, expires_at)
    values (${value('key')}, ${value('now')}, ${value('by')}, ${value('expiresAt')})
    on conflict (key) do update set
      count = case when ${isOver} then ${value('by')} else rate_window.count + ${value('by')} end,
      window_start = case when ${isOver} then ${value('now')} else rate_window.window_start end,
      expires_at = case when ${isOver} then ${value('expiresAt')} else rate_window.expires_at end
    returning count, expires_at as "resetAt"`.compile(db)
})

/**
 * Counts in the database, for processes that share limits. The additions of an owner to a key that arrive during a statement share the
 * next one. Each key has statements of its own, so that a locked row delays no other key. A request that is refused later, because no
 * connection is free, may be repeated and then counts again.
 */
export function databaseCounter(database: Pick<Database, 'requests'>): Counter {
  const batchers = createBoundedMap<string, Batches>(MOST_BATCHERS)

  /** Adds to a key what `take` returns when the connection is there. */
  function write(key: string, take: () => Addition[]): Promise<Window[]> {
    return database.requests.brief(async (tx) => {
      const additions = take()
      const sum = additions.reduce((before, { by }) => before + by, 0)
      const now = Math.max(...additions.map((one) => one.now))
      const { windowMs } = additions[0] as Addition
      const [window] = await addToWindow(tx, {
        ...{ key, windowMs, now, by: sum },
        ...{ expiresAt: now + windowMs, latest: latestPlausible(now, windowMs) },
      })
      return divide(window as Window, sum, additions)
    })
  }

  function batcherOf(owner: string | undefined, key: string): Batches {
    const name = `${owner ?? ''} ${key}`
    const known = batchers.get(name)
    if (known !== undefined) return known
    const made = createBatcher<Addition, Window>((take) => runForOwner(owner, () => write(key, take)))
    batchers.set(name, made)
    return made
  }

  return {
    async add(key, windowMs, now, by = 1) {
      const addition = { by, windowMs, now }
      if (!hasWritten()) return batcherOf(currentOwner(), key).add(addition)
      // Partly committed work may borrow a connection, and its refusal says that it has written.
      const [window] = await repeatable(() => write(key, () => [addition]))
      return window as Window
    },
  }
}

/** The window after each addition, from the window after all of them. */
function divide({ count, resetAt }: Window, sum: number, additions: Addition[]): Window[] {
  let before = count - sum
  return additions.map(({ by }) => {
    before += by
    return { count: before, resetAt }
  })
}
