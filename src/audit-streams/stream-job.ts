import { sql } from 'kysely'
import { toWire } from '../audit/audit-log.ts'
import { clearUnsent, findUnsent, readUnsent } from '../audit/unsent.ts'
import { waitAfter } from '../core/backoff.ts'
import { MINUTE, type Millis, SECOND, stopwatch } from '../core/clock.ts'
import type { Database } from '../db/database.ts'
import type { Doing, Handler, Outcome } from '../jobs/rows/row-kind.ts'
import { STREAM_JOB, type StreamPayload } from './ensure-stream-job.ts'
import { type PostDeps, type PostResult, postEntries, targetOf } from './post-entries.ts'
import type { Stream } from './stream.ts'

/** How soon the job sees new entries after it found none, and changes of the stream. */
const POLL: Millis = 5 * SECOND
/** Most entries in one request, and their approximate bytes. */
const MOST_ENTRIES = 500
const MOST_BYTES = 512 * 1024
/** The waits after failures; the last one repeats without end. */
const WAITS: Millis[] = [5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE]
/** Longest `Retry-After` of a destination that is honoured. */
const LONGEST_WAIT: Millis = 5 * MINUTE
/** Time after which an attempt starts no further request, because the process may be stopping. */
const LONGEST_RUN: Millis = 5 * SECOND
/** Longest attempt: the requests, the wait for a connection, and the final write. */
const LONGEST: Millis = 2 * MINUTE
/** Marks of a deleted stream that one transaction removes. */
const STEP = 500

interface JobDeps extends PostDeps {
  database: Database
  log: { info(data: object, message: string): void; warn(data: object, message: string): void }
}

/**
 * The standing job of a stream: it sends marked entries page by page in the order of ids, and removes the marks of
 * accepted pages. After a crash in between, a page is sent once more. Entries that commit late are marked, and sent
 * later.
 */
export function streamHandler(deps: JobDeps): Handler {
  const { database, clock } = deps
  const { db } = database.background
  return {
    kind: STREAM_JOB,
    longest: LONGEST,
    waits: [POLL],
    isRepeatable: true,
    // The job never ends, so it has no limit of starts.
    mostStarts: Number.MAX_SAFE_INTEGER,
    grace: 30 * SECOND,
    async work({ payload }, doing): Promise<Outcome> {
      const { streamId } = payload as StreamPayload
      const elapsed = stopwatch()
      let most = MOST_ENTRIES
      while (elapsed() < LONGEST_RUN && !doing.signal.aborted) {
        const stream = await db
          .selectFrom('audit_stream')
          .selectAll()
          .where('id', '=', streamId)
          .executeTakeFirst()
        if (stream === undefined) return { done: null }
        if (stream.ended_at !== null) {
          if (await forget(deps, stream, doing)) return { done: null }
          continue
        }
        const now = clock.now()
        if (stream.paused_at !== null) return { later: now + POLL }
        if ((stream.next_attempt_at ?? now) > now)
          return { later: Math.min(stream.next_attempt_at ?? now, now + POLL) }
        const entries = await readPage(deps, stream, most)
        if (entries.length === 0) return { later: now + POLL }
        const target = await targetOf(db, deps.vault, stream, now)
        const posted = await postEntries(deps, target, entries.map(toWire), doing.signal)
        // A request that was cut off says nothing about the receiver.
        if (!posted.isTaken && doing.signal.aborted) break
        doing.advanced()
        if (!posted.isTaken && posted.status === 413 && entries.length > 1) {
          most = Math.ceil(entries.length / 2)
          continue
        }
        if (!(await note(deps, stream, entries, posted))) return { later: clock.now() + POLL }
      }
      return { later: clock.now() }
    },
  }
}

/** The next entries of a stream for one request. */
async function readPage({ database }: JobDeps, { bit }: Stream, most: number) {
  const rows = await readUnsent(database.background.db, bit, most)
  let bytes = 0
  const first = rows.findIndex((row) => {
    bytes += row.details.length + row.user_agent.length + 500
    return bytes > MOST_BYTES
  })
  return first === -1 ? rows : rows.slice(0, Math.max(1, first))
}

/** Stores the result of a request. @returns whether the entries were accepted */
async function note(
  { database, clock, log }: JobDeps,
  stream: Stream,
  entries: Awaited<ReturnType<typeof readPage>>,
  posted: PostResult,
): Promise<boolean> {
  const now = clock.now()
  const facts = { auditStreamId: stream.id, failures: stream.failures + 1 }
  await database.background.tx(async (tx) => {
    const row = tx.updateTable('audit_stream').where('id', '=', stream.id)
    if (posted.isTaken) {
      const ids = entries.map(({ id }) => id)
      const cleared = await clearUnsent(tx, stream.bit, ids)
      const healthy = { failures: 0, failing_since: null, last_error: null, next_attempt_at: null }
      await row.set({ ...healthy, sent: sql<number>`sent + ${cleared}`, last_sent_at: now }).execute()
      return
    }
    const wished = Math.min(posted.notBefore ?? 0, now + LONGEST_WAIT)
    await row
      .set({
        failures: stream.failures + 1,
        failing_since: stream.failing_since ?? now,
        last_error: posted.reason,
        next_attempt_at: Math.max(now + waitAfter(WAITS, stream.failures + 1), wished),
      })
      .execute()
  })
  if (posted.isTaken && stream.failures > 0) log.info(facts, 'audit stream goes on')
  if (!posted.isTaken) log.warn({ ...facts, reason: posted.reason }, 'audit stream refused')
  return posted.isTaken
}

/** Removes marks of a deleted stream, and finally its row. @returns whether none remain */
async function forget({ database }: JobDeps, { id, bit }: Stream, { advanced }: Doing): Promise<boolean> {
  const ids = await findUnsent(database.background.db, bit, STEP)
  await database.background.tx(async (tx) => {
    if (ids.length > 0) await clearUnsent(tx, bit, ids)
    else await tx.deleteFrom('audit_stream').where('id', '=', id).execute()
  })
  advanced()
  return ids.length === 0
}
