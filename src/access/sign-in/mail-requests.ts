import { audit, type Trail } from '../../audit/audit.ts'
import { DAY, type Millis } from '../../core/clock.ts'
import { forEachDespiteErrors, forEachPagedDespiteErrors } from '../../core/for-each-despite-errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { newCode, type Vault } from '../../core/secret.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import { magicLinkMail, passwordResetMail } from '../../mail/mail-templates.ts'
import type { Account } from '../accounts/accounts.ts'
import { lockAddress } from '../accounts/lock-account.ts'
import { findPending } from '../accounts/pending-invitations.ts'
import type { AccessDeps } from '../deps.ts'
import { renew } from '../members/invite.ts'
import { issueToken } from '../one-time-token.ts'
import { beginEmailChange } from './begin-email-change.ts'

type MailRequest = Tables['mail_request']

/** The sealed part of a request for a mail, until the worker looks for an account. */
interface MailRequestPayload {
  returnTo: string | null
  trail: Trail
  /** For a change of address: the new address, the account and the session that requested it. */
  change?: { to: string; accountId: Id<'account'>; sessionId: Id<'session'> }
}

interface NewMailRequest {
  kind: MailRequest['kind']
  email: string
  bindingHash: string | null
  returnTo: string | null
  change?: NonNullable<MailRequestPayload['change']>
}

/**
 * Stores a request for a mail. It is answered before the worker looks for an account of the address, so that neither the text nor the time
 * of the answer reveals one (decisions: access).
 */
export async function requestMail(
  tx: Tx,
  { vault, mailsDue }: Pick<AccessDeps, 'vault' | 'mailsDue'>,
  trail: Trail,
  ask: NewMailRequest,
): Promise<void> {
  const id = newId('mail', trail.now)
  const carried: MailRequestPayload = {
    returnTo: ask.returnTo,
    trail,
    ...(ask.change && { change: ask.change }),
  }
  await tx
    .insertInto('mail_request')
    .values({
      id,
      kind: ask.kind,
      email: ask.email,
      binding_hash: ask.bindingHash,
      payload: vault.seal(JSON.stringify(carried), sealContext('mail_request', id)),
      ip: trail.ip,
      created_at: trail.now,
    })
    .execute()
  afterCommit(tx, mailsDue.wake)
}

export type ResolveDeps = Pick<AccessDeps, 'config' | 'database' | 'vault' | 'outbox' | 'publish'>

/** Requests resolved in one transaction. */
const BATCH = 20

/** Older requests are dropped, because their person has repeated them or given up. */
const REQUEST_LIFETIME: Millis = DAY

/**
 * Turns requests into mails if the address has an account; the worker calls it. If the transaction of a page fails, each of its requests
 * gets a separate one, so that a failing request does not delay others.
 * @param failed gets each error with its request
 */
export async function resolveMailRequests(
  deps: ResolveDeps,
  now: Millis,
  failed: (error: unknown, id: MailRequest['id']) => void,
): Promise<void> {
  const read = async (after: MailRequest['id'][] = []) => {
    const waiting = await deps.database.background.db
      .selectFrom('mail_request')
      .select('id')
      .where('id', '>', after.at(-1) ?? ('' as MailRequest['id']))
      .orderBy('id')
      .limit(BATCH)
      .execute()
    return waiting.length === 0 ? [] : [waiting.map(({ id }) => id)]
  }
  const one = (id: MailRequest['id']) => resolveAll(deps, [id], now)
  const page = (ids: MailRequest['id'][]) =>
    resolveAll(deps, ids, now).catch(() => forEachDespiteErrors(ids, one, failed))
  await forEachPagedDespiteErrors({ read, most: 1 }, page, (error, [first]) =>
    failed(error, first as MailRequest['id']),
  )
}

async function resolveAll(deps: ResolveDeps, ids: MailRequest['id'][], now: Millis): Promise<void> {
  // A request may wait for the row of an account that another transaction has locked.
  await deps.database.patient.tx(async (tx) => {
    const taken = await tx.deleteFrom('mail_request').where('id', 'in', ids).returningAll().execute()
    // Each request locks an account; all workers use the same order.
    const inLockOrder = taken.toSorted((a, b) => (a.email < b.email ? -1 : a.email > b.email ? 1 : 0))
    for (const request of inLockOrder) await resolve(tx, deps, request, now)
  })
}

