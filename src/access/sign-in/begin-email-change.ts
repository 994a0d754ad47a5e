import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import { emailApprovalMail, emailProofMail, emailTakenMail } from '../../mail/mail-templates.ts'
import { type Account, findAccount } from '../accounts/accounts.ts'
import { mayTakeAddress } from '../accounts/change-email.ts'
import type { AccessDeps } from '../deps.ts'
import { issueToken } from '../one-time-token.ts'

/** The payload of the two links of a change of address; each has its own copy. */
export interface EmailChange {
  from: string
  to: string
  /** The session that requested the change, which does not end; null: the operator requested it, in place of the current mailbox. */
  sessionId: Id<'session'> | null
  /** Whether the other mailbox has confirmed, or need not. */
  isOtherDone: boolean
}

/**
 * Begins a change of an account's address: one mail to the new mailbox, which must confirm, and one to the current mailbox, which must
 * confirm too, or can only refuse where the operator requested it. An address of another account gets a mail without a link, so that no
 * other behaviour reveals it. A pending change is replaced.
 * @param account active, and locked by `tx`
 */
export async function beginEmailChange(
  tx: Tx,
  { config, vault, outbox }: Pick<AccessDeps, 'config' | 'vault' | 'outbox'>,
  trail: Trail,
  account: Account,
  { to, sessionId }: { to: string; sessionId: Id<'session'> | null },
): Promise<void> {
  const { now, ip } = trail
  const by = sessionId === null ? 'operator' : 'person'
  const change = { from: account.email, to, sessionId }
  const approval = await issueToken(tx, vault, {
    purpose: 'email_approval',
    account,
    now,
    payload: { ...change, isOtherDone: false } satisfies EmailChange,
  })
  const proof = await issueToken(tx, vault, {
    purpose: 'email_proof',
    account: { id: account.id, email: to },
    now,
    payload: { ...change, isOtherDone: by === 'operator' } satisfies EmailChange,
  })
  const link = (token: string) => withQuery(`${config.web.appUrl}/change-email`, { token })
  const isFree = await isFreeAddress(tx, to)
  await outbox.queue(tx, now, {
    to,
    language: account.language,
    template: isFree ? emailProofMail({ by, ip, url: link(proof) }) : emailTakenMail({ ip }),
  })
  await outbox.queue(tx, now, {
    to: account.email,
    template: emailApprovalMail({ by, ip, to, url: link(approval) }),
  })
  await audit(tx, trail, {
    action: 'account.email_change_requested',
    accountId: account.id,
    actorId: by === 'person' ? account.id : null,
    targetId: account.id,
    details: { to, by },
  })
}

/** Whether an account may get an address: no account has it, or only an invited account. */
export async function isFreeAddress(db: Db | Tx, email: string): Promise<boolean> {
  const holder = await findAccount(db, email)
  return holder === undefined || mayTakeAddress(db, holder)
}
