import { ownTrail } from '../../audit/audit.ts'
import { MINUTE, SECOND } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Handler, Outcome } from '../../jobs/rows/row-kind.ts'
import type { AccessDeps } from '../deps.ts'
import { CHECK_EVERY, CHECK_FAILING_EVERY, DOMAIN_CHECK, lookUpRecord, recordCheck } from './check-domain.ts'

/** Simultaneous look-ups of a process. */
export const DOMAIN_CHECKS_AT_ONCE = 10

interface Payload {
  domainId: Id<'domain'>
}

/** Checks the record of a proven domain periodically until the proof has ended. */
export function domainCheckHandler(
  deps: Pick<AccessDeps, 'database' | 'clock' | 'lookUpTexts' | 'jobs'>,
): Handler {
  const { database, clock, lookUpTexts } = deps
  return {
    kind: DOMAIN_CHECK,
    longest: MINUTE,
    waits: [30 * SECOND, 10 * MINUTE],
    isRepeatable: true,
    // The job may not fail finally, as the domain would then stay proven without checks.
    mostStarts: Number.MAX_SAFE_INTEGER,
    async work({ id: jobId, payload }): Promise<Outcome> {
      const { domainId } = payload as Payload
      const domain = await database.background.db
        .selectFrom('domain')
        .selectAll()
        .where('id', '=', domainId)
        .executeTakeFirst()
      // A domain that was proven again has another job.
      if (domain?.job_id !== jobId) return { done: null }
      const found = await lookUpRecord(lookUpTexts, domain)
      const now = clock.now()
      const checked = await database.background.tx((tx) =>
        recordCheck(tx, deps, ownTrail(now), { id: domainId, found, actorId: null, mayEnd: true }),
      )
      if (checked?.job_id !== jobId) return { done: null }
      return { later: now + (checked.status === 'failing' ? CHECK_FAILING_EVERY : CHECK_EVERY) }
    },
  }
}
