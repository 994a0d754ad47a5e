import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { HOUR, type Millis, SECOND, turn } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Database, Db } from '#src/db/database.ts'
import { createClockCorrection } from '#src/jobs/queue/clock-correction.ts'
import type { QueueRows } from '#src/jobs/queue/queue-rows.ts'
import { useDatabase } from './support/database.ts'
import { writeWebhooks } from './support/many-webhooks.ts'
import { onBothEngines } from './support/store.ts'

const NOW = 1_795_000_000_000
/** Rows that wait in each of two lanes, for now and for later, and the rows of one step. */
const [EACH, STEP] = [2_000, 500]
/** Of what waits for later, one in so many waits for a moment of a clock that was ahead. */
const ONE_IN = 500

const QUEUES: QueueRows[] = [
  { table: 'delivery', lane: 'webhook_id' },
  { table: 'job', lane: 'lane_id', kind: 'file' },
]

interface Row {
  id: string
  lane: string
  due_at: Millis
}

onBothEngines('what waits for a moment of a clock that was ahead', (engine) => {
  const open = useDatabase(engine)

  /** Notes what is asked beside transactions. */
  function noting(database: Database): { database: Database; asked: CompiledQuery[] } {
    const asked: CompiledQuery[] = []
    const { db } = database
    const noted = {
      getExecutor: () => db.getExecutor(),
      withoutPlugins: () => db.withoutPlugins(),
      executeQuery<Row>(query: CompiledQuery<Row>) {
        // Its own list, for that of the query is let go of.
        asked.push({ ...query, parameters: [...query.parameters] })
        return db.executeQuery(query)
      },
    }
    return { database: { ...database, db: noted as unknown as Db }, asked }
  }

  async function write(database: Database, { table }: QueueRows): Promise<void> {
    const organization = newId('organization', NOW)
    await database.tx((tx) =>
      sql`insert into organization (id, name, plan, created_at) values (${organization}, ${table}, 'free', ${NOW})`.execute(
        tx,
      ),
    )
    const lanes = await writeWebhooks(database, organization, 2, NOW)
    const event: Id<'event'> = newId('event', NOW)
    const ids = ['00', '01']
    const numbers = engine === 'sqlite' ? sql`n` : sql`generate_series(0, ${sql.lit(EACH - 1)}) as n (i)`
    const recursive =
      engine === 'sqlite'
        ? sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < ${sql.lit(EACH - 1)})`
        : sql``
    const isWrong = sql`i % ${sql.lit(ONE_IN)} = 7`
    await database.tx(async (tx) => {
      await sql`insert into event (id, organization_id, type, body, created_at)
        values (${event}, ${organization}, 'a.b', ${Buffer.from('{}')}, ${NOW})`.execute(tx)
      for (const [index, lane] of lanes.entries()) {
        const of = { number: sql.lit(`_${ids[index]}_`), lane: sql.lit(lane), to: sql.lit(organization) }
        const later = sql`${sql.lit(NOW + HOUR)} + i`
        const updated = sql`case when ${isWrong} then ${sql.lit(NOW + HOUR)} else ${sql.lit(NOW)} end`
        const each = { due: sql`${sql.lit(NOW - HOUR)} + i`, later }
        for (const [when, due] of Object.entries(each))
          await (table === 'delivery'
            ? sql`insert into delivery (id, organization_id, webhook_id, event_id, event_type, status, attempts, due_at,
                  horizon_at, claim_id, created_at, updated_at)
                ${recursive} select ${sql.lit(`${when}`)} || ${of.number} || i, ${of.to}, ${of.lane}, ${sql.lit(event)}, 'a.b', 'pending', 0,
                  ${due}, ${sql.lit(NOW + 24 * HOUR)}, null, ${sql.lit(NOW)}, ${updated} from ${numbers}`
            : sql`insert into job (id, kind, organization_id, lane_id, cap, payload, status, attempts, begun, due_at,
                  horizon_at, claim_id, created_at, updated_at)
                ${recursive} select ${sql.lit(`${when}`)} || ${of.number} || i, 'file', ${of.to}, ${of.lane}, 1, '{}', 'pending', 0, 0,
                  ${due}, ${sql.lit(NOW + 24 * HOUR)}, null, ${sql.lit(NOW)}, ${updated} from ${numbers}`
          ).execute(tx)
      }
    })
    if (engine === 'postgres') await database.tx((tx) => sql`analyze ${sql.table(table)}`.execute(tx))
  }

  for (const rows of QUEUES)
    it(`is found among ${rows.table === 'delivery' ? 'deliveries' : 'jobs'} a few at a time, by the index of what waits, and past what is due`, async () => {
      const real = await open()
      await write(real, rows)
      const { database, asked } = noting(real)
      let turns = 0
      let isOver = false
      const finding = createClockCorrection(
        database,
        rows,
      )(NOW).finally(() => {
        isOver = true
      })
      for (; !isOver; turns += 1) await turn()
      const lanes = await finding

      const table = sql.table(rows.table)
      const { rows: corrected } =
        await sql<Row>`select id, ${sql.ref(rows.lane)} as lane, due_at from ${table}
        where updated_at = ${NOW} and due_at = ${NOW}`.execute(real.db)
      assert.deepEqual([...new Set(corrected.map(({ lane }) => lane))].sort(), lanes.toSorted())
      const wrong = Array.from({ length: EACH / ONE_IN }, (_, index) => 7 + index * ONE_IN)
      assert.deepEqual(
        corrected.map(({ id }) => id).sort(),
        ['00', '01'].flatMap((lane) => wrong.map((index) => `later_${lane}_${index}`)).sort(),
      )
      // A step of what is due in each lane, and all steps of what is not; two statements each.
      const steps = 2 * (1 + EACH / STEP) + 1
      assert.ok(asked.length <= 2 * (steps + 2), `${asked.length} statements`)
      assert.ok(turns >= steps - 1, `${turns} turns of the event loop for ${steps} steps`)

      const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
      for (const { sql: text, parameters } of [asked[0], asked[1], ...asked.slice(-2)] as CompiledQuery[]) {
        const plan = await real.db.executeQuery<object>(CompiledQuery.raw(`${how} ${text}`, [...parameters]))
        const lines = plan.rows.map((one) => Object.values(one).join(' ')).join('\n')
        assert.match(lines, new RegExp(`${rows.table}_due`), text)
        assert.doesNotMatch(lines, /Seq Scan|Bitmap|SCAN (delivery|job)|TEMP B-TREE|Sort/, text)
      }
      const ours = await createClockCorrection(real, rows)(NOW + 2 * HOUR + SECOND)
      assert.deepEqual(ours, [])
    })
})
