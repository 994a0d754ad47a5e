import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { createBatcher, FailedItem } from '../../core/batcher.ts'
import { type Millis, pause, SECOND, stopwatch, turn } from '../../core/clock.ts'
import { insideTransaction, withCurrentSpan } from '../../core/context.ts'
import { UnknownOutcomeError } from '../engine/engine.ts'
import { guardTx, refuseNesting } from '../engine/guard.ts'
import type { Tx } from '../engine/handles.ts'
import type { Tables } from '../tables/tables.ts'
import { SqliteConnection, sqliteDialect, withBigInts } from './connection.ts'
import { isBusy, isCertainlyUndone, isFlushFailure, LOCK_PATIENCE } from './errors.ts'

/** Works of one shared commit, at most. */
const MOST_SHARED = 200
/**
 * The longest pause after a commit; a pause is not longer than the commit was. Works that arrive during the
 * pause share the next flush, and other work has a turn. On a fast disk the pause is negligible.
 */
const LONGEST_REST: Millis = 2
const SHORTEST_REST: Millis = 0.5
/** After this time a commit leaves its remaining works to the next one, because it blocks the event loop. */
const LONGEST_COMMIT: Millis = 20
/** Waits between attempts while another process writes; later attempts wait `LONGEST_BUSY_WAIT`. */
const BUSY_WAITS: Millis[] = [1, 2, 5, 10, 20, 25]
const LONGEST_BUSY_WAIT: Millis = 50

type Work = (tx: Tx) => Promise<unknown>

/** The only connection that writes. */
interface Writer {
  /** Runs `work` in a transaction and resolves after its commit, and after the flush to the disk if it is durable. */
  write<T>(work: (tx: Tx) => Promise<T>, isDurable: boolean): Promise<T>
  /** The number of works that wait for a commit. */
  waiting(): number
  /** Resolves when no work waits or is being written. */
  idle(): Promise<void>
}

interface WriterDeps {
  database: DatabaseSync
  /** Called after each commit; the next commit waits for its promise. It does not throw. */
  afterCommit: () => Promise<void> | undefined
  /** Called once, when writes are no longer possible: only a new start can read the state from the disk. */
  onBroken: (error: Error) => void
}

/**
 * Group commit (`core/batcher.ts`): transactions that arrive during another one share the next commit, each in its own savepoint, so
 * that one flush serves all. A commit without durable works is not flushed. The wait for the lock of another process does not block the
 * event loop.
 */
