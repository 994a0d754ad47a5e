import { audit, type Trail } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import { emailApprovalMail, emailProofMail, emailTakenMail } from '../../mail/mail-templates.ts'
import { type Account, findAccount } from '../accounts/accounts.ts'
import { mayTakeAddress } from '../accounts/change-email.ts'
import type { AccessDeps } from '../deps.ts'
import { issueToken } from '../one-time-token.ts'

/** What the links of a change of address carry; each of the two has its own copy. */
export interface EmailChange {
  from: string
  to: string
  /** The session that asked, which goes on; null: the operator asked, in place of the present mailbox. */
  sessionId: Id<'session'> | null
  /** Whether the other mailbox has agreed, or need not. */
  isOtherDone: boolean
}

/**
 * Begins a change of an account's address: one mail to the new mailbox, which must prove it, and one to the present mailbox,
 * which must approve it, or may refuse it where the operator has approved. An address that another account has gets a mail
 * without a link, so that nothing else tells it from a free one. An earlier change that waits is replaced.
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

/** Whether an address may become that of an account: it has none, or one that was only invited. */
export async function isFreeAddress(db: Db | Tx, email: string): Promise<boolean> {
  const holder = await findAccount(db, email)
  return holder === undefined || mayTakeAddress(db, holder)
}
