import type pg from 'pg'
import { type Clock, SECOND } from '../../core/clock.ts'
import type { Access } from '../engine/engine.ts'
import type { Hosts } from './hosts.ts'
import { createPresenceRow } from './presence-row.ts'

/** Any fixed number. Servers of a database share this lock; a command that must be alone holds it exclusively. */
const PRESENCE_LOCK = 7_238_911_403

/** A connection that was lost is replaced after this long at the earliest. */
const RETRY = SECOND

/** These queries are answered at once, unless the network has lost them. */
const PATIENCE = 5 * SECOND

/**
 * Which processes are at work on a database. Where a connection has a session of its own, a process holds a lock of the session,
 * which ends with it. Behind a pooler a server renews a row, and a command that must be alone keeps a transaction open, whose
 * lock all servers see.
 */
interface Presence {
  /** @throws Error in plain words while another has the database alone */
  claimServer(): Promise<void>
  /** @throws Error in plain words while others are at work */
  claimAlone(): Promise<void>
  close(): Promise<void>
}

const TAKEN =
  'A command has this database alone: its key is being changed, or its rows are being moved. Start again when that is done.'

const LOCKS = {
  shared: { session: 'pg_try_advisory_lock_shared', transaction: undefined },
  alone: { session: 'pg_try_advisory_lock', transaction: 'pg_try_advisory_xact_lock' },
} as const

/** A lock of the session, or of a transaction that stays open; or there is none to be had but by a row. */
type Taken = 'held' | 'refused' | 'by a row'

/** @param access reads and writes the rows */
export function createPresence(
  hosts: Hosts,
  access: Access,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Presence {
  const presenceRow = createPresenceRow(access, PRESENCE_LOCK, { clock, onError })
  let held: pg.Client | undefined
  let isOver = false
  let cancel = () => {}

  async function take(who: keyof typeof LOCKS): Promise<Taken> {
    // A loss is handled at the event `end`.
    const { client, isOwn } = await hosts.connect({
      application_name: 'postern presence',
      query_timeout: PATIENCE,
    })
    const taken = await lockOn(client, isOwn, who)
    if (taken !== 'held' || isOver) {
      await client.end()
      return taken === 'held' ? 'refused' : taken
    }
    held = client
    return taken
  }

  /** A server keeps running through an outage of the database, and takes the lock again after it. */
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

  return {
    async claimServer() {
      const taken = await take('shared')
      if (taken === 'refused' || (taken === 'by a row' && !(await presenceRow.take()))) throw new Error(TAKEN)
      keep()
    },
    async claimAlone() {
      if ((await take('alone')) === 'refused' || (await presenceRow.isTaken()))
        throw new Error('Postern runs on this database. Stop all of its processes first.')
    },
    async close() {
      isOver = true
      cancel()
      await presenceRow.end()
      // The lock is released before the connection ends, so that the next command need not wait until the server notices the end.
      await held?.query('rollback; select pg_advisory_unlock_all()').catch(() => {})
      await held?.end().catch(() => {})
    },
  }
}

async function lockOn(client: pg.Client, isOwn: boolean, who: keyof typeof LOCKS): Promise<Taken> {
  const { session, transaction } = LOCKS[who]
  if (!isOwn && transaction === undefined) return 'by a row'
  if (!isOwn) await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query<{ held: boolean }>(
    `select ${isOwn ? session : transaction}(${PRESENCE_LOCK}) as held`,
  )
  return rows[0]?.held === true ? 'held' : 'refused'
}
