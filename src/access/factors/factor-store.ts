import { sql } from 'kysely'
import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { MOST_FACTORS } from '../../core/limits.ts'
import type { Db, Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'

export type Factor = Tables['second_factor']

export const FactorSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ enum: ['totp', 'passkey'] }),
    name: Type.String(),
    createdAt: Moment,
    lastUsedAt: Nullable(Moment),
  },
  { title: 'Factor' },
)

export function toFactor(row: Factor): Static<typeof FactorSchema> {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: toIso(row.created_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }
}

/** The confirmed factors of an account, oldest first. */
export async function listFactors(db: Db | Tx, accountId: Id<'account'>): Promise<Factor[]> {
  return db
    .selectFrom('second_factor')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute()
}

/** @throws ApiError ENTITY_NOT_FOUND where the account has no such factor, confirmed or not */
export async function getFactor(db: Db | Tx, accountId: Id<'account'>, id: Id<'factor'>): Promise<Factor> {
  const row = await db
    .selectFrom('second_factor')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  return row
}

/**
 * Checks that an account may have one factor more; it must be locked by `tx`.
 * @throws ApiError FORBIDDEN `too_many_factors`
 */
export async function mustHaveRoom(tx: Tx, accountId: Id<'account'>): Promise<void> {
  const { length } = await listFactors(tx, accountId)
  if (length >= MOST_FACTORS)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_factors', limit: MOST_FACTORS })
}

/**
 * Updates the number of an account's factors after a change, and ends sign-ins that wait for a factor, because they began with the former
 * factors. The account must be locked by `tx`.
 */
export async function countFactors(tx: Tx, accountId: Id<'account'>): Promise<number> {
  await tx.deleteFrom('pending_sign_in').where('account_id', '=', accountId).execute()
  const { second_factors } = await tx
    .updateTable('account')
    .set({
      second_factors: sql`(select count(*) from second_factor
        where second_factor.account_id = account.id and second_factor.confirmed_at is not null)`,
    })
    .where('id', '=', accountId)
    .returning('second_factors')
    .executeTakeFirstOrThrow()
  return second_factors
}

/** Records that a session has shown a factor. */
export async function markShown(tx: Tx, sessionId: Id<'session'>, now: Millis): Promise<void> {
  await tx.updateTable('session').set({ factor_at: now }).where('id', '=', sessionId).execute()
}
