import { MINUTE, systemClock } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check } from './finding.ts'

/** Reports parked webhooks, where there are any; their owners must repair the destinations. */
export const checkParked: Check = async ({ store }) => {
  if (!hasStore(store)) return []
  const found = await inspectDatabase(store).catch(() => undefined)
  // Each heartbeat writes the row of a parked webhook again.
  const recent = systemClock.now() - MINUTE
  const parked = found?.parked.filter((at) => at > recent).length ?? 0
  if (parked === 0) return []
  const text = `${parked} webhook${parked === 1 ? '' : 's'} parked: one call at a time until the destination answers`
  return [{ level: 'ok', what: 'Parked', text }]
}
