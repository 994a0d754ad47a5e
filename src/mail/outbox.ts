import { DAY, type Millis } from '../core/clock.ts'
import { type Id, newId } from '../core/id.ts'
import type { Language } from '../core/language.ts'
import type { Vault } from '../core/secret.ts'
import type { Db, Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import { sealContext } from '../db/sealed.ts'
import type { Tables } from '../db/tables/tables.ts'
import { withQuery } from '../http/schema/return-url.ts'
import { NO_ORGANIZATION } from '../jobs/job.ts'
import type { NewJob } from '../jobs/rows/row.ts'
import { type Letter, type Rendered, render, type Written, write } from './letters.ts'
import { chosenLanguage } from './mail-language.ts'

/** A letter, its recipient, and the organization whose share it uses. */
interface Queued {
  to: string
  letter: Letter
  /** What its sender has chosen for it, unless the recipient has; null: nothing. */
  language?: Language | null
  /** The invitation whose link is in it. */
  invitationId?: Id<'invitation'>
  /** The setup link that is in it. */
  setupLinkId?: Id<'setupLink'>
  /** The organization that causes the mail; undefined where a person asked for it. */
  organizationId?: Id<'organization'>
  /** Until when the link of the letter works; a mail whose link is over is not sent late. */
  usefulUntil?: Millis
}

/**
 * Mails are best-effort (specification 2) but never forgotten: a mail is a row of the transaction that asks for it, and so is the job
 * that sends it.
 */
export interface Outbox {
  /** Queues a letter to one normalised address. */
  queue(tx: Tx, now: Millis, mail: Queued): Promise<void>
  /** The text of a queued mail, for the operator. */
  read(row: Tables['mail']): Rendered
}

/** The kind of the jobs that send mails. */
export const MAIL_JOB = 'mail'
/** Mails that a process sends at once. An organization alone has two, so that one connection is free for another (`core/fair-limiter.ts`). */
export const MAILS_AT_ONCE = 3
/** The lane of mails that people asked for by themselves. */
const LANE_OF_PEOPLE = 'people'

/** The input of a job that sends a mail. */
export interface MailPayload {
  mailId: Id<'mail'>
  /** Until when the letter is sent late, where no process ran while it was tried. */
  usefulUntil?: Millis | undefined
  setupLinkId?: Id<'setupLink'> | undefined
}

/** A mail is tried for this long. If no process tried it in that time, it is tried once more while its content is of use. */
const MAIL_HORIZON: Millis = DAY

/** A letter without a link is a notice, which is of use for this long. */
const NOTICE_USEFUL: Millis = 7 * DAY

function usefulBy({ action }: Written, now: Millis): Millis | undefined {
  return action === undefined ? now + NOTICE_USEFUL : undefined
}

/** A link opens its page in the language of the mail, if somebody has chosen that; else the page follows the browser. */
function withLanguage(written: Written, chosen: Language | undefined): Written {
  const { action } = written
  if (action === undefined || chosen === undefined) return written
  return { ...written, action: { ...action, url: withQuery(action.url, { lang: chosen }) } }
}

export function createOutbox({
  vault,
  configured,
  product,
  language: ofInstallation,
  add,
}: {
  vault: Vault
  configured: boolean
  /** The name under each mail. */
  product: string
  /** Of mails for which nobody has chosen one. */
  language: Language
  /** Writes a job in the caller's transaction. */
  add: (tx: Tx, job: NewJob, now: Millis) => Promise<unknown>
}): Outbox {
  return {
    async queue(tx, now, { to, letter, language, invitationId, setupLinkId, organizationId, usefulUntil }) {
      const id = newId('mail', now)
      const chosen = await chosenLanguage(tx, { to, suggested: language ?? undefined, organizationId })
      const spoken = chosen ?? ofInstallation
      const written = write(letter, spoken)
      const rendered = render(withLanguage(written, chosen), { product, language: spoken })
      await tx
        .insertInto('mail')
        .values({
          id,
          recipient: to,
          subject: rendered.subject,
          body: vault.seal(JSON.stringify(rendered), sealContext('mail', id)),
          invitation_id: invitationId ?? null,
          share: organizationId ?? '',
          status: configured ? 'queued' : 'not_configured',
          attempts: 0,
          next_attempt_at: now,
          last_attempt_at: null,
          last_error: null,
          answer: null,
          created_at: now,
        })
        .execute()
      if (!configured) return
      const payload: MailPayload = {
        mailId: id,
        usefulUntil: usefulUntil ?? usefulBy(written, now),
        setupLinkId,
      }
      const job: NewJob = {
        kind: MAIL_JOB,
        organizationId: organizationId ?? NO_ORGANIZATION,
        laneId: organizationId ?? LANE_OF_PEOPLE,
        cap: MAILS_AT_ONCE,
        payload,
        dueAt: now,
        horizon: now + MAIL_HORIZON,
      }
      await add(tx, job, now)
    },
    read: (row) => JSON.parse(vault.open(row.body, sealContext('mail', row.id))) as Rendered,
  }
}

/** Removes the mails to an address, or those that an organization has caused, sent or not. Their jobs find them gone. */
export async function deleteMails(
  tx: Tx,
  whose: Pick<Tables['mail'], 'recipient'> | Pick<Tables['mail'], 'share'>,
): Promise<void> {
  const mails = tx.deleteFrom('mail')
  await ('recipient' in whose
    ? mails.where('recipient', '=', whose.recipient)
    : mails.where('share', '=', whose.share)
  ).execute()
}

/** Mails counted at most. */
const MOST_COUNTED = 10_000

/** How many mails there are of a status, up to 10,000: the docs and descriptions of what shows it say so. */
export async function countMails(db: Db, status: Tables['mail']['status']): Promise<number> {
  const some = db.selectFrom('mail').select('id').where('status', '=', literal(status)).limit(MOST_COUNTED)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The delivery of an invitation's mail (decisions: access, Invitation.delivery). */
export interface MailStatus {
  status: Tables['mail']['status']
  attempts: number
  lastAttemptAt: Millis | null
  /** In words of ours: why a mail server is not reached is for the operator (the log, `postern mail`). */
  lastError: string | null
  /** The mail server's answer when it took or refused this mail. */
  answer: string | null
}

/** The errors that an organization is shown, by the status of the mail. */
const ERRORS: Partial<Record<Tables['mail']['status'], string>> = {
  queued: 'The mail could not be sent yet; it is tried again.',
  failed: 'The address was refused, or the mail could not be sent for a day.',
}

/** Without any mail: the inviter carries the link to the person. */
export const NO_MAIL: MailStatus = {
  status: 'not_configured',
  attempts: 0,
  lastAttemptAt: null,
  lastError: null,
  answer: null,
}

/** The delivery of a mail, as its organization is shown it. */
export function statusOf(
  row: Pick<Tables['mail'], 'status' | 'attempts' | 'last_attempt_at' | 'last_error' | 'answer'>,
): MailStatus {
  return {
    status: row.status,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastError: row.last_error === null ? null : (ERRORS[row.status] ?? null),
    answer: row.answer,
  }
}

/** The newest mail of each of some invitations. */
export async function mailStatuses(
  db: Db | Tx,
  invitations: Id<'invitation'>[],
): Promise<Map<string, MailStatus>> {
  if (invitations.length === 0) return new Map()
  const rows = await db
    .selectFrom('mail')
    .select(['invitation_id', 'status', 'attempts', 'last_attempt_at', 'last_error', 'answer'])
    .where('invitation_id', 'in', invitations)
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [String(row.invitation_id), statusOf(row)]))
}
