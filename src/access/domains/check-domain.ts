import { audit, type Trail } from '../../audit/audit.ts'
import { DAY, HOUR, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { NameError } from '../../net/name-servers.ts'
import type { LookUpTexts } from '../../net/text-resolver.ts'
import type { AccessDeps } from '../deps.ts'
import { recordName, recordValue } from './domain-wire.ts'

type Domain = Tables['domain']

/** The kind of job that checks a proven domain periodically. */
export const DOMAIN_CHECK = 'domain_check'

/** The interval between checks of a proven domain, and while its record is missing. */
export const CHECK_EVERY: Millis = 6 * HOUR
export const CHECK_FAILING_EVERY: Millis = HOUR
/** A record that is missing for this time ends the proof. */
const LOST_AFTER: Millis = 7 * DAY
/** The job has no deadline. */
const FOR_EVER: Millis = 100 * 365 * DAY

/** The result of a look-up of the record. */
type Found = 'found' | 'no_record' | 'other_value' | 'no_answer'

/** Looks up the record of a domain, within the share of its organization. */
export async function lookUpRecord(
  lookUpTexts: LookUpTexts,
  domain: Pick<Domain, 'name' | 'token' | 'organization_id'>,
): Promise<Found> {
  try {
    const texts = await lookUpTexts(recordName(domain), domain.organization_id)
    if (texts.some((text) => text.trim() === recordValue(domain))) return 'found'
    return texts.length === 0 ? 'no_record' : 'other_value'
  } catch (error) {
    if (error instanceof NameError) return 'no_answer'
    throw error
  }
}

interface Check {
  id: Id<'domain'>
  found: Found
  /** The actor; null for the job. */
  actorId: string | null
  /** Whether a long missing record ends the proof, which only the job does. */
  mayEnd: boolean
}

/**
 * Stores the result of a check.
 *
 * pending --found--> verified --missing--> failing --missing for 7 days, and the name servers say so--> lost
 * failing, lost --found--> verified
 *
 * @returns the changed domain; undefined where it was deleted after the check began
 * @throws ApiError DUPLICATE `proven_elsewhere` where another organization has proven it
 */
export async function recordCheck(
  tx: Tx,
  { jobs }: Pick<AccessDeps, 'jobs'>,
  trail: Trail,
  { id, found, actorId, mayEnd }: Check,
): Promise<Domain | undefined> {
  const { now } = trail
  const before = await lock(tx, tx.selectFrom('domain').selectAll().where('id', '=', id)).executeTakeFirst()
  if (before === undefined) return undefined
  const isProven = before.status === 'verified' || before.status === 'failing'
  const note = (action: 'domain.verified' | 'domain.failing' | 'domain.lost') =>
    audit(tx, trail, {
      action,
      organizationId: before.organization_id,
      actorId,
      targetId: id,
      details: { name: before.name, ...(found === 'found' ? {} : { reason: found }) },
    })
  if (found === 'found') {
    const jobId = isProven ? before.job_id : await claim(tx, jobs, before, now)
    if (before.status !== 'verified') await note('domain.verified')
    const verifiedAt = isProven ? before.verified_at : now
    return change({
      status: 'verified',
      reason: null,
      job_id: jobId,
      verified_at: verifiedAt,
      failing_since: null,
    })
  }
  if (!isProven) return change({ reason: found })
  const since = Math.min(before.failing_since ?? now, now)
  if (mayEnd && found !== 'no_answer' && now - since >= LOST_AFTER) {
    await tx.deleteFrom('proven_domain').where('domain_id', '=', id).execute()
    await note('domain.lost')
    return change({ status: 'lost', reason: found, job_id: null })
  }
  if (before.status === 'verified') await note('domain.failing')
  return change({ status: 'failing', reason: found, failing_since: since })

  async function change(values: Partial<Domain>): Promise<Domain> {
    const after = await tx
      .updateTable('domain')
      .set({ ...values, checked_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    noteChanges(tx, 'domain', [after])
    return after
  }
}

/** Claims a domain that no organization has proven; of several at once, one succeeds. */
async function claim(
  tx: Tx,
  jobs: AccessDeps['jobs'],
  { id, name, organization_id: organizationId }: Domain,
  now: Millis,
): Promise<Id<'job'>> {
  const claimed = await tx
    .insertInto('proven_domain')
    .values({ name, domain_id: id, organization_id: organizationId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  if (claimed === undefined)
    throw new ApiError('DUPLICATE', { field: 'name', value: name, reason: 'proven_elsewhere' })
  const whose = { organizationId, laneId: organizationId }
  const when = { dueAt: now + CHECK_EVERY, horizon: now + FOR_EVER }
  return jobs.add(tx, { kind: DOMAIN_CHECK, ...whose, payload: { domainId: id }, ...when }, now)
}
