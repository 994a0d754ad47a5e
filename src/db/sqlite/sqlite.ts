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

/** How long a read waits for a process that recovers the log. The wait blocks the event loop. */
const READ_PATIENCE: Millis = 250

/** The file in `DATA_DIR` that is the database. */
export const DATABASE_FILE = 'postern.db'

export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, DATABASE_FILE))
}

/** The suffixes of the database's files. SQLite writes the content of a present log into the database. */
const PARTS = ['', '-wal', '-shm', '-journal']

/** @returns the first existing file of a database in `dataDir`; undefined without one */
export function findDatabaseFile(dataDir: string): string | undefined {
  return PARTS.map((end) => join(dataDir, DATABASE_FILE + end)).find((file) => existsSync(file))
}

interface SqliteOptions {
  /**
   * Whether the process serves the data. The lock is then taken before any file is opened, so that a refused process neither reads nor
   * changes a database that another process is creating.
   */
  serves?: boolean
  /** Called once, when writes are no longer possible: only a new start can read the state from the disk. */
  onBroken?: (error: Error) => void
  /** Called with the error of a failed checkpoint; the next commit triggers another attempt. */
  onTrouble?: (error: Error) => void
}

/** Commits and checkpoints are flushed to the disk; on macOS also through the disk's cache. */
const PRAGMAS = 'pragma synchronous=full; pragma fullfsync=on; pragma checkpoint_fullfsync=on'

/**
 * The embedded engine: one file in `dataDir`, one connection that writes (`writer.ts`) and one that reads. A commit is flushed to the
 * disk before its promise resolves, except for a relaxed one.
 */
export function openSqlite(
  dataDir: string,
  { serves = false, onBroken = () => {}, onTrouble = () => {} }: SqliteOptions = {},
): Engine {
  makeFolder(dataDir)
  const file = join(dataDir, DATABASE_FILE)
  let lock: ServerLock | undefined = serves ? lockServer(dataDir) : undefined
  const writing = openWriting(file, () => lock?.release())
  // Opened on demand, because closing any descriptor of the file releases SQLite's locks of the whole process.
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
  // From now on `writer.ts` waits for locks without blocking the event loop. The statements above wait in SQLite, because they read the
  // schema, which another process may be creating.
  writing.exec('pragma busy_timeout=0')

  const access: Access = {
    db,
    tx: (run) => writer.write(run, true),
    // The embedded engine has no round trips to save.
    brief: (run) => writer.write(run, true),
    relaxed: (run) => writer.write(run, false),
  }

  /** Claims the data for this process. @throws Error in plain words */
  function claim(command?: string): void {
    lock ??= lockServer(dataDir, command)
    // Flushes commits of a killed process that were readable but not yet on the disk.
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
      // A foreign key check takes a microsecond here, and needs no lock.
      unchecked: (parent) => ` references ${parent} (id) on delete cascade`,
      follows: () => [],
      uniqueIndex: (table, column) => `create unique index ${table}_${column}_key on ${table} (${column})`,
      serial: 'integer primary key',
      textIndex: textIndexStatements,
    },
    shared: false,
    standby: undefined,
    ...access,
    background: access,
    reserved: access,
    requests: access,
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
    joined: (statements) => statements,
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
 * @param giveUp called where the file cannot be opened
 * @throws Error in plain words
 */
function openWriting(file: string, giveUp: () => void): DatabaseSync {
  try {
    if (existsSync(file)) accessSync(file, constants.W_OK)
    // SQLite creates the log and the shared memory with the same permissions.
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
