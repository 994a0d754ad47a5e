import type { PendingBlob } from '../blobs/blob-row.ts'
import { DAY, type Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, newId } from '../core/id.ts'
import { type PlanBook, planOf } from '../core/plans.ts'
import { noteChanges, type Tx } from '../db/database.ts'
import { lockOrganization } from '../organizations/organizations.ts'
import type { FileDeps } from './deps.ts'
import type { FileRow } from './file-wire.ts'

/** The kind of job that reads a file. */
export const KIND = 'file.process'
/** The longest time of a processing. */
const HORIZON: Millis = DAY

/** The payload of a job that reads a file. */
export interface ProcessPayload {
  fileId: Id<'file'>
  reservation: unknown
}

interface NewFile {
  organizationId: Id<'organization'>
  actorId: string
  name: string
  mediaType: string
  charset: string | null
  blob: PendingBlob
}

type RowDeps = Pick<FileDeps, 'charge' | 'jobs'>

/**
 * Writes a file and the job that reads it.
 * @throws ApiError FORBIDDEN `too_much_stored`, INSUFFICIENT_CREDITS; UNAUTHORIZED where the organization was deleted during the
 * upload
 */
export async function addFile(
  tx: Tx,
  { charge, jobs, blobs, config }: RowDeps & Pick<FileDeps, 'blobs' | 'config'>,
  { organizationId, actorId, name, mediaType, charset, blob }: NewFile,
  now: Millis,
): Promise<FileRow> {
  const organization = await lockOrganization(tx, organizationId)
  if (organization === undefined) throw new ApiError('UNAUTHORIZED', {})
  await blobs.keep(tx, blob, mostStored(config.plans.book, organization.plan), now)
  const id = newId('file', now)
  const begun = await beginProcessing(tx, { charge, jobs }, { id, organization_id: organizationId }, now)
  const row: FileRow = {
    id,
    organization_id: organizationId,
    name,
    media_type: mediaType,
    charset,
    size_bytes: blob.size,
    sha256: blob.sha256,
    ...begun,
    blob_id: blob.id,
    text_blob_id: null,
    text_chars: null,
    text_truncated: 0,
    warnings: null,
    created_by: actorId,
    created_at: now,
  }
  await tx.insertInto('file').values(row).execute()
  noteChanges(tx, 'file', [row])
  return row
}

/** The bytes that an organization may store; null: unlimited. */
function mostStored(book: PlanBook, plan: string): number | null {
  const { storageGiB } = planOf(book, plan)
  return storageGiB === null ? null : storageGiB * 1024 ** 3
}

/** Adds the job that reads a file, and reserves its credits. @returns the changed columns of the file */
export async function beginProcessing(
  tx: Tx,
  { charge, jobs }: RowDeps,
  { id: fileId, organization_id: organizationId }: Pick<FileRow, 'id' | 'organization_id'>,
  now: Millis,
) {
  const reservation = await charge.reserve(tx, {
    ...{ organizationId, action: 'file.process', reference: fileId, now },
  })
  const payload: ProcessPayload = { fileId, reservation }
  const life = { dueAt: now, horizon: now + HORIZON }
  const jobId = await jobs.add(
    tx,
    { kind: KIND, organizationId, laneId: organizationId, payload, ...life },
    now,
  )
  return {
    status: 'processing' as const,
    error_code: null,
    error_reason: null,
    job_id: jobId,
    reservation: JSON.stringify(reservation),
    begun_at: now,
    processed_at: null,
  }
}
