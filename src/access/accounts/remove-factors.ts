import { audit, type Trail } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import { factorsRemovedMail } from '../../mail/mail-templates.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { Account } from './accounts.ts'
import { endEntry } from './end-entry.ts'
import { endFactors } from './end-factors.ts'
import { keepLastFactor } from './keep-administrator.ts'

/**
 * Removes all second factors of a person who has lost them, with the recovery codes. All sessions and mailed
 * links end, so that a finder of the factors loses access, and the person gets a mail. The account must be locked by `tx`, and the caller
 * clears the cache of credentials after the commit.
 * @param actorId the actor; null: the operator
 * @returns how many factors there were
 * @throws ApiError FORBIDDEN `last_exception` as long as an organization that requires its sign-in has no other exception
 */
export async function removeFactors(
  tx: Tx,
  outbox: Outbox,
  trail: Trail,
  { id, email }: Pick<Account, 'id' | 'email'>,
  actorId: string | null,
): Promise<number> {
  const count = await endFactors(tx, id)
  if (count === 0) return 0
  await keepLastFactor(tx, id)
  const endedSessions = await endEntry(tx, trail, id)
  await audit(tx, trail, {
    action: 'factor.all_removed',
    accountId: id,
    actorId,
    targetId: id,
    details: { count, endedSessions },
  })
  const by = actorId === null ? 'operator' : 'administrator'
  await outbox.queue(tx, trail.now, { to: email, template: factorsRemovedMail({ by }) })
  return count
}
