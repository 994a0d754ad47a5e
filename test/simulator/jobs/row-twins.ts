import assert from 'node:assert/strict'
import { DAY, type Millis } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Database } from '#src/db/database.ts'
import { NO_ORGANIZATION } from '#src/jobs/job.ts'
import type { LeaseStore } from '#src/jobs/lease/lease.ts'
import { createLeaseStore } from '#src/jobs/lease/lease-store.ts'
import { addJob, cancelJob, endJobs, type RowJob } from '#src/jobs/rows/row.ts'
import { createRowStore, type RowStore } from '#src/jobs/rows/row-store.ts'
import { allOnDisk, createComparison } from '../compare.ts'
import { createModelLeases } from '../workers.ts'
import { cancelRow, createJobDisk, createModelRows, type JobRow, writeRow } from './row-model.ts'

/** The kind of the jobs, and another kind. */
const [KIND, OTHER] = ['twins', 'stranger']
/** Lanes that both look at in one go. */
const PAGE = 2

export interface Lane {
  id: string
  organizationId: Id<'organization'>
  cap: number
}

/** The SQL store of jobs in rows and the simulator's model of it, on which the same is done. */
export interface RowTwins {
  lanes: Lane[]
  rows(): JobRow[]
  /** Does the same with both, and sees that both answer the same and have the same afterwards. */
  both<T>(work: (store: RowStore & { lease: LeaseStore }) => Promise<T>): Promise<T>
  add(
    lane: Lane,
    what: { payload: unknown; dueAt: Millis; horizon: Millis; claimer?: string },
    now: Millis,
  ): Promise<RowJob>
  cancel(row: Pick<JobRow, 'id' | 'organizationId'>, now: Millis): Promise<JobRow['status'] | undefined>
  /** Cancels all jobs of an organization. */
  end(organizationId: Id<'organization'>, now: Millis): Promise<void>
}

export async function createRowTwins(database: Database, start: Millis): Promise<RowTwins> {
  const disk = createJobDisk()
  const told: Record<'real' | 'model', string[]> = { real: [], model: [] }
  const { shared } = database
  const modelRows = createModelRows({
    ...{ disk, shared, pageSize: PAGE },
    onSettled: (id, status, result) => void told.model.push(`${id} ${status} ${JSON.stringify(result)}`),
  })
  const realRows = createRowStore({
    database: allOnDisk(database),
    ...{ kind: KIND, page: PAGE },
    onSettled: async (_, { job, status, result }) =>
      void told.real.push(`${job.id} ${status} ${JSON.stringify(result)}`),
  })
  const model = { ...modelRows, lease: createModelLeases({ disk, shared }) }
  const real = { ...realRows, lease: createLeaseStore(allOnDisk(database)) }
  const organizations = [newId('organization', start), newId('organization', start + 1)] as const
  const lanes = ['a', 'b', 'c', 'd'].map((id, index) => ({
    ...{ id, cap: index + 1 },
    organizationId: organizations[index < 3 ? 0 : 1],
  }))
  const blank = { plan: 'free', flags: '{}', created_at: start }
  const stranger = await database.tx(async (tx) => {
    for (const id of organizations)
      await tx
        .insertInto('organization')
        .values({ id, name: id, ...blank })
        .execute()
    // In a lane of the same name: no statement about one kind touches it.
    const life = { dueAt: start, horizon: start + DAY, cap: 1, payload: {}, claimer: 'somebody' }
    return addJob(tx, { kind: OTHER, laneId: 'a', organizationId: organizations[1], ...life }, start)
  })

  async function compareRows(): Promise<void> {
    const { db } = database
    const rows = await db.selectFrom('job').selectAll().where('kind', '=', KIND).orderBy('id').execute()
    assert.deepEqual(
      rows.map(
        (row): Omit<JobRow, 'result'> => ({
          ...{ id: row.id, organizationId: row.organization_id ?? NO_ORGANIZATION, laneId: row.lane_id },
          cap: row.cap,
          ...{ payload: JSON.parse(row.payload), status: row.status, reason: row.reason },
          attempts: row.attempts,
          ...{ begun: row.begun, due: row.due_at, horizon: row.horizon_at, claim: row.claim_id },
          ...{ cancelAt: row.cancel_at, createdAt: row.created_at, updatedAt: row.updated_at },
        }),
      ),
      [...disk.rows.values()]
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ result: _result, ...row }) => row),
    )
    const other = await db
      .selectFrom('job')
      .select(['status', 'claim_id'])
      .where('id', '=', stranger.id)
      .executeTakeFirst()
    assert.deepEqual({ ...other }, { status: 'pending', claim_id: 'somebody' })
    assert.deepEqual(
      told.real.splice(0).sort(),
      told.model.splice(0).sort(),
      'who was told of what is settled',
    )
  }

  const { compare, both } = createComparison({
    ...{ database, real, model, disk, compareRows },
    seen: visibleJob,
  })

  return {
    lanes,
    rows: () => [...disk.rows.values()],

    both,

    async add({ id: laneId, organizationId, cap }, what, now) {
      const row = { kind: KIND, laneId, organizationId, cap, ...what }
      const job = await database.tx((tx) => addJob(tx, row, now))
      assert.deepEqual(job, writeRow(disk, row, job.id, now))
      await compare()
      return job
    },

    async cancel({ id, organizationId }, now) {
      const status = await database.tx((tx) => cancelJob(tx, organizationId, id, now))
      assert.equal(status, cancelRow(disk, id, now))
      await compare()
      return status
    },

    async end(organizationId, now) {
      await database.tx((tx) => endJobs(tx, organizationId, now))
      for (const row of disk.rows.values())
        if (row.organizationId === organizationId) cancelRow(disk, row.id, now)
      await compare()
    },
  }
}

function visibleJob({ body: _, ...job }: RowJob): unknown {
  return job
}
