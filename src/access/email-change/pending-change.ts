import { type Millis, toIso } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Account } from '../accounts/accounts.ts'
import { isLive, type OneTimeToken, payloadOf } from '../one-time-token.ts'
import type { EmailChange } from '../sign-in/begin-email-change.ts'

/** The two links of a change: of the present mailbox, and of the new one. */
export const PURPOSES = ['email_approval', 'email_proof'] as const satisfies OneTimeToken['purpose'][]

/** The pending change of an account's address, in the form of the API. */
export async function readChange(db: Db, vault: Vault, accountId: Id<'account'>, now: Millis) {
  const rows = await db
    .selectFrom('one_time_token')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('purpose', 'in', PURPOSES)
    .where(isLive('email_proof', now))
    .execute()
  const [first] = rows
  if (first === undefined) return null
  const { to, sessionId } = payloadOf<EmailChange>(vault, first)
  const approval = rows.find(({ purpose }) => purpose === 'email_approval')
  return {
    newEmail: to,
    askedBy: sessionId === null ? 'operator' : 'person',
    isApproved: approval === undefined || sessionId === null,
    isConfirmed: rows.every(({ purpose }) => purpose !== 'email_proof'),
    expiresAt: toIso(first.expires_at),
  }
}

/**
 * Ends the change that waits, and a request for one whose mails are not written yet. The account must be locked by `tx`.
 * @returns whether there was one
 */
export async function endChange(tx: Tx, { id, email }: Pick<Account, 'id' | 'email'>): Promise<boolean> {
  const links = await tx
    .deleteFrom('one_time_token')
    .where('account_id', '=', id)
    .where('purpose', 'in', PURPOSES)
    .returning('purpose')
    .execute()
  const requests = await tx
    .deleteFrom('mail_request')
    .where('email', '=', email)
    .where('kind', '=', 'email_change')
    .returning('id')
    .execute()
  return links.length + requests.length > 0
}
