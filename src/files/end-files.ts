import { dropBlobs } from '../blobs/blob-row.ts'
import type { Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'

/** Deletes every file of an organization. The next sweep deletes their bytes. */
export async function endFiles(tx: Tx, id: Id<'organization'>, now: Millis): Promise<void> {
  await tx.deleteFrom('file').where('organization_id', '=', id).execute()
  await dropBlobs(tx, id, now)
}
