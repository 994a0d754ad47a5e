import { MINUTE, systemClock } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check } from './finding.ts'

/** Organizations that are named; of the rest it is said how many they are. */
const MOST_NAMED = 3

/** Organizations that ask for more at once than their share, which delays no other; without one there is no finding. */
export const checkShares: Check = async ({ store }) => {
  if (!hasStore(store)) return []
  const found = await inspectDatabase(store).catch(() => undefined)
  const recent = systemClock.now() - MINUTE
  const used = found?.usedShares.filter(({ updatedAt }) => updatedAt > recent) ?? []
  return [...Map.groupBy(used, ({ queue }) => queue)].map(([queue, shares]) => {
    const organizations = [...new Set(shares.map(({ organizationId }) => organizationId))]
    const waiting = shares.reduce((sum, share) => sum + share.waiting, 0)
    const [whose, more] = [organizations.slice(0, MOST_NAMED), organizations.length - MOST_NAMED]
    const names = `${whose.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    const have = organizations.length === 1 ? 'organization has' : 'organizations have'
    const their = organizations.length === 1 ? 'its share' : 'their shares'
    const text = `${organizations.length} ${have} used up ${their} of ${queue}, ${waiting} wait for it: ${names}`
    return { level: 'ok', what: 'Shares', text }
  })
}
