import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'

type Account = Tables['account']

/**
 * An account, locked. What gives access (a session, a link, an identity, its activation) and what ends access (a reset,
 * its end) is done under this lock, which is taken before any other of the account. So the later of a sign-in and a
 * reset sees all that the earlier one did.
 */
export async function lockAccount(tx: Tx, id: Id<'account'>): Promise<Account | undefined> {
  return lock(tx, tx.selectFrom('account').selectAll().where('id', '=', id)).executeTakeFirst()
}

/** The account of a normalised address, locked likewise. */
export async function lockAddress(tx: Tx, email: string): Promise<Account | undefined> {
  return lock(tx, tx.selectFrom('account').selectAll().where('email', '=', email)).executeTakeFirst()
}

/** Locks the accounts of normalised addresses, in the order of the addresses, so that two transactions do not deadlock. */
export async function lockAddresses(tx: Tx, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  await lock(
    tx,
    tx.selectFrom('account').select('id').where('email', 'in', emails).orderBy('email'),
  ).execute()
}
