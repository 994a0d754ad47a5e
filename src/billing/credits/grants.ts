import { audit, type Trail } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { PlanBook } from '../../core/plans.ts'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { available } from './account.ts'
import { append, type LedgerEntry } from './ledger.ts'
import { openAccount } from './open-account.ts'

interface Grant {
  organizationId: Id<'organization'>
  /** 1 or more; they do not expire. */
  credits: number
  reason: string
  /** The same key grants once. */
  key: string
}

/**
 * Grants credits that do not expire with the cycle.
 * @returns the entry, and whether it was written now
 */
export async function grant(
  tx: Tx,
  book: PlanBook,
  trail: Trail,
  { organizationId, credits, reason, key }: Grant,
): Promise<{ entry: LedgerEntry; isNew: boolean }> {
  const account = await openAccount(tx, book, organizationId, trail.now)
  const written = await append(
    tx,
    account,
    { key: `grant:${key}`, kind: 'grant', purchasedAmount: credits, reason },
    trail.now,
  )
  if (written.isNew)
    await audit(tx, trail, {
      action: 'credits.granted',
      organizationId,
      targetId: written.entry.id,
      details: { credits, reason },
    })
  return written
}

interface Reversal {
  organizationId: Id<'organization'>
  entryId: Id<'ledgerEntry'>
  reason: string
}

/** Kinds of entries that can be reversed; entries of a cycle cannot, because the next cycle replaces them. */
const REVERSIBLE: LedgerEntry['kind'][] = ['debit', 'grant', 'purchase']

/**
 * Reverses an entry, once. Credits of a debit return to the balance from which they were taken. Of a grant or a
 * purchase only unspent and unreserved credits are taken, because no balance goes below zero.
 * @returns the reversing entry, and how many credits were already spent and are not taken
 * @throws ApiError ENTITY_NOT_FOUND, VALIDATION_FAILED
 */
export async function reverse(
  tx: Tx,
  book: PlanBook,
  trail: Trail,
  { organizationId, entryId, reason }: Reversal,
): Promise<{ entry: LedgerEntry; isNew: boolean; spent: number }> {
  const account = await openAccount(tx, book, organizationId, trail.now)
  const undone = await tx
    .selectFrom('ledger_entry')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', entryId)
    .executeTakeFirst()
  if (undone === undefined) throw notFound('entryId', entryId)
  if (!REVERSIBLE.includes(undone.kind))
    throw new ApiError('VALIDATION_FAILED', { field: 'entryId', value: entryId, reason: 'not_reversible' })
  const given = undone.cycle_amount + undone.purchased_amount
  const back =
    given > 0
      ? { purchasedAmount: 0 - Math.min(given, account.purchasedBalance, Math.max(0, available(account))) }
      : { cycleAmount: 0 - undone.cycle_amount, purchasedAmount: 0 - undone.purchased_amount }
  const written = await append(
    tx,
    account,
    { key: `reversal:${entryId}`, kind: 'reversal', ...back, reference: entryId, reason },
    trail.now,
  )
  const { entry, isNew } = written
  const moved = entry.cycle_amount + entry.purchased_amount
  if (isNew)
    await audit(tx, trail, {
      action: 'credits.reversed',
      organizationId,
      targetId: entryId,
      details: { credits: moved, reason },
    })
  return { entry, isNew, spent: Math.max(0, given + moved) }
}
