import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'

type Account = Tables['account']

/**
 * Locks an account. Changes that give access (a session, a link, an identity, its activation) and changes that end access (a reset,
 * its end) happen under this lock, which is taken before any other lock of the account. So of a sign-in and a reset the later one sees
 * the changes of the earlier.
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
