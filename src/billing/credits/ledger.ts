import type { Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { preparedInsert } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'

export type LedgerEntry = Tables['ledger_entry']

/** The last position and balances of an organization's ledger, while its account is locked. */
export interface LedgerEnd {
  organizationId: Id<'organization'>
  sequence: number
  cycleBalance: number
  purchasedBalance: number
}

/** A new entry; omitted members are null, amounts 0. */
interface NewEntry {
  /** A key is written only once. */
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
 * The only write to the ledger: appends an entry with the resulting balances, and advances `ledgerEnd`. The caller has
 * locked the account. The table refuses a second entry at one position or with one key, and a negative balance.
 * @returns the entry, or the existing one with this key
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

/** The next entry of the ledger; advances `ledgerEnd` as if it were written already. Its key must be new. */
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