export function createWriter({ database, afterCommit, onBroken }: WriterDeps): Writer {
  const connection = new SqliteConnection(database)
  const writes = new Kysely<Tables>({ dialect: sqliteDialect(connection) })
  const prepare = (text: string) => withBigInts(database.prepare(text))
  const step = {
    begin: prepare('begin immediate'),
    savepoint: prepare('savepoint work'),
    release: prepare('release work'),
    rollbackTo: prepare('rollback to work'),
    commit: prepare('commit'),
    rollback: prepare('rollback'),
  }
  const elapsed = stopwatch()
  let restUntil = 0
  /** The work of `afterCommit`, such as a checkpoint; the next commit waits for it. */
  let moving: Promise<void> | undefined
  let broken: Error | undefined
  /** The number of uncommitted durable works. */
  let durable = 0
  const commits = createBatcher<Work, unknown>(commitNext, { most: MOST_SHARED, pace })

  /** Not by a prepared statement: SQLite applies this pragma when it is prepared, not when it runs. */
  function flushCommits(isOn: boolean): void {
    database.exec(`pragma synchronous=${isOn ? 'full' : 'normal'}`)
  }

  function giveUp(cause: unknown): Error {
    if (broken === undefined) {
      broken = new Error('the embedded database cannot be written any more', { cause })
      onBroken(broken)
    }
    return broken
  }

  async function pace(): Promise<void> {
    await moving
    const rest = restUntil - elapsed()
    if (rest > SHORTEST_REST && commits.waiting < MOST_SHARED) await pause(rest)
    // One turn of the event loop, so that requests that arrived together share a commit.
    else await turn()
  }

  async function commitNext(take: (upTo?: number) => Work[]): Promise<unknown[]> {
    try {
      const works = broken === undefined ? await begin(take) : new FailedItem(broken)
      if (works instanceof FailedItem) return take(Number.MAX_SAFE_INTEGER).map(() => works)
      const begun = elapsed()
      const results = await commitTogether(works)
      const ended = elapsed()
      restUntil = ended + Math.min(ended - begun, LONGEST_REST)
      moving = afterCommit()
      return results
    } catch (error) {
      throw giveUp(error)
    }
  }

  /**
   * Begins a transaction. Works that arrive while another process has the lock are part of it; later ones are not, because here it is
   * decided whether the commit is flushed.
   * @returns the works of the transaction, or the error
   */
  async function begin(take: () => Work[]): Promise<Work[] | FailedItem> {
    const waited = stopwatch()
    for (let tries = 0; ; tries += 1) {
      const isDurable = durable > 0
      if (!isDurable) flushCommits(false)
      try {
        step.begin.run()
        return take()
      } catch (error) {
        if (!isDurable) flushCommits(true)
        if (!isBusy(error)) return new FailedItem(error)
        if (waited() >= LOCK_PATIENCE) return new FailedItem(new Error(LOCKED, { cause: error }))
      }
      await pause(BUSY_WAITS[tries] ?? LONGEST_BUSY_WAIT)
    }
  }

  /** @returns the result of each work; fewer results where the commit took too long, and the remaining works are in the next one */
  async function commitTogether(works: Work[]): Promise<unknown[]> {
    const isShared = works.length > 1
    const results: unknown[] = []
    const callbacks: (() => void)[] = []
    let isCommitting = false
    try {
      const begun = elapsed()
      for (const work of works) {
        if (results.length > 0 && elapsed() - begun > LONGEST_COMMIT) break
        results.push(await runOne(work, isShared, callbacks))
      }
      isCommitting = true
      step.commit.run()
      for (const callback of callbacks) callback()
      return results
    } catch (error) {
      // The failed flush may have lost relaxed commits too, which later commits would build on.
      if (isFlushFailure(error)) giveUp(error)
      const wasOpen = database.isTransaction
      const isUndone = rollBack() && isCertainlyUndone(error, wasOpen)
      const outcome = isCommitting && !isUndone ? new UnknownOutcomeError(UNKNOWN, { cause: error }) : error
      return (isCommitting ? results : works).map(() => new FailedItem(outcome))
    } finally {
      if (!database.isTransaction) flushCommits(true)
    }
  }

  /** @returns whether the transaction was closed */
  function rollBack(): boolean {
    try {
      if (database.isTransaction) step.rollback.run()
      return true
    } catch (error) {
      giveUp(error)
      return false
    }
  }

  /** @param callbacks receives the callbacks for after the commit @returns the work's value, or its error */
  async function runOne(work: Work, isShared: boolean, callbacks: (() => void)[]): Promise<unknown> {
    if (isShared) step.savepoint.run()
    const { tx, end, committed } = guardTx(writes, connection.execute)
    try {
      const value = await insideTransaction(() => work(tx))
      if (isShared) step.release.run()
      callbacks.push(committed)
      return value
    } catch (error) {
      if (!isShared) throw error
      step.rollbackTo.run()
      step.release.run()
      return new FailedItem(error)
    } finally {
      end()
    }
  }

  return {
    async write<T>(run: (tx: Tx) => Promise<T>, isDurable: boolean) {
      refuseNesting()
      const work = withCurrentSpan(run)
      if (!isDurable) return (await commits.add(work)) as T
      durable += 1
      try {
        return (await commits.add(work)) as T
      } finally {
        durable -= 1
      }
    },
    waiting: () => commits.waiting,
    async idle() {
      await commits.idle()
      await moving
    },
  }
}

const UNKNOWN = 'it is unknown whether it was committed'
const LOCKED = `another process has held the write lock of the database for ${LOCK_PATIENCE / SECOND} s`
