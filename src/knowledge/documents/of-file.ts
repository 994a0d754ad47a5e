import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { KnowledgeDeps } from '../deps.ts'
import { endIndexing, queueDocument, removeDocuments } from './document-row.ts'

/** Has those indexed that wait for their file, in the transaction that ends its processing. */
export async function queueWaiting(
  tx: Tx,
  { jobs }: Pick<KnowledgeDeps, 'jobs'>,
  { id, organization_id }: { id: Id<'file'>; organization_id: Id<'organization'> },
  now: Millis,
): Promise<void> {
  const waiting = ofFile(tx, organization_id, id).where('status', '=', 'queued').where('job_id', 'is', null)
  for (const document of await lock(tx, waiting).execute()) await queueDocument(tx, jobs, document, now)
}

/** Documents of one file: one a knowledge base at most. */
function ofFile(tx: Tx, organizationId: Id<'organization'>, fileId: Id<'file'>) {
  return tx
    .selectFrom('document')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('organization_id', '=', organizationId)
    .orderBy('id')
}

/** Removes what was made of a file, in the transaction that deletes it. */
export async function removeOfFile(
  tx: Tx,
  deps: Pick<KnowledgeDeps, 'charge' | 'removeSoon'>,
  organizationId: Id<'organization'>,
  fileId: Id<'file'>,
  now: Millis,
): Promise<void> {
  const documents = await lock(tx, ofFile(tx, organizationId, fileId)).execute()
  for (const document of documents) await endIndexing(tx, deps, document, now)
  await removeDocuments(
    tx,
    documents.map(({ id }) => id),
  )
  if (documents.length > 0) afterCommit(tx, deps.removeSoon)
}
