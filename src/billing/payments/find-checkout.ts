import type { Millis } from '../../core/clock.ts'
import { readId } from '../../core/id.ts'
import type { Db } from '../../db/database.ts'
import type { Checkout } from './complete-checkout.ts'

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
