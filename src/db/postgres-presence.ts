import pg from 'pg'
import { type Clock, SECOND } from '../core/clock.ts'
import { connectionSettings } from './postgres-pool.ts'

/** Any fixed number: whoever serves a database holds this lock with the others, who must be alone holds it alone. */
const PRESENCE_LOCK = 7_238_911_403

/** A connection that was lost is replaced after this long at the earliest. */
const AGAIN = SECOND

/** Who is at work on a database of several processes: a lock of a connection, so that it ends with its process. */
export interface Presence {
  /** @throws Error in plain words while another has the database alone */
  claimServer(): Promise<void>
  /** @throws Error in plain words while others are at work */
  claimAlone(): Promise<void>
  close(): Promise<void>
}

export function createPresence(
  databaseUrl: string,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Presence {
  let held: pg.Client | undefined
  let isOver = false
  let cancel = () => {}

  async function take(lock: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared'): Promise<boolean> {
    const client = new pg.Client({
      ...connectionSettings(databaseUrl),
      application_name: 'postern presence',
    })
    // That it is lost is told by its end.
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ held: boolean }>(`select ${lock}(${PRESENCE_LOCK}) as held`)
    if (rows[0]?.held !== true || isOver) {
      await client.end()
      return false
    }
    held = client
    return true
  }

  /** A server goes on through an outage of the database, and is counted again after it. */
  function keep(): void {
    held?.once('end', () => {
      if (!isOver) onError(new Error('the connection that shows that this process is there was lost'))
      again()
    })
  }

  function again(): void {
    if (isOver) return
    cancel = clock.after(AGAIN, () => {
      void take('pg_try_advisory_lock_shared')
        .catch(() => false)
        .then((isTaken) => (isTaken ? keep() : again()))
    })
  }

  return {
    async claimServer() {
      if (!(await take('pg_try_advisory_lock_shared')))
        throw new Error('The key of this database is being changed. Start again when that is done.')
      keep()
    },
    async claimAlone() {
      if (!(await take('pg_try_advisory_lock')))
        throw new Error('Postern runs on this database. Stop all of its processes first.')
    },
    async close() {
      isOver = true
      cancel()
      await held?.end().catch(() => {})
    },
  }
}
