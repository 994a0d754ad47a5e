import { systemClock } from '../core/clock.ts'
import { inspectDatabase } from '../db/database.ts'
import { SHARDS } from '../jobs/shards/shard.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** Who sends, where several may: each webhook belongs to one of them. */
export const checkWorkers: Check = async ({ store }) => {
  const what = 'Workers'
  if (store.databaseUrl === undefined || !hasStore(store)) return []
  const found = await inspectDatabase(store).catch(() => undefined)
  if (found === undefined) return []
  const now = systemClock.now()
  const [alive, lapsed] = [true, false].map((is) =>
    found.workers.filter(({ aliveUntil }) => aliveUntil > now === is),
  ) as [typeof found.workers, typeof found.workers]
  const parts = alive.map(({ shards }) => shards).join(' + ')
  const findings: Finding[] = [
    alive.length === 0
      ? { level: 'ok', what, text: 'no process sends just now' }
      : {
          level: 'ok',
          what,
          text: `${alive.length} sending, with ${parts} of ${SHARDS} parts of the webhooks`,
        },
  ]
  if (lapsed.length > 0 && alive.length > 0)
    findings.push({
      level: 'warning',
      what,
      text: `${lapsed.length} ended without a word; what it owned is taken over within seconds`,
    })
  return findings
}
