import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Clock, type Millis, pause, SECOND } from '../../core/clock.ts'
import { createLoop } from '../../core/loop.ts'
import type { Access } from '../engine/engine.ts'
import type { Db, Tx } from '../engine/handles.ts'

/** A row that was not renewed for this long belongs to a process that has ended. */
const LIFETIME: Millis = 15 * SECOND
const RENEWAL: Millis = 5 * SECOND
/** How often rows are read while those of killed processes expire. */
const POLL: Millis = 500

/** The database's clock, because the clocks of the processes may differ. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Announces a process by a row with a heartbeat, for connections behind a pooler, which cannot hold session locks. */
interface PresenceRow {
  /** @returns false while another process has claimed the database exclusively */
  take(): Promise<boolean>
  /** Whether any process renews a row; waits until the rows of killed processes have expired. */
  isTaken(): Promise<boolean>
  /** @returns the lowest schema version of the processes with a row; undefined without one */
  lowest(tx: Tx): Promise<number | undefined>
  end(): Promise<void>
}

/**
 * @param lock the advisory lock of a process that has claimed the database exclusively
 * @param schema the schema version of this program; the id begins with it
 */
export function createPresenceRow(
  { db, tx }: Access,
  lock: number,
  { clock, schema, onError }: { clock: Clock; schema: number; onError: (error: Error) => void },
): PresenceRow {
  const id = `${schema} ${randomUUID()}`
  const renewals = createLoop({
    ...{ clock, every: RENEWAL, first: RENEWAL, run: renew },
    log: { error: (data, message) => onError(new Error(message, { cause: (data as { err: unknown }).err })) },
    name: 'that this process is there could not be written',
  })
  let isHeld = false

  /**
   * Writes the row, unless another process has claimed the database. It is one statement, so that no claim happens in between.
   * @returns whether it did
   */
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
    if (!(await write())) onError(new Error('another process has the database alone while this one serves'))
  }

  async function alive(by: Db | Tx = db): Promise<Map<string, number>> {
    const rows = await by.selectFrom('presence').selectAll().where('alive_until', '>', NOW).execute()
    return new Map(rows.map((row) => [row.id, row.alive_until]))
  }

  return {
    async take() {
      await tx((tx) => tx.deleteFrom('presence').where('alive_until', '<', NOW).execute())
      if (!(await write())) return false
      isHeld = true
      renewals.start()
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
    async lowest(tx) {
      const { rows } = await sql<{
        table: string | null
      }>`select to_regclass('presence')::text as table`.execute(tx)
      if (rows[0]?.table == null) return undefined
      const schemas = [...(await alive(tx)).keys()].flatMap((one) =>
        Number(/^(\d{1,6}) /.exec(one)?.[1] ?? []),
      )
      return schemas.length === 0 ? undefined : Math.min(...schemas)
    },
    async end() {
      if (!isHeld) return
      isHeld = false
      // A running renewal would write the row again.
      await renewals.stop()
      await tx((tx) => tx.deleteFrom('presence').where('id', '=', id).execute()).catch(() => {})
    },
  }
}
