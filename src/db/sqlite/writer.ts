import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { type Millis, pause, SECOND, stopwatch, turn } from '../../core/clock.ts'
import { UnknownOutcomeError } from '../engine/engine.ts'
import { guardTx, insideTransaction, refuseNesting } from '../engine/guard.ts'
import type { Tx } from '../engine/handles.ts'
import type { Tables } from '../tables/tables.ts'
import { countBeyondNumbers, SqliteConnection, sqliteDialect } from './connection.ts'
import { isBusy, isFlushFailure, isUndoing, LOCK_PATIENCE } from './errors.ts'

/** Works of one shared commit at most; a longer queue becomes the next commits. */
const MOST_SHARED = 200
/**
 * After a commit the next one waits as long as that one took, at most this long: on a slow disk more works share a
 * flush, and half the time is left for everything else. On a fast one there is nothing to wait for.
 */
const LONGEST_REST: Millis = 2
const SHORTEST_REST: Millis = 0.5
/** A commit that has taken so long leaves its other works to the next: nothing else happens meanwhile. */
const LONGEST_COMMIT: Millis = 20
/** While another process writes, the next try waits so long, and then as long as the last. */
const BUSY_WAITS: Millis[] = [1, 2, 5, 10, 20, 25]
const LONGEST_BUSY_WAIT: Millis = 50

interface Work {
  /** Whether its caller waits for the disk. */
  isDurable: boolean
  run: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The one connection that writes. */
export interface Writer {
  /** Runs `work` in a transaction and resolves after its commit: a durable one has been flushed to the disk by then. */
  write<T>(work: (tx: Tx) => Promise<T>, isDurable: boolean): Promise<T>
  /** How many works wait for their commit. */
  waiting(): number
  /** Resolves when nothing is left to write. */
  idle(): Promise<void>
}

interface WriterDeps {
  database: DatabaseSync
  /** Is called after each commit; what it answers the next one waits for. It does not throw. */
  afterCommit: () => Promise<void> | undefined
  /** Is told, once, that nothing can be written any more: only a new start can tell what the disk holds. */
  onBroken: (error: Error) => void
}

/**
 * Transactions that are asked for while another is under way wait and then share one commit, each in a savepoint of its
 * own: the disk is flushed once for all of them. Only a commit in which nobody waits for the disk goes without a flush.
 * While another process writes, the wait for it leaves the event loop to everybody else.
 */
export function createWriter({ database, afterCommit, onBroken }: WriterDeps): Writer {
  const connection = new SqliteConnection(database)
  const writes = new Kysely<Tables>({ dialect: sqliteDialect(connection) })
  const prepare = (text: string) => countBeyondNumbers(database.prepare(text))
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
  let queue: Work[] = []
  let draining: Promise<void> | undefined
  let broken: Error | undefined

  /** Never by a prepared statement: SQLite obeys this pragma when it is prepared, and not when it runs. */
  function flushCommits(isOn: boolean): void {
    database.exec(`pragma synchronous=${isOn ? 'full' : 'normal'}`)
  }

  function giveUp(cause: unknown): void {
    if (broken !== undefined) return
    broken = new Error('the embedded database cannot be written any more', { cause })
    onBroken(broken)
  }

  async function drain(): Promise<void> {
    try {
      while (queue.length > 0) {
        const rest = restUntil - elapsed()
        if (rest > SHORTEST_REST && queue.length < MOST_SHARED) await pause(rest)
        // One turn of the event loop, so that requests that arrived together commit together, and others have their turn.
        else await turn()
        await commitNext()
      }
    } catch (error) {
      giveUp(error)
      refuseAll(broken)
    } finally {
      draining = undefined
    }
  }

  async function commitNext(): Promise<void> {
    if (broken !== undefined) return refuseAll(broken)
    const batch = await begin()
    if (batch === undefined) return
    const begun = elapsed()
    await commitTogether(batch)
    const ended = elapsed()
    restUntil = ended + Math.min(ended - begun, LONGEST_REST)
    await afterCommit()
  }

  function refuseAll(error: unknown): void {
    for (const { reject } of queue.splice(0)) reject(error)
  }

  /** @returns the works of the transaction that it has begun; undefined where it could not, and they have been told */
  async function begin(): Promise<Work[] | undefined> {
    const waited = stopwatch()
    for (let tries = 0; ; tries += 1) {
      const batch = queue.slice(0, MOST_SHARED)
      const isDurable = batch.some((work) => work.isDurable)
      if (!isDurable) flushCommits(false)
      try {
        step.begin.run()
        queue = queue.slice(batch.length)
        return batch
      } catch (error) {
        if (!isDurable) flushCommits(true)
        if (!isBusy(error) || waited() >= LOCK_PATIENCE) {
          refuseAll(isBusy(error) ? new Error(LOCKED, { cause: error }) : error)
          return undefined
        }
      }
      await pause(BUSY_WAITS[tries] ?? LONGEST_BUSY_WAIT)
    }
  }

  async function commitTogether(batch: Work[]): Promise<void> {
    const isShared = batch.length > 1
    const done: (() => void)[] = []
    let isCommitting = false
    try {
      const begun = elapsed()
      for (const work of batch) {
        if (done.length > 0 && elapsed() - begun > LONGEST_COMMIT) break
        done.push(await runOne(work, isShared))
      }
      queue = [...batch.splice(done.length), ...queue]
      isCommitting = true
      step.commit.run()
      for (const settle of done) settle()
    } catch (error) {
      // Commits that did not wait for the disk may have been lost by the same flush, and later ones build on them.
      if (isFlushFailure(error)) giveUp(error)
      const wasOpen = database.isTransaction
      const isUndone = rollBack() && isUndoing(error, wasOpen)
      const outcome = isCommitting && !isUndone ? new UnknownOutcomeError(UNKNOWN, { cause: error }) : error
      for (const work of batch) work.reject(outcome)
    } finally {
      if (!database.isTransaction) flushCommits(true)
    }
  }

  /** @returns whether there is no transaction any more */
  function rollBack(): boolean {
    try {
      if (database.isTransaction) step.rollback.run()
      return true
    } catch (error) {
      giveUp(error)
      return false
    }
  }

  /** @returns what is to be done when it has been committed */
  async function runOne(work: Work, isShared: boolean): Promise<() => void> {
    if (isShared) step.savepoint.run()
    const { tx, end, committed } = guardTx(writes, connection.execute)
    try {
      const value = await insideTransaction(() => work.run(tx))
      if (isShared) step.release.run()
      return () => {
        committed()
        work.resolve(value)
      }
    } catch (error) {
      if (!isShared) throw error
      step.rollbackTo.run()
      step.release.run()
      return () => work.reject(error)
    } finally {
      end()
    }
  }

  return {
    write: <T>(run: (tx: Tx) => Promise<T>, isDurable: boolean) =>
      new Promise<T>((resolve, reject) => {
        refuseNesting()
        queue.push({ run, isDurable, resolve: resolve as (value: unknown) => void, reject })
        draining ??= drain()
      }),
    waiting: () => queue.length,
    async idle() {
      await draining
    },
  }
}

const UNKNOWN = 'nobody knows whether it was committed'
const LOCKED = `another process has held the write lock of the database for ${LOCK_PATIENCE / SECOND} s`
