import { MINUTE, systemClock } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check } from './finding.ts'

/** Destinations that do not answer, which is their owners' to mend: said where there is one. */
export const checkParked: Check = async ({ store }) => {
  if (!hasStore(store)) return []
  const found = await inspectDatabase(store).catch(() => undefined)
  // It is written again with each heartbeat.
  const recent = systemClock.now() - MINUTE
  const parked = found?.parked.filter((at) => at > recent).length ?? 0
  if (parked === 0) return []
  const text = `${parked} webhook${parked === 1 ? '' : 's'} parked: one call at a time until the destination answers`
  return [{ level: 'ok', what: 'Parked', text }]
}
