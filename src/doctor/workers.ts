import { systemClock } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** Reports the living workers on PostgreSQL. */
export const checkWorkers: Check = async ({ store }) => {
  const what = 'Workers'
  if (store.databaseUrl === undefined || !hasStore(store)) return []
  const found = await inspectDatabase(store).catch(() => undefined)
  if (found === undefined) return []
  const now = systemClock.now()
  const [alive, lapsed] = [true, false].map((is) =>
    found.workers.filter(({ aliveUntil }) => aliveUntil > now === is),
  ) as [typeof found.workers, typeof found.workers]
  const findings: Finding[] = [
    alive.length === 0
      ? { level: 'ok', what, text: 'no process sends just now' }
      : { level: 'ok', what, text: `${alive.length} sending` },
  ]
  if (lapsed.length > 0 && alive.length > 0)
    findings.push({
      level: 'warning',
      what,
      text: `${lapsed.length} ended without a word; others take over what it had in hand within seconds`,
    })
  return findings
}
