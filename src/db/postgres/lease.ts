import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Clock, type Millis, pause, SECOND } from '../../core/clock.ts'
import type { Access } from '../engine/engine.ts'

/** A process that was not heard of for so long is gone. */
const LIFETIME: Millis = 15 * SECOND
const RENEWAL: Millis = 5 * SECOND
/** While others may still be there, they are looked for this often. */
const POLL: Millis = 500

/** The database's own clock: those of the processes need not agree. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** That a process is there, as a row that it renews: for where no session is its own, and so no lock of a session. */
export interface Lease {
  /** @returns false while another has the database alone */
  take(): Promise<boolean>
  /** Whether any process renews a row. One that was killed is waited for until its row has run out. */
  isTaken(): Promise<boolean>
  end(): Promise<void>
}

/** @param lock the advisory lock that whoever has the database alone holds */
export function createLease(
  { db, tx }: Access,
  lock: number,
  { clock, onError }: { clock: Clock; onError: (error: Error) => void },
): Lease {
  const id = randomUUID()
  let cancel: (() => void) | undefined

  /** Looks whether another is alone, and writes the row, in one statement: nobody comes in between. */
  function write(): Promise<boolean> {
    const isThere = sql`select 1 from presence where id = ${id} and alive_until > ${NOW}`
    return tx(async (tx) => {
      const { rows } = await sql`
        insert into presence (id, alive_until)
        select ${id}, ${NOW} + ${LIFETIME}::bigint
        where exists (${isThere}) or pg_try_advisory_xact_lock_shared(${lock}::bigint)
        on conflict (id) do update set alive_until = excluded.alive_until returning id`.execute(tx)
      return rows.length > 0
    })
  }

  async function renew(): Promise<void> {
    try {
      if (!(await write())) onError(new Error('another process has the database alone while this one serves'))
    } catch (cause) {
      onError(new Error('that this process is there could not be written', { cause }))
    }
    schedule()
  }

  function schedule(): void {
    if (cancel !== undefined) cancel = clock.after(RENEWAL, () => void renew())
  }

  async function alive(): Promise<Map<string, number>> {
    const rows = await db.selectFrom('presence').selectAll().where('alive_until', '>', NOW).execute()
    return new Map(rows.map((row) => [row.id, row.alive_until]))
  }

  return {
    async take() {
      await tx((tx) => tx.deleteFrom('presence').where('alive_until', '<', NOW).execute())
      if (!(await write())) return false
      cancel = () => {}
      schedule()
      return true
    },
    async isTaken() {
      const before = await alive()
      for (let now = before; now.size > 0; now = await alive()) {
        for (const [one, until] of now) if (until !== before.get(one)) return true
        await pause(POLL)
      }
      return false
    },
    async end() {
      if (cancel === undefined) return
      cancel()
      cancel = undefined
      await tx((tx) => tx.deleteFrom('presence').where('id', '=', id).execute()).catch(() => {})
    },
  }
}
