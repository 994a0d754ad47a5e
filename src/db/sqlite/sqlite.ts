import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { makeFolder, makePrivateFile } from '../../core/folder.ts'
import type { Access, Engine } from '../engine/engine.ts'
import { guardDb } from '../engine/guard.ts'
import type { Tables } from '../tables/tables.ts'
import { createCheckpoints } from './checkpoints.ts'
import { SqliteConnection, sqliteDialect } from './connection.ts'
import { explainSqliteError, isUniqueViolation, LOCK_PATIENCE, refusesStatement } from './errors.ts'
import { createReader } from './reader.ts'
import { lockServer, type ServerLock } from './server-lock.ts'
import { textIndex, textIndexStatements } from './text-index.ts'
import { createWriter } from './writer.ts'

export { lockServer } from './server-lock.ts'

/** A read waits only for a process that is recovering the log; the event loop is blocked for that time. */
const READ_PATIENCE: Millis = 250

/** The file in `DATA_DIR` that is the database. */
export const DATABASE_FILE = 'postern.db'

export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, DATABASE_FILE))
}

/** What belongs to the database file: SQLite writes into it what a log beside it holds. */
const PARTS = ['', '-wal', '-shm', '-journal']

/** @returns the first file of a database in `dataDir`, or of the log of one; undefined where there is none */
export function findDatabaseFile(dataDir: string): string | undefined {
  return PARTS.map((end) => join(dataDir, DATABASE_FILE + end)).find((file) => existsSync(file))
}

interface SqliteOptions {
  /**
   * Whether it is opened to be served. It is then claimed before a file is touched, so that a process that is refused neither
   * reads a database that another is just making nor changes it.
   */
  serves?: boolean
  /** Called once, when nothing can be written any more: only a new start can find out what the disk holds. */
  onBroken?: (error: Error) => void
  /** Called with the error of a checkpoint that failed; it is tried again after the next commit. */
  onTrouble?: (error: Error) => void
}

/** A commit, and each checkpoint, is flushed to the disk; on macOS through the disk's own cache as well. */
const PRAGMAS = 'pragma synchronous=full; pragma fullfsync=on; pragma checkpoint_fullfsync=on'

/**
 * The embedded engine: one file in `dataDir`, one connection that writes (`writer.ts`) and one that reads. A commit is
 * flushed to the disk before its caller gets its result; a relaxed one is not.
 */
export function openSqlite(
  dataDir: string,
  { serves = false, onBroken = () => {}, onTrouble = () => {} }: SqliteOptions = {},
): Engine {
  makeFolder(dataDir)
  const file = join(dataDir, DATABASE_FILE)
  let lock: ServerLock | undefined = serves ? lockServer(dataDir) : undefined
  const writing = openWriting(file, () => lock?.release())
  // Opened late: where another thread of the server only reads, closing a descriptor would take the locks of the whole process away.
  let descriptor: number | undefined
  const openDescriptor = () => {
    descriptor ??= openSync(file, 'r')
    return descriptor
  }
  const reader = new DatabaseSync(file, { timeout: READ_PATIENCE, readOnly: true })
  const readConnection = new SqliteConnection(reader)
  const db = guardDb(new Kysely<Tables>({ dialect: sqliteDialect(readConnection) }), readConnection.execute)
  const reading = createReader({ file, patience: READ_PATIENCE })
  const checkpoints = createCheckpoints(writing, { file, openDescriptor, onBroken, onTrouble })
  const writer = createWriter({ database: writing, afterCommit: checkpoints.afterCommit, onBroken })
  // From here on `writer.ts` waits for locks without blocking the event loop. The statements before had to wait in SQLite: they
  // read the schema, which another process may have been making.
  writing.exec('pragma busy_timeout=0')

  const access: Access = {
    db,
    tx: (run) => writer.write(run, true),
    // The embedded engine has no round trips to save.
    brief: (run) => writer.write(run, true),
    relaxed: (run) => writer.write(run, false),
  }

  /** One process has the data at a time. @throws Error in plain words */
  function claim(command?: string): void {
    lock ??= lockServer(dataDir, command)
    // What a killed process had written and not yet flushed was read back as if it had been: now it is on the disk.
    writing.exec('pragma wal_checkpoint(passive)')
  }

  return {
    name: 'sqlite',
    dialect: {
      integer: 'integer',
      bytes: 'blob',
      real: 'real',
      table: ' strict',
      volatile: '',
      appendOnly,
      // A check by the parent's key takes a microsecond, and locks nothing.
      unchecked: (parent) => ` references ${parent} (id) on delete cascade`,
      follows: () => [],
      uniqueIndex: (table, column) => `create unique index ${table}_${column}_key on ${table} (${column})`,
      serial: 'integer primary key',
      textIndex: textIndexStatements,
    },
    shared: false,
    ...access,
    background: access,
    reserved: access,
    patient: access,
    lookups: db,
    textIndex,
    reader: reading,
    channel: undefined,
    host: () => undefined,
    waiting: writer.waiting,
    skipLocked: (query) => query,
    async tables() {
      const { rows } = await sql<{
        name: string
      }>`select name from sqlite_master where type = 'table'`.execute(db)
      return new Set(rows.map(({ name }) => name))
    },
    exclusively: (work) =>
      access.tx(work).catch((error: unknown) => {
        throw explainSqliteError(error, file)
      }),
    announce: async () => {},
    lowestServer: async () => undefined,
    claimServer: async () => claim(),
    claimAlone: async (command) => claim(command),
    isUniqueViolation,
    refusesStatement,
    async close() {
      await writer.idle()
      if (!writing.isOpen) return
      await checkpoints.close()
      await reading.close()
      reader.close()
      writing.close()
      if (descriptor !== undefined) closeSync(descriptor)
      lock?.release()
    },
  }
}

/**
 * @param giveUp is called where it cannot be opened
 * @throws Error in plain words
 */
function openWriting(file: string, giveUp: () => void): DatabaseSync {
  try {
    if (existsSync(file)) accessSync(file, constants.W_OK)
    // The log and the shared memory beside it get the rights that it has.
    makePrivateFile(file)
    const database = new DatabaseSync(file, { timeout: LOCK_PATIENCE, enableForeignKeyConstraints: true })
    database.exec(`pragma journal_mode=wal; ${PRAGMAS}; pragma cache_size=-4000; pragma temp_store=memory`)
    return database
  } catch (error) {
    giveUp()
    throw explainSqliteError(error, file)
  }
}

function appendOnly(table: string): string[] {
  return ['update', 'delete'].map(
    (verb) =>
      `create trigger ${table}_no_${verb} before ${verb} on ${table}
        begin select raise(abort, '${table} is append-only'); end`,
  )
}
