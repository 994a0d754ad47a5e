import { sql } from 'kysely'
import type pg from 'pg'
import { type Clock, SECOND } from '../../core/clock.ts'
import { commandRunning } from '../engine/command-running.ts'
import type { Access } from '../engine/engine.ts'
import type { Tx } from '../engine/handles.ts'
import type { Hosts } from './hosts.ts'
import { createPresenceRow } from './presence-row.ts'

/** An advisory lock (an arbitrary fixed number): servers hold it shared, a command that needs the database alone holds it exclusively. */
const PRESENCE_LOCK = 7_238_911_403

/** The first key of an advisory lock; the second is the schema version. A server holds it, so that others see its schema version. */
const SCHEMA_LOCKS = 723_891

/** The pause before a lost connection is replaced. */
const RETRY = SECOND

/** The timeout of these queries, which the server answers at once. */
const PATIENCE = 5 * SECOND

/**
 * The processes that use a database. A process with its own session holds a session lock, which ends with it. Behind a pooler a server
 * renews a row, and a command that needs the database alone keeps a transaction open, whose lock all servers see.
 */
interface Presence {
  /** As `claimServer`, but only by a session lock, because the table of the rows may not exist yet. */
  announce(): Promise<void>
  /** @returns the lowest schema version of the servers of this database; undefined without one */
  lowestServer(tx: Tx): Promise<number | undefined>
  /** @throws Error in plain words while a command has claimed the database exclusively */
  claimServer(): Promise<void>
  /** @param command the command that claims the database; refusals of other processes name it. @throws Error in plain words while others use it */
  claimAlone(command: string): Promise<void>
  close(): Promise<void>
}

/** The message where the command is unknown. */
const TAKEN =
  'A command has this database alone: its key is being changed, or its rows are being moved. Start again when that is done.'

/** The `application_name` of a connection that holds the lock: the command (`claimAlone`), or that of a server. */
const NAMES = /^postern [a-z-]{1,32}$/
const SERVER_NAME = 'postern presence'

const LOCKS = {
  shared: { session: 'pg_try_advisory_lock_shared', transaction: undefined },
  alone: { session: 'pg_try_advisory_lock', transaction: 'pg_try_advisory_xact_lock' },
} as const

/** `held`: by a lock of the session or of an open transaction. `by a row`: the connection can hold no lock. */
type LockResult = 'held' | 'refused' | 'by a row'

/**
 * @param access reads and writes the rows
 * @param schema the schema version of this program
 */
export function createPresence(
  hosts: Hosts,
  access: Access,
  { clock, schema, onError }: { clock: Clock; schema: number; onError: (error: Error) => void },
): Presence {
  const presenceRow = createPresenceRow(access, PRESENCE_LOCK, { clock, schema, onError })
  let held: pg.Client | undefined
  let isOver = false
  let cancel = () => {}

  async function take(who: keyof typeof LOCKS, name = SERVER_NAME): Promise<LockResult> {
    // A lost connection is handled at the event `end`.
    const { client, isOwn } = await hosts.connect({
      application_name: name,
      query_timeout: PATIENCE,
    })
    const taken = await lockOn(client, isOwn, { who, schema })
    if (taken !== 'held' || isOver) {
      await client.end()
      return taken === 'held' ? 'refused' : taken
    }
    held = client
    return taken
  }

  /** Takes the lock again after a lost connection, because a server survives an outage of the database. */
  function keep(): void {
    held?.once('end', () => {
      if (!isOver) onError(new Error('the connection that shows that this process is there was lost'))
      retry()
    })
  }

  function retry(): void {
    if (isOver) return
    cancel = clock.after(RETRY, () => {
      void take('shared')
        .catch(() => 'refused')
        .then((taken) => (taken === 'held' ? keep() : retry()))
    })
  }

  /** @returns the message about the command that has claimed the database; undefined where it is unknown */
  async function findCommand(): Promise<string | undefined> {
    const { rows } = await sql<{ name: string | null; since: number | null; database: string }>`
      select application_name as name, current_database() as database,
        (extract(epoch from coalesce(xact_start, backend_start)) * 1000)::bigint as since
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and objsubid = 1
        and classid::bigint = ${PRESENCE_LOCK}::bigint >> 32 and objid::bigint = ${PRESENCE_LOCK}::bigint & 4294967295
        and pg_locks.database = (select oid from pg_database where datname = current_database())`.execute(
      access.db,
    )
    const [{ name, since, database } = { name: null, since: null, database: '' }] = rows
    if (since === null || !NAMES.test(name ?? '')) return undefined
    return commandRunning(`the database "${database}"`, { command: String(name), since: Number(since) })
  }

  async function takeSession(): Promise<LockResult> {
    if (held !== undefined) return 'held'
    const taken = await take('shared')
    if (taken === 'refused') throw new Error((await findCommand()) ?? TAKEN)
    if (taken === 'held') keep()
    return taken
  }

  return {
    announce: async () => void (await takeSession()),
    async lowestServer(tx) {
      const { rows } = await sql<{ lowest: number | null }>`
        select min(objid::bigint)::int as lowest from pg_locks
        where locktype = 'advisory' and classid = ${SCHEMA_LOCKS} and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database())`.execute(tx)
      const all = [rows[0]?.lowest ?? undefined, await presenceRow.lowest(tx)].filter(
        (one) => one !== undefined,
      )
      return all.length === 0 ? undefined : Math.min(...all)
    },
    async claimServer() {
      if ((await takeSession()) === 'by a row' && !(await presenceRow.take()))
        throw new Error((await findCommand()) ?? TAKEN)
    },
    async claimAlone(command) {
      const isRefused = (await take('alone', command)) === 'refused'
      if (isRefused || (await presenceRow.isTaken()))
        throw new Error(
          (isRefused ? await findCommand() : undefined) ??
            'Postern runs on this database. Stop all of its processes first.',
        )
    },
    async close() {
      isOver = true
      cancel()
      await presenceRow.end()
      // Released before the connection ends, because the server may notice the end late.
      await held?.query('rollback; select pg_advisory_unlock_all()').catch(() => {})
      await held?.end().catch(() => {})
    },
  }
}

async function lockOn(
  client: pg.Client,
  isOwn: boolean,
  { who, schema }: { who: keyof typeof LOCKS; schema: number },
): Promise<LockResult> {
  const { session, transaction } = LOCKS[who]
  if (!isOwn && transaction === undefined) return 'by a row'
  if (!isOwn) await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query<{ held: boolean }>(
    `select ${isOwn ? session : transaction}(${PRESENCE_LOCK}) as held`,
  )
  if (rows[0]?.held !== true) return 'refused'
  if (who === 'shared') await client.query(`select pg_advisory_lock_shared(${SCHEMA_LOCKS}, ${schema})`)
  return 'held'
}
