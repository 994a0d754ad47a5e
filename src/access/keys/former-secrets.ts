import { HOUR, type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'

type ApiKey = Tables['api_key']

/** Hours for which a replaced secret works: at most, and by default. */
export const [OVERLAP_MOST_HOURS, OVERLAP_HOURS] = [168, 24]
export const OVERLAP_MOST: Millis = OVERLAP_MOST_HOURS * HOUR
/** The most former secrets of a key that work at once. */
export const MOST_FORMER = 5

export const FormerSecretSchema = Type.Object({
  hint: Type.String(),
  expiresAt: Moment,
  lastUsedAt: Nullable(Moment),
})

/** The former secrets that still work, by key, newest first. */
export async function findFormerSecrets(
  db: Db | Tx,
  ids: Id<'apiKey'>[],
  now: Millis,
): Promise<Map<Id<'apiKey'>, Static<typeof FormerSecretSchema>[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('api_key_secret')
    .select(['api_key_id', 'hint', 'expires_at', 'last_used_at'])
    .where('api_key_id', 'in', ids)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('key_hash')
    .execute()
  const found = new Map<Id<'apiKey'>, Static<typeof FormerSecretSchema>[]>()
  for (const { api_key_id, hint, expires_at, last_used_at } of rows)
    found.set(api_key_id, [
      ...(found.get(api_key_id) ?? []),
      { hint, expiresAt: toIso(expires_at), lastUsedAt: toIsoOrNull(last_used_at) },
    ])
  return found
}

/**
 * Stores the present secret of a key as a former one for the overlap; without an overlap all former secrets end. The key must be locked by
 * `tx`.
 * @throws ApiError FORBIDDEN `too_many_secrets`
 */
export async function replaceSecret(tx: Tx, key: ApiKey, overlap: Millis, now: Millis): Promise<void> {
  await tx
    .deleteFrom('api_key_secret')
    .where('api_key_id', '=', key.id)
    .$if(overlap > 0, (query) => query.where('expires_at', '<=', now))
    .execute()
  if (overlap === 0) {
    // The secret may have leaked, and its holder must have no effect in the organization.
    await tx.deleteFrom('retired_secret').where('api_key_id', '=', key.id).execute()
    return
  }
  const { count } = await tx
    .selectFrom('api_key_secret')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('api_key_id', '=', key.id)
    .executeTakeFirstOrThrow()
  allowMoreSecrets(Number(count))
  const isFirst = key.rotated_at === null
  await tx
    .insertInto('api_key_secret')
    .values({
      key_hash: key.key_hash,
      organization_id: key.organization_id,
      api_key_id: key.id,
      hint: key.hint,
      created_by: isFirst ? key.created_by : key.rotated_by,
      key_id: isFirst ? key.key_id : key.rotated_with,
      created_at: key.rotated_at ?? key.created_at,
      expires_at: now + overlap,
      last_used_at: null,
    })
    .execute()
  await tx
    .insertInto('retired_secret')
    .values({
      ...{ organization_id: key.organization_id, api_key_id: key.id, key_hash: key.key_hash },
      ...{ ended_at: now + overlap, refused_at: null },
    })
    .execute()
}

/**
 * Refuses another former secret of a key at the limit.
 * @param kept the number of its former secrets that still work
 * @throws ApiError FORBIDDEN `too_many_secrets`
 */
export function allowMoreSecrets(kept: number): void {
  if (kept >= MOST_FORMER) throw new ApiError('FORBIDDEN', { reason: 'too_many_secrets', limit: MOST_FORMER })
}
