import { MINUTE, systemClock } from '../core/clock.ts'
import { queryStore } from '../db/inspect.ts'
import { hasStore } from '../store/open-store.ts'
import type { Check, Finding } from './finding.ts'

/** Finds streams of the audit log whose deliveries fail. */
export const checkAuditStreams: Check = async ({ store }) => {
  if (!hasStore(store)) return []
  // An older schema has no such table.
  const failing = await queryStore(store, (db) =>
    db
      .selectFrom('audit_stream')
      .select(['name', 'failing_since', 'last_error'])
      .where('ended_at', 'is', null)
      .where('paused_at', 'is', null)
      .where('failing_since', 'is not', null)
      .execute(),
  ).catch(() => undefined)
  const now = systemClock.now()
  return (failing ?? []).map(({ name, failing_since, last_error }): Finding => {
    const minutes = Math.max(0, Math.round((now - (failing_since ?? now)) / MINUTE))
    const text = `${name} has failed for ${minutes} minutes (${last_error}); its entries wait`
    return { level: 'warning', what: 'Audit streams', text }
  })
}
