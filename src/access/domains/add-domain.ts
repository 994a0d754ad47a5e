import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { newToken } from '../../core/secret.ts'
import { normalizeDomain } from '../../core/text/email.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'

/** Domains that an organization may claim. */
export const MOST_DOMAINS = 50

/** @throws ApiError VALIDATION_FAILED `not_a_domain` */
export function readDomainName(text: string): string {
  const name = normalizeDomain(text.trim())
  if (name === undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'name', value: text, reason: 'not_a_domain' })
  return name
}

/** Locks the organization. @throws ApiError FORBIDDEN `too_many_domains` */
export async function refuseMoreDomains(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const rows = tx.selectFrom('domain').where('organization_id', '=', organizationId)
  await refuseBeyond(tx, organizationId, { rows, most: MOST_DOMAINS, reason: 'too_many_domains' })
}

interface Claim {
  organizationId: Id<'organization'>
  actorId: string
  /** As `readDomainName` returns it. */
  name: string
}

/** @returns the new domain, not yet proven; undefined where the organization has claimed it already */
export async function addDomain(
  tx: Tx,
  trail: Trail,
  { organizationId, actorId, name }: Claim,
): Promise<Tables['domain'] | undefined> {
  const { now } = trail
  const row: Tables['domain'] = {
    id: newId('domain', now),
    organization_id: organizationId,
    name,
    token: newToken(),
    ...{ status: 'pending', reason: null, job_id: null, created_by: actorId, created_at: now },
    ...{ checked_at: null, verified_at: null, failing_since: null },
  }
  const inserted = await tx
    .insertInto('domain')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return undefined
  noteChanges(tx, 'domain', [row])
  await audit(tx, trail, {
    action: 'domain.created',
    ...{ organizationId, actorId, targetId: row.id },
    details: { name },
  })
  return row
}
