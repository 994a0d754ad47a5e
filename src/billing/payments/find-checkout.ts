import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId, readId } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { Checkout } from './complete-checkout.ts'

/** A checkout of the organization, by its id with prefix or bare. @throws ApiError INVALID_UUID, ENTITY_NOT_FOUND */
export async function getCheckout(
  db: Db,
  organizationId: Id<'organization'>,
  text: string,
): Promise<Checkout> {
  const id = parseId('checkout', text)
  const row = await db
    .selectFrom('checkout')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'id', value: id })
  return row
}

/** How a checkout stands, for its page: who has the id may know that, and nothing else. */
export async function findCheckoutStatus(
  db: Db,
  text: string,
  now: Millis,
): Promise<Checkout['status'] | undefined> {
  const id = readId('checkout', text)
  if (id === undefined) return undefined
  const row = await db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()
  return row && statusOf(row, now)
}

/** An open one ends by itself. */
export function statusOf({ status, expires_at }: Checkout, now: Millis): Checkout['status'] {
  return status === 'open' && expires_at <= now ? 'expired' : status
}
