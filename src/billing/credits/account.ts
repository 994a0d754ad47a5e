import { type Millis, toIso } from '../../core/clock.ts'
import type { Plan } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { append, findEntry, type LedgerEnd } from './ledger.ts'

/** An organization's credits, locked by one transaction until it ends. */
export interface Account extends LedgerEnd {
  plan: Plan
  /** Credits in reservations; never more than the balance. */
  held: number
  cycleGranted: number
  cycleStart: Millis
}

/** The credits that can be spent. */
export function available({ cycleBalance, purchasedBalance, held }: Account): number {
  return cycleBalance + purchasedBalance - held
}

/** Splits an amount between the two balances: credits that expire with the cycle are used first. */
export function takeFrom(
  { cycleBalance }: LedgerEnd,
  amount: number,
): { cycleAmount: number; purchasedAmount: number } {
  const cycle = Math.min(amount, cycleBalance)
  // Not -0, which an integer column cannot hold.
  return { cycleAmount: 0 - cycle, purchasedAmount: 0 - (amount - cycle) }
}

/**
 * Begins a cycle: unspent credits of the last cycle expire, and the plan's are added. The entry's key is the start of
 * the cycle, so a cycle is renewed once even if the clock is set back. Missed cycles are skipped, since their credits
 * would have expired. Reservations stay.
 */
export async function renew(
  tx: Tx,
  account: Account,
  cycle: { start: Millis; end: Millis },
  now: Millis,
): Promise<void> {
  const { organizationId } = account
  const name = toIso(cycle.start)
  const allotment = account.plan.creditsPerCycle ?? 0
  if ((await findEntry(tx, organizationId, `renewal:${name}`)) === undefined) {
    const lapsed = account.cycleBalance - Math.min(account.cycleBalance, account.held)
    if (lapsed > 0)
      await append(tx, account, { key: `expiry:${name}`, kind: 'expiry', cycleAmount: -lapsed }, now)
    await append(tx, account, { key: `renewal:${name}`, kind: 'renewal', cycleAmount: allotment }, now)
  }
  await tx
    .updateTable('credit_account')
    .set({ cycle_start: cycle.start, cycle_end: cycle.end, cycle_granted: allotment })
    .where('organization_id', '=', organizationId)
    .execute()
  account.cycleStart = cycle.start
  account.cycleGranted = allotment
}
