import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { MINUTE } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'
import { freeLost, lostClaims } from '#src/jobs/queue/lost-claims.ts'
import type { QueueRows } from '#src/jobs/queue/queue-rows.ts'
import { useDatabase } from './support/database.ts'
import { onBothEngines } from './support/store.ts'

const NOW = 1_795_000_000_000
/** Jobs that have ended, and claims of a worker that has died: more than one statement frees. */
const [ENDED, LOST] = [20_000, 1_100]

onBothEngines('what the dead have claimed', (engine) => {
  const open = useDatabase(engine)

  it('is found by the index of claims in a table that fills, and freed to the last', async () => {
    const database = await open()
    const organization = newId('organization', NOW)
    const numbers = (count: number) =>
      engine === 'sqlite'
        ? sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n)`
        : sql`generate_series(1, ${sql.lit(count)}) as n (i)`
    const rows: QueueRows = { table: 'job', lane: 'lane_id', kind: 'file' }
    const write = (count: number, status: string, claim: string | null) =>
      database.tx((tx) =>
        sql`insert into job (id, kind, organization_id, lane_id, cap, payload, status, attempts, begun, due_at, horizon_at,
            claim_id, created_at, updated_at)
          select ${sql.lit(`${status}_${claim ?? ''}_`)} || i, 'file', ${sql.lit(organization)}, 'lane', 1, '{}', ${sql.lit(status)}, 0, 0,
            ${sql.lit(NOW)}, ${sql.lit(NOW)}, ${claim === null ? sql`null` : sql.lit(claim)}, ${sql.lit(NOW)}, ${sql.lit(NOW)}
          from ${numbers(count)}`.execute(tx),
      )
    await database.tx((tx) =>
      sql`insert into organization (id, name, plan, created_at) values (${organization}, 'Acme', 'free', ${NOW})`.execute(
        tx,
      ),
    )
    await write(ENDED, 'done', null)

    const query = lostClaims(database.db, rows).compile()
    const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
    const plan = await database.lookups.executeQuery<object>(
      CompiledQuery.raw(`${how} ${query.sql}`, [...query.parameters]),
    )
    const lines = plan.rows.map((one) => Object.values(one).join(' ')).join('\n')
    assert.match(lines, /job_claim/)
    assert.doesNotMatch(lines, /Seq Scan on job|SCAN job(?! USING INDEX job_claim)|TEMP B-TREE/)

    await write(LOST, 'pending', 'dead')
    await write(10, 'pending', 'alive')
    await createLeaseStore(database).join('alive', NOW + MINUTE)
    await freeLost(database, rows, NOW)
    const claims = await sql<{ claim: string | null; count: number }>`
      select claim_id as claim, count(*) as count from job where status = 'pending' group by claim_id`.execute(
      database.db,
    )
    const counts = Object.fromEntries(claims.rows.map(({ claim, count }) => [String(claim), Number(count)]))
    assert.deepEqual(counts, { null: LOST, alive: 10 })
  })
})
