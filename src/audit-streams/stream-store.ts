import { audit, type Trail } from '../audit/audit.ts'
import { STREAM_BITS } from '../audit/unsent.ts'
import { DAY, type Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, newId } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import type { Db, Tx } from '../db/database.ts'
import { lock, lockTable } from '../db/locking.ts'
import { notFound } from '../db/owned-row.ts'
import { sealContext } from '../db/sealed.ts'
import { newSecret } from '../delivery/attempt/signature.ts'
import { secondsUntil } from '../http/rate-limit.ts'
import { addStreamJob } from './ensure-stream-job.ts'
import type { Stream } from './stream.ts'

/** How long a replaced secret still signs beside the newest. */
const OVERLAP: Millis = DAY
/** Most replaced secrets that sign at once. */
const MOST_RETIRED = 5

/** The settings of a new stream. */
interface NewStream {
  name: string
  url: string
  /** Headers of each request, as `readSecretHeaders` returns them. */
  headers: Record<string, string>
}

/** Changes of a stream; undefined members keep their values. */
interface StreamChange {
  name?: string | undefined
  url?: string | undefined
  headers?: Record<string, string> | undefined
  isPaused?: boolean | undefined
}

/** Adds the job of a stream to a transaction. */
export interface StreamParts {
  vault: Vault
  addJob: Parameters<typeof addStreamJob>[1]
}

function headerColumns(vault: Vault, id: Id<'auditStream'>, headers: Record<string, string>) {
  const names = Object.keys(headers).sort()
  return {
    headers: names.length === 0 ? null : vault.seal(JSON.stringify(headers), sealContext('audit_stream', id)),
    header_names: JSON.stringify(names),
  }
}

/**
 * Adds a stream, which gets every entry that is written after the commit.
 * @returns its row and its secret, which is stored sealed and shown only once
 * @throws ApiError FORBIDDEN `too_many_audit_streams`
 */
export async function addStream(
  tx: Tx,
  { vault, addJob }: StreamParts,
  trail: Trail,
  { name, url, headers }: NewStream,
): Promise<{ row: Stream; secret: string }> {
  await lockTable(tx, 'audit_stream')
  const taken = await tx.selectFrom('audit_stream').select('bit').execute()
  const bit = STREAM_BITS.find((one) => taken.every((other) => Number(other.bit) !== one))
  if (bit === undefined)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_audit_streams', limit: STREAM_BITS.length })
  const id = newId('auditStream', trail.now)
  const row: Stream = {
    ...{ id, bit, name, url, ...headerColumns(vault, id, headers) },
    ...{ created_at: trail.now, paused_at: null, ended_at: null, sent: 0, lost: 0, last_sent_at: null },
    ...{ failures: 0, failing_since: null, last_error: null, next_attempt_at: null },
  }
  await tx.insertInto('audit_stream').values(row).execute()
  const secret = await insertSecret(tx, vault, id, trail.now)
  await addStreamJob(tx, addJob, id, trail.now)
  await audit(tx, trail, { action: 'audit_stream.created', targetId: id, details: { name, url } })
  return { row, secret }
}

async function insertSecret(tx: Tx, vault: Vault, id: Id<'auditStream'>, now: Millis): Promise<string> {
  const secret = newSecret()
  await tx
    .insertInto('audit_stream_secret')
    .values({
      audit_stream_id: id,
      secret: vault.seal(secret, sealContext('audit_stream_secret', id)),
      hint: secret.slice(-6),
      created_at: now,
      expires_at: null,
    })
    .execute()
  return secret
}

/** The streams that were not deleted, newest first. */
export function listStreams(db: Db): Promise<Stream[]> {
  return db
    .selectFrom('audit_stream')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
}

/** @throws ApiError ENTITY_NOT_FOUND */
export async function getStream(db: Db | Tx, id: Id<'auditStream'>): Promise<Stream> {
  const query = db.selectFrom('audit_stream').selectAll().where('id', '=', id).where('ended_at', 'is', null)
  const row = await lock(db, query).executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  return row
}

/**
 * Changes a stream. Entries that it has not taken go to the new URL; a change or a resume triggers an attempt at once.
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function changeStream(
  tx: Tx,
  { vault }: Pick<StreamParts, 'vault'>,
  trail: Trail,
  id: Id<'auditStream'>,
  { name, url, headers, isPaused }: StreamChange,
): Promise<Stream> {
  const before = await getStream(tx, id)
  const pausedAt =
    isPaused === undefined ? before.paused_at : isPaused ? (before.paused_at ?? trail.now) : null
  const row = await tx
    .updateTable('audit_stream')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(headers === undefined ? {} : headerColumns(vault, id, headers)),
      ...{ paused_at: pausedAt, next_attempt_at: null },
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(tx, trail, {
    action: 'audit_stream.updated',
    targetId: id,
    details: {
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(headers === undefined ? {} : { headers: row.header_names }),
      ...(isPaused === undefined ? {} : { paused: isPaused }),
    },
  })
  return row
}

/**
 * Replaces the secret of a stream; the previous one signs beside it for a day.
 * @throws ApiError ENTITY_NOT_FOUND, RATE_LIMITED
 */
export async function rotateSecret(
  tx: Tx,
  { vault }: Pick<StreamParts, 'vault'>,
  trail: Trail,
  id: Id<'auditStream'>,
): Promise<{ row: Stream; secret: string; previousExpiresAt: Millis }> {
  const row = await getStream(tx, id)
  const { now } = trail
  const ofStream = tx.deleteFrom('audit_stream_secret').where('audit_stream_id', '=', id)
  await ofStream.where('expires_at', '<=', now).execute()
  const retired = await tx
    .selectFrom('audit_stream_secret')
    .select('expires_at')
    .where('audit_stream_id', '=', id)
    .where('expires_at', 'is not', null)
    .orderBy('expires_at')
    .execute()
  if (retired.length >= MOST_RETIRED)
    throw new ApiError('RATE_LIMITED', {
      retryAfterSeconds: secondsUntil(retired[0]?.expires_at ?? now, now),
    })
  const previousExpiresAt = now + OVERLAP
  await tx
    .updateTable('audit_stream_secret')
    .set({ expires_at: previousExpiresAt })
    .where('audit_stream_id', '=', id)
    .where('expires_at', 'is', null)
    .execute()
  const secret = await insertSecret(tx, vault, id, now)
  await audit(tx, trail, { action: 'audit_stream.rotated', targetId: id })
  return { row, secret, previousExpiresAt }
}

/**
 * Deletes a stream: sending stops, and its job removes its marks before the row.
 * @throws ApiError ENTITY_NOT_FOUND
 */
export async function endStream(tx: Tx, trail: Trail, id: Id<'auditStream'>): Promise<void> {
  const { name } = await getStream(tx, id)
  await tx.updateTable('audit_stream').set({ ended_at: trail.now }).where('id', '=', id).execute()
  await tx.deleteFrom('audit_stream_secret').where('audit_stream_id', '=', id).execute()
  await audit(tx, trail, { action: 'audit_stream.deleted', targetId: id, details: { name } })
}
