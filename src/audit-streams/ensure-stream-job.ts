import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import { lock } from '../db/locking.ts'
import type { AddedJob } from '../jobs/create-jobs.ts'
import { NO_ORGANIZATION } from '../jobs/job.ts'

/** The kind of the one job that each stream has while it exists. */
export const STREAM_JOB = 'audit_stream'

/** The input of the job. */
export interface StreamPayload {
  streamId: Id<'auditStream'>
}

/** Adds the job of a stream. */
export async function addStreamJob(
  tx: Tx,
  add: (tx: Tx, job: AddedJob, now: Millis) => Promise<unknown>,
  streamId: Id<'auditStream'>,
  now: Millis,
): Promise<void> {
  const payload: StreamPayload = { streamId }
  const forEver = { dueAt: now, horizon: Number.MAX_SAFE_INTEGER }
  await add(
    tx,
    {
      ...{ kind: STREAM_JOB, organizationId: NO_ORGANIZATION, laneId: streamId, cap: 1, payload },
      ...forEver,
    },
    now,
  )
}

/** Adds missing jobs of streams. A job is missing only after an older backup was restored. */
export async function ensureStreamJobs(
  database: Database,
  add: Parameters<typeof addStreamJob>[1],
  now: Millis,
): Promise<void> {
  const idle = (from: Tx | Database['db']) =>
    from
      .selectFrom('audit_stream')
      .select('id')
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom('job')
              .select('job.id')
              .where('kind', '=', STREAM_JOB)
              .where('lane_id', '=', ref('audit_stream.id'))
              .where('status', '=', 'pending'),
          ),
        ),
      )
  for (const { id } of await idle(database.db).execute())
    await database.tx(async (tx) => {
      const found = await lock(tx, tx.selectFrom('audit_stream').select('id').where('id', '=', id)).execute()
      const still = await idle(tx).where('id', '=', id).execute()
      if (found.length > 0 && still.length > 0) await addStreamJob(tx, add, id, now)
    })
}
