import { type Millis, toIso } from '../../core/clock.ts'
import { type PlanBook, planOf } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import type { Account } from './account.ts'
import { append } from './ledger.ts'

/**
 * Adds the credits of a plan's cycle beyond those that this cycle has already given, so that changing back and forth
 * gives nothing twice.
 */
export async function topUp(
  tx: Tx,
  book: PlanBook,
  account: Account,
  planName: string,
  now: Millis,
): Promise<void> {
  const plan = planOf(book, planName)
  const allotment = plan.creditsPerCycle ?? 0
  const missing = allotment - account.cycleGranted
  account.plan = plan
  if (missing <= 0) return
  const key = `upgrade:${toIso(account.cycleStart)}:${allotment}`
  const reason = `plan ${planName}`
  await append(tx, account, { key, kind: 'upgrade', cycleAmount: missing, reason }, now)
  await tx
    .updateTable('credit_account')
    .set({ cycle_granted: allotment })
    .where('organization_id', '=', account.organizationId)
    .execute()
  account.cycleGranted = allotment
}
