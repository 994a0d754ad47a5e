import { countUnsent, type StreamLag } from '../audit/unsent.ts'
import { toIso, toIsoOrNull } from '../core/clock.ts'
import type { Db } from '../db/database.ts'
import { Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import type { Stream } from './stream.ts'

const STATUSES = ['active', 'failing', 'paused'] as const

export const StreamFields = {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  headerNames: Type.Array(Type.String()),
  status: Type.String({ enum: [...STATUSES] }),
  createdAt: Moment,
  pausedAt: Nullable(Moment),
  unsent: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    atLeast: Type.Boolean(),
    oldestAt: Nullable(Moment),
  }),
  sent: Type.Integer({ minimum: 0 }),
  lost: Type.Integer({ minimum: 0 }),
  lastSentAt: Nullable(Moment),
  failures: Type.Integer({ minimum: 0 }),
  failingSince: Nullable(Moment),
  lastError: Nullable(Type.String()),
  nextAttemptAt: Nullable(Moment),
}

/** The status of a stream. */
function statusOf({ paused_at, failing_since }: Stream): (typeof STATUSES)[number] {
  return paused_at !== null ? 'paused' : failing_since !== null ? 'failing' : 'active'
}

function toWire(row: Stream, { count, atLeast, oldestAt }: StreamLag) {
  return {
    ...{ id: row.id, name: row.name, url: row.url, headerNames: JSON.parse(row.header_names) as string[] },
    ...{ status: statusOf(row), createdAt: toIso(row.created_at), pausedAt: toIsoOrNull(row.paused_at) },
    unsent: { count, atLeast, oldestAt: toIsoOrNull(oldestAt ?? null) },
    ...{ sent: Number(row.sent), lost: Number(row.lost), failures: Number(row.failures) },
    ...{ lastSentAt: toIsoOrNull(row.last_sent_at), failingSince: toIsoOrNull(row.failing_since) },
    ...{ lastError: row.last_error, nextAttemptAt: toIsoOrNull(row.next_attempt_at) },
  }
}

/**
 * A stream as the API shows it, with its backlog. The backlog is counted before the row is read, so entries taken in
 * between appear in `sent` or `lost`.
 */
export async function showStream(db: Db, { id, bit }: Pick<Stream, 'id' | 'bit'>) {
  const behind = await countUnsent(db, bit)
  const row = await db.selectFrom('audit_stream').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return toWire(row, behind)
}
