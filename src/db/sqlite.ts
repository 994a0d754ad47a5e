import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { type Millis, pause, stopwatch, turn } from '../core/clock.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { Access, Engine, Tx } from './engine.ts'
import { guardDb, guardTx, insideTransaction, refuseNesting } from './guard.ts'
import { SqliteConnection, sqliteDialect } from './sqlite-connection.ts'
import type { Tables } from './tables.ts'

/** Works of one shared commit at most; a longer queue becomes the next commits. */
const MOST_SHARED = 200
/**
 * After a commit the next one waits as long as that one took, at most this long: on a slow disk more works share a
 * flush, and half the time is left for everything else. On a fast one there is nothing to wait for.
 */
const LONGEST_REST: Millis = 2
const SHORTEST_REST: Millis = 0.5
/** The writer waits for another process (the command line) this long before it gives up. */
const BUSY_TIMEOUT_MS = 10_000

/** The file in `DATA_DIR` that is the database. */
const DATABASE_FILE = 'postern.db'

/** All pages in one step: between two, a commit of the server would make the copy begin again, for ever. */
const WHOLE_DATABASE = 2 ** 31 - 1

export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, DATABASE_FILE))
}

interface Work {
  /** Whether its caller waits for the disk. */
  isDurable: boolean
  run: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * The embedded engine: one file in `dataDir`, one connection that writes and one that reads.
 *
 * Transactions that are asked for while another is under way wait and then share one commit, each in a
 * savepoint of its own: the disk is flushed once for all of them (`synchronous=FULL`), and a caller hears of
 * success only after that flush.
 */
export function openSqlite(dataDir: string): Engine {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, DATABASE_FILE)
  const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  writer.exec(
    'pragma journal_mode=wal; pragma synchronous=full; pragma cache_size=-16000; pragma temp_store=memory',
  )
  const descriptor = openSync(file, 'r')
  const reader = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  const writeConnection = new SqliteConnection(writer)
  const writes = new Kysely<Tables>({ dialect: sqliteDialect(writeConnection) })
  const readConnection = new SqliteConnection(reader)
  const db = guardDb(new Kysely<Tables>({ dialect: sqliteDialect(readConnection) }), readConnection.execute)

  const step = {
    begin: writer.prepare('begin immediate'),
    savepoint: writer.prepare('savepoint work'),
    release: writer.prepare('release work'),
    rollbackTo: writer.prepare('rollback to work'),
    commit: writer.prepare('commit'),
    flush: writer.prepare('pragma synchronous=full'),
    dontFlush: writer.prepare('pragma synchronous=normal'),
    rollback: writer.prepare('rollback'),
  }
  const checkpoints = createCheckpoints(writer, file, descriptor)
  const opened = stopwatch()
  let restUntil = 0
  let queue: Work[] = []
  let draining: Promise<void> | undefined
  let lock: DatabaseSync | undefined

  async function drain(): Promise<void> {
    // One turn of the event loop, so that requests that arrived together commit together.
    await turn()
    while (queue.length > 0) {
      const rest = restUntil - opened()
      if (rest > SHORTEST_REST && queue.length < MOST_SHARED) await pause(rest)
      const batch = queue.slice(0, MOST_SHARED)
      queue = queue.slice(MOST_SHARED)
      const begun = opened()
      await commitTogether(batch)
      const ended = opened()
      restUntil = ended + Math.min(ended - begun, LONGEST_REST)
      await checkpoints.afterCommit()
    }
    draining = undefined
  }

  async function commitTogether(batch: Work[]): Promise<void> {
    const isShared = batch.length > 1
    const isDurable = batch.some((work) => work.isDurable)
    const done: (() => void)[] = []
    try {
      if (!isDurable) step.dontFlush.run()
      step.begin.run()
      for (const work of batch) {
        if (isShared) step.savepoint.run()
        const { tx, end, committed } = guardTx(writes, writeConnection.execute)
        try {
          const value = await insideTransaction(() => work.run(tx))
          if (isShared) step.release.run()
          done.push(() => {
            committed()
            work.resolve(value)
          })
        } catch (error) {
          if (!isShared) throw error
          step.rollbackTo.run()
          step.release.run()
          done.push(() => work.reject(error))
        } finally {
          end()
        }
      }
      step.commit.run()
      for (const settle of done) settle()
    } catch (error) {
      if (writer.isTransaction) step.rollback.run()
      for (const work of batch) work.reject(error)
    } finally {
      if (!isDurable) step.flush.run()
    }
  }

  function enqueue<T>(run: (tx: Tx) => Promise<T>, isDurable: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      refuseNesting()
      queue.push({ run, isDurable, resolve: resolve as (value: unknown) => void, reject })
      draining ??= drain()
    })
  }

  const access: Access = {
    db,
    tx: (run) => enqueue(run, true),
    relaxed: (run) => enqueue(run, false),
  }

  /** One process has the data at a time. @throws Error in plain words */
  function claim(): void {
    lock = new DatabaseSync(join(dataDir, 'server.lock'), { timeout: 0 })
    try {
      lock.exec('pragma locking_mode=exclusive; begin exclusive')
    } catch {
      throw new Error(`Postern already runs on ${dataDir}. Stop it first, or set another DATA_DIR.`)
    }
  }

  return {
    name: 'sqlite',
    dialect: { integer: 'integer', bytes: 'blob', table: ' strict', volatile: '', appendOnly },
    shared: false,
    ...access,
    background: access,
    channel: undefined,
    waiting: () => queue.length,
    skipLocked: (query) => query,
    exclusively: (work) => access.tx(work),
    claimServer: async () => claim(),
    claimAlone: async () => claim(),
    backup: async (target) => void (await backup(reader, target, { rate: WHOLE_DATABASE })),
    isUniqueViolation: (error) => errcodeOf(error) === 2067 || errcodeOf(error) === 1555,
    async close() {
      await draining
      if (!writer.isOpen) return
      await checkpoints.close()
      reader.close()
      writer.close()
      closeSync(descriptor)
      lock?.close()
    },
  }
}

function appendOnly(table: string): string[] {
  return ['update', 'delete'].map(
    (verb) =>
      `create trigger ${table}_no_${verb} before ${verb} on ${table}
        begin select raise(abort, '${table} is append-only'); end`,
  )
}

/** SQLite's extended result code: 2067 unique, 1555 primary key. */
function errcodeOf(error: unknown): number | undefined {
  return (error as { errcode?: number } | null)?.errcode
}
