import type { Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { preparedInsert } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'

export type LedgerEntry = Tables['ledger_entry']

/** The end of an organization's ledger, while its account is locked. */
export interface LedgerEnd {
  organizationId: Id<'organization'>
  sequence: number
  cycleBalance: number
  purchasedBalance: number
}

/** A new entry; members that are left out are null, amounts 0. */
interface NewEntry {
  /** The same key is never written twice. */
  key: string
  kind: LedgerEntry['kind']
  cycleAmount?: number
  purchasedAmount?: number
  price?: number
  action?: string
  reference?: string
  reason?: string
  actorId?: string | null
}

const insertEntry = preparedInsert('ledger_entry', [
  'id',
  'organization_id',
  'sequence',
  'key',
  'kind',
  'cycle_amount',
  'purchased_amount',
  'cycle_balance',
  'purchased_balance',
  'price',
  'action',
  'reference',
  'reason',
  'actor_id',
  'created_at',
])

/**
 * The only way into the ledger: writes an entry after the last, with the balances after it, and moves `ledgerEnd` on. The
 * caller has locked the account. The table refuses a second entry at one place or of one key, and a balance below zero.
 * @returns the entry, or the one that was written under this key before
 */
export async function append(
  tx: Tx,
  ledgerEnd: LedgerEnd,
  entry: NewEntry,
  now: Millis,
): Promise<{ entry: LedgerEntry; isNew: boolean }> {
  const known = await findEntry(tx, ledgerEnd.organizationId, entry.key)
  if (known !== undefined) return { entry: known, isNew: false }
  const row = nextEntry(ledgerEnd, entry, now)
  await insertEntry(tx, [row])
  return { entry: row, isNew: true }
}

/** The entry that comes after the last; moves `ledgerEnd` on as if it were written already. Its key must be new. */
export function nextEntry(ledgerEnd: LedgerEnd, entry: NewEntry, now: Millis): LedgerEntry {
  const { cycleAmount = 0, purchasedAmount = 0 } = entry
  const row: LedgerEntry = {
    id: newId('ledgerEntry', now),
    organization_id: ledgerEnd.organizationId,
    sequence: ledgerEnd.sequence + 1,
    key: entry.key,
    kind: entry.kind,
    cycle_amount: cycleAmount,
    purchased_amount: purchasedAmount,
    cycle_balance: ledgerEnd.cycleBalance + cycleAmount,
    purchased_balance: ledgerEnd.purchasedBalance + purchasedAmount,
    price: entry.price ?? null,
    action: entry.action ?? null,
    reference: entry.reference ?? null,
    reason: entry.reason ?? null,
    actor_id: entry.actorId ?? null,
    created_at: now,
  }
  ledgerEnd.sequence = row.sequence
  ledgerEnd.cycleBalance = row.cycle_balance
  ledgerEnd.purchasedBalance = row.purchased_balance
  return row
}

export async function findEntry(
  tx: Tx,
  organizationId: Id<'organization'>,
  key: string,
): Promise<LedgerEntry | undefined> {
  return tx
    .selectFrom('ledger_entry')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst()
}
