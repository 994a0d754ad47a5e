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
import { chosenLanguage } from './mail-language.ts'
import {
  fillTemplate,
  type MailContent,
  type MailTemplate,
  type RenderedMail,
  renderMail,
} from './mail-templates.ts'

/** A mail to queue. */
interface Queued {
  to: string
  template: MailTemplate
  /** The language that the sender suggests; the recipient's own takes precedence. null: none. */
  language?: Language | null
  /** The invitation whose link the mail contains. */
  invitationId?: Id<'invitation'>
  /** The setup link that the mail contains. */
  setupLinkId?: Id<'setupLink'>
  /** The organization that causes the mail; undefined where a person requested it. */
  organizationId?: Id<'organization'>
  /** When the link of the mail expires; a mail with an expired link is not sent late. */
  usefulUntil?: Millis
}

/**
 * Mails are best-effort (specification 2) but durable: the transaction that requests a mail writes its row and its job.
 */
export interface Outbox {
  /** Queues a mail to one normalized address. */
  queue(tx: Tx, now: Millis, mail: Queued): Promise<void>
  /** The contents of a queued mail, for the operator. */
  read(row: Tables['mail']): RenderedMail
}

/** The kind of the jobs that send mails. */
export const MAIL_JOB = 'mail'
/**
 * Mails that a process sends at once. One organization gets two at most, so that one connection stays free for another
 * (`core/fair-limiter.ts`).
 */
export const MAILS_AT_ONCE = 3
/** The lane of mails that people requested themselves. */
const LANE_OF_PEOPLE = 'people'

/** The input of a job that sends a mail. */
export interface MailPayload {
  mailId: Id<'mail'>
  /** Until when the mail may be sent late, after a time without a running process. */
  usefulUntil?: Millis | undefined
  setupLinkId?: Id<'setupLink'> | undefined
}

/** How long a mail is retried. If no process ran in that time, it is tried once more while its contents are useful. */
const MAIL_HORIZON: Millis = DAY

/** How long a notice, which is a mail without a link, is useful. */
const NOTICE_USEFUL: Millis = 7 * DAY

function usefulBy({ action }: MailContent, now: Millis): Millis | undefined {
  return action === undefined ? now + NOTICE_USEFUL : undefined
}

/** Adds the mail's language to its link if it was chosen; otherwise the page follows the browser. */
function withLanguage(written: MailContent, chosen: Language | undefined): MailContent {
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
  /** The signature of each mail. */
  product: string
  /** The language of mails without a chosen one. */
  language: Language
  /** Adds a job in the caller's transaction. */
  add: (tx: Tx, job: NewJob, now: Millis) => Promise<unknown>
}): Outbox {
  return {
    async queue(tx, now, { to, template, language, invitationId, setupLinkId, organizationId, usefulUntil }) {
      const id = newId('mail', now)
      const chosen = await chosenLanguage(tx, { to, suggested: language ?? undefined, organizationId })
      const spoken = chosen ?? ofInstallation
      const written = fillTemplate(template, spoken)
      const rendered = renderMail(withLanguage(written, chosen), { product, language: spoken })
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
    read: (row) => JSON.parse(vault.open(row.body, sealContext('mail', row.id))) as RenderedMail,
  }
}

/**
 * Removes the mails to an address, or those that an organization caused, sent or not. Their jobs end without a mail.
 */
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

/** Most mails that are counted. */
const MOST_COUNTED = 10_000

/** Counts the mails of a status, up to 10,000; documents and descriptions of the count state that limit. */
export async function countMails(db: Db, status: Tables['mail']['status']): Promise<number> {
  const some = db.selectFrom('mail').select('id').where('status', '=', literal(status)).limit(MOST_COUNTED)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The state of an invitation's mail (decisions: access, Invitation.delivery). */
export interface MailStatus {
  status: Tables['mail']['status']
  attempts: number
  lastAttemptAt: Millis | null
  /** Postern's own sentence: why a mail server is unreachable is for the operator (the log, `postern mail`). */
  lastError: string | null
  /** The mail server's answer when it accepted or refused this mail. */
  answer: string | null
}

/** The errors that an organization sees, by the status of the mail. */
const ERRORS: Partial<Record<Tables['mail']['status'], string>> = {
  queued: 'The mail could not be sent yet; it is tried again.',
  failed: 'The address was refused, or the mail could not be sent for a day.',
}

/** The state without a mail: the inviter passes the link to the person. */
export const NO_MAIL: MailStatus = {
  status: 'not_configured',
  attempts: 0,
  lastAttemptAt: null,
  lastError: null,
  answer: null,
}

/** The state of a mail, as its organization sees it. */
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

/** The states of the newest mails of some invitations. */
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