async function resolve(tx: Tx, deps: ResolveDeps, request: MailRequest, now: Millis): Promise<void> {
  if (request.created_at <= now - REQUEST_LIFETIME) return
  // The account is locked, so that a later reset or end of the account also ends the link that is made here.
  const account = await lockAddress(tx, request.email)
  if (account === undefined || account.status === 'disabled') return
  const { returnTo, trail, change } = readCarried(deps.vault, request)
  if (request.kind === 'email_change') return resolveChange(tx, deps, { ...trail, now }, account, change)
  if (account.status === 'inactive') return remindOfInvitation(tx, deps, account, now)
  const facts = { tx, deps, account, returnTo, trail: { ...trail, now } }
  if (request.kind === 'password_reset') await mailReset(facts)
  else await mailMagicLink(facts, request.binding_hash)
}

/** Begins a requested change of address, unless the account has ended or got another address since the request. */
async function resolveChange(
  tx: Tx,
  deps: ResolveDeps,
  trail: Trail,
  account: Account,
  change: MailRequestPayload['change'],
): Promise<void> {
  if (account.id !== change?.accountId || account.status !== 'active') return
  const session = await tx
    .selectFrom('session')
    .select('id')
    .where('id', '=', change.sessionId)
    .executeTakeFirst()
  // A reset of the password, or another end of the session, also ends its request.
  if (session === undefined) return
  await beginEmailChange(tx, deps, trail, account, { to: change.to, sessionId: change.sessionId })
}

interface Facts {
  tx: Tx
  deps: ResolveDeps
  account: Account
  returnTo: string | null
  trail: Trail
}

async function mailReset({ tx, deps, account, returnTo, trail }: Facts): Promise<void> {
  const { now } = trail
  const token = await issueToken(tx, deps.vault, {
    purpose: 'password_reset',
    account,
    now,
  })
  const url = withQuery(returnTo ?? `${deps.config.web.appUrl}/reset-password`, { token })
  await deps.outbox.queue(tx, now, { to: account.email, template: passwordResetMail({ ip: trail.ip, url }) })
  await audit(tx, trail, { action: 'password.reset_requested', accountId: account.id })
}

async function mailMagicLink(
  { tx, deps, account, returnTo, trail }: Facts,
  bindingHash: string | null,
): Promise<void> {
  const { now } = trail
  const code = newCode()
  const token = await issueToken(tx, deps.vault, {
    purpose: 'magic_link',
    account,
    now,
    bindingHash,
    code,
    payload: { returnTo },
  })
  const url = withQuery(`${deps.config.web.appUrl}/magic-link`, { token })
  await deps.outbox.queue(tx, now, {
    to: account.email,
    template: magicLinkMail({ ip: trail.ip, url, code }),
  })
  await audit(tx, trail, { action: 'magic_link.requested', accountId: account.id })
}

/**
 * Mails a pending invitation again to an address that has not signed up: with a new link, and the same end. The new link
 * replaces only a mailed one: a stranger's request must not end a link that was handed over or printed by the command.
 */
async function remindOfInvitation(tx: Tx, deps: ResolveDeps, account: Account, now: Millis): Promise<void> {
  if (deps.config.mail.smtpUrl === undefined) return
  const pending = await findPending(tx, account.email, now)
  const newest = pending.filter(({ mailed, inviter_id }) => mailed === 1 && inviter_id !== null).at(-1)
  if (newest === undefined) return
  await renew(
    tx,
    { appUrl: deps.config.web.appUrl, outbox: deps.outbox, publish: deps.publish },
    newest,
    now,
    newest.expires_at,
  )
}

function readCarried(vault: Vault, request: MailRequest): MailRequestPayload {
  return JSON.parse(
    vault.open(request.payload, sealContext('mail_request', request.id)),
  ) as MailRequestPayload
}
