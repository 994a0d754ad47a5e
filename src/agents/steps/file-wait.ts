import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { Jobs } from '../../jobs/create-jobs.ts'
import type { Run } from '../transcript/rows.ts'
import { enqueueRun } from './run-job.ts'
import type { StepDeps } from './step-deps.ts'

/**
 * Makes a run wait for its first file in processing. The wait is a row, and the transaction that ends the processing
 * makes the run due (`wakeRuns`), so each wait ends once. It lasts no longer than the processing, and no longer than a
 * run may stay queued.
 * @param tx has locked the files, in the order of their ids
 * @returns whether it waits
 */
export async function waitForFiles(
  tx: Tx,
  { files }: Pick<StepDeps, 'files'>,
  { id, organization_id: organizationId, file_ids }: Pick<Run, 'id' | 'organization_id' | 'file_ids'>,
): Promise<boolean> {
  for (const fileId of (JSON.parse(file_ids) as Id<'file'>[]).toSorted()) {
    if ((await files.find(tx, organizationId, fileId))?.status !== 'processing') continue
    await tx
      .insertInto('run_wait')
      .values({ run_id: id, file_id: fileId })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ file_id: fileId }))
      .execute()
    return true
  }
  return false
}

/** Makes the runs due that wait for a file, in the transaction that ends its processing or deletes it. */
export async function wakeRuns(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'add'> },
  organizationId: Id<'organization'>,
  fileId: Id<'file'>,
  now: Millis,
): Promise<void> {
  const waits = await tx.deleteFrom('run_wait').where('file_id', '=', fileId).returning('run_id').execute()
  for (const { run_id: id } of waits.toSorted((a, b) => (a.run_id < b.run_id ? -1 : 1)))
    await enqueueRun(tx, jobs, { id, organization_id: organizationId }, now)
}
