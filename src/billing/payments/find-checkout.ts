import type { Millis } from '../../core/clock.ts'
import { readId } from '../../core/id.ts'
import type { Language } from '../../core/language.ts'
import type { Db } from '../../db/database.ts'
import type { Checkout } from './lock-checkout.ts'

/** The members of a checkout that its page shows to any holder of its id. */
export interface ShownCheckout {
  status: Checkout['status']
  /** The name of the ordering organization; undefined once it is deleted. */
  organization: string | undefined
  /** The organization's chosen language. */
  language: Language | null
}

/** Reads a checkout and the name of its organization, for its page. */
export async function showCheckout(db: Db, text: string, now: Millis): Promise<ShownCheckout | undefined> {
  const id = readId('checkout', text)
  if (id === undefined) return undefined
  const row = await db
    .selectFrom('checkout')
    .innerJoin('organization', 'organization.id', 'checkout.organization_id')
    .selectAll('checkout')
    .select(['organization.name', 'organization.deleted_at', 'organization.language'])
    .where('checkout.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const organization = row.deleted_at === null ? row.name : undefined
  return { status: statusOf(row, now), organization, language: row.language }
}

/** The status of a checkout; an open one expires without a write. */
export function statusOf({ status, expires_at }: Checkout, now: Millis): Checkout['status'] {
  return status === 'open' && expires_at <= now ? 'expired' : status
}
