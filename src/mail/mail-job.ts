import { sql } from 'kysely'
import { type Clock, MINUTE, type Millis, SECOND, stopwatch } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { afterCommit, type Database, type Db, noteChanges, type Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { KindOptions } from '../jobs/create-jobs.ts'
import type { RowSettlement } from '../jobs/rows/row.ts'
import type { Handler, Outcome } from '../jobs/rows/row-kind.ts'
import { MAIL_JOB, MAILS_AT_ONCE, type MailPayload, type Outbox } from './outbox.ts'
import type { MailTransport } from './transport.ts'

type Mail = Tables['mail']

interface MailJobDeps {
  database: Database
  clock: Clock
  outbox: Pick<Outbox, 'read'>
  transport: MailTransport
  log: { info(data: object, message: string): void; warn(data: object, message: string): void }
  onOutcome: (outcome: string) => void
}

/** The waits after failures; the last one repeats until the mail's horizon. */
const RETRY_WAITS: Millis[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]
/** Longest time until the next attempt of a mail. */
export const LONGEST_WAIT: Millis = Math.max(...RETRY_WAITS)

/** Longest time in which a mail server may accept a mail (RFC 5321 4.5.3.2.6). */
const LONGEST_DIALOGUE: Millis = 10 * MINUTE

/** The extra time of the job, in which the attempt ends and reports its own timeout. */
const MARGIN_OF_JOB: Millis = MINUTE

/** The error of an attempt that took `LONGEST_DIALOGUE`. */
const TOO_SLOW = 'The mail server had neither taken nor refused the mail after 10 minutes.'

/** How long sends in progress may take when the process stops. */
const GRACE: Millis = 30 * SECOND

/** The result of an attempt. */
interface AttemptResult {
  at: Millis
  durationMs: number
  /** null: the server took the mail. */
  error: string | null
  /** The server's answer about this mail; null without one. */
  answer: string | null
}

/**
 * The job that sends a mail:
 *
 * queued --accepted by the server--> sent
 * queued --refused temporarily--> queued, later
 * queued --refused permanently, or the horizon passed--> failed
 * queued --the invitation or the setup link was revoked, or the invitation was sent again--> removed
 *
 * The transaction that settles the job changes the row of the mail. A crash between the server's acceptance and that
 * transaction sends this one mail a second time.
 */
export function mailHandler({
  database,
  clock,
  outbox,
  transport,
}: Pick<MailJobDeps, 'database' | 'clock' | 'outbox' | 'transport'>): Handler {
  return {
    kind: MAIL_JOB,
    longest: LONGEST_DIALOGUE + MARGIN_OF_JOB,
    waits: RETRY_WAITS,
    isRepeatable: true,
    grace: GRACE,
    isWorthLate: ({ payload }, now) => now <= ((payload as MailPayload).usefulUntil ?? 0),
    async work({ payload }, { signal }): Promise<Outcome> {
      const mail = await database.background.db
        .selectFrom('mail')
        .selectAll()
        .where('id', '=', (payload as MailPayload).mailId)
        .executeTakeFirst()
      // The mail was deleted with its recipient or its organization.
      if (mail === undefined) return { done: null }
      if (!(await isLinkAlive(database.background.db, mail, payload as MailPayload))) return { done: null }
      const [at, elapsed] = [clock.now(), stopwatch()]
      const toResult = (error: string | null, answer: string | null): AttemptResult => ({
        ...{ at, durationMs: Math.round(elapsed()), error, answer },
      })
      const tooSlow = new AbortController()
      const cancel = clock.after(LONGEST_DIALOGUE, () => tooSlow.abort())
      try {
        const rendered = outbox.read(mail)
        const either = AbortSignal.any([signal, tooSlow.signal])
        const answer = await transport.send({ id: mail.id, to: mail.recipient, rendered }, either)
        return { done: toResult(null, onOneLine(answer)) }
      } catch (thrown) {
        if (tooSlow.signal.aborted) return { retry: 'not_sent', result: toResult(TOO_SLOW, null) }
        const result = toResult(describe(thrown), answerOf(thrown))
        return isPermanent(thrown) ? { failed: 'refused', result } : { retry: 'not_sent', result }
      } finally {
        cancel()
      }
    },
  }
}

const STATUSES: Record<RowSettlement['status'], Mail['status']> = {
  ...{ pending: 'queued', done: 'sent', failed: 'failed', cancelled: 'failed' },
}

/** The limit of concurrent mails, and how the end of an attempt changes its mail. */
export function mailOptions({ log, onOutcome }: Pick<MailJobDeps, 'log' | 'onOutcome'>): KindOptions {
  return {
    places: MAILS_AT_ONCE,
    async onSettled(tx, { job, status: ended, reason, result, dueAt }, now) {
      const outcome = result as AttemptResult | null
      const { mailId } = job.payload as MailPayload
      if (ended === 'done' && outcome === null) return withdraw(tx, mailId)
      const status = STATUSES[ended]
      const mail = await tx
        .updateTable('mail')
        .set({
          status,
          next_attempt_at: dueAt ?? now,
          ...(outcome === null
            ? // No attempt was made, or it was cut off.
              status === 'failed' && { last_error: sql<string>`coalesce(last_error, ${reason})` }
            : {
                attempts: sql<number>`attempts + 1`,
                last_attempt_at: outcome.at,
                last_error: outcome.error,
                ...(outcome.answer !== null && { answer: outcome.answer }),
              }),
          // A sent mail holds valid links, which are not needed any more (ASVS 6.5.2).
          ...(status === 'sent' && { body: '' }),
        })
        .where('id', '=', mailId)
        .where('status', '=', literal('queued'))
        .returningAll()
        .executeTakeFirst()
      if (mail === undefined) return
      noteInvitation(tx, mail)
      afterCommit(tx, () => {
        onOutcome(status === 'queued' ? 'retry' : status)
        const { id, attempts, last_error: error } = mail
        const line = { mailId: id, status, attempts, durationMs: outcome?.durationMs ?? null, error }
        if (status === 'sent') log.info(line, 'mail')
        else log.warn(line, 'mail')
      })
    },
  }
}

/**
 * Whether the link in a mail still works: its invitation or setup link is not revoked, and no later mail has another
 * link.
 */
async function isLinkAlive(
  db: Db,
  { id, invitation_id: invitationId }: Mail,
  { setupLinkId }: MailPayload,
): Promise<boolean> {
  if (invitationId === null && setupLinkId === undefined) return true
  const { rows } = await (invitationId === null
    ? sql`select 1 as one from setup_link where id = ${setupLinkId} and status <> 'revoked'`
    : sql`select 1 as one from invitation where id = ${invitationId} and status <> 'revoked'
        and not exists (select 1 from mail where invitation_id = ${invitationId} and id > ${id})`
  ).execute(db)
  return rows.length > 0
}

/** Removes a queued mail, because its link no longer works. */
async function withdraw(tx: Tx, id: Id<'mail'>): Promise<void> {
  const mail = await tx
    .deleteFrom('mail')
    .where('id', '=', id)
    .where('status', '=', literal('queued'))
    .returningAll()
    .executeTakeFirst()
  if (mail !== undefined) noteInvitation(tx, mail)
}

/** Notes a change of the invitation, which is shown with the state of its mail. */
function noteInvitation(tx: Tx, { invitation_id: id, share }: Mail): void {
  if (id !== null && share !== '')
    noteChanges(tx, 'invitation', [{ id, organization_id: share as Id<'organization'> }])
}

/** The mail server's error on one line; addresses in it are the recipient's own. */
function describe(thrown: unknown): string {
  return onOneLine(thrown instanceof Error ? thrown.message : String(thrown))
}

function onOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}

/** Steps whose answers concern this one mail; answers of other steps are for the operator only. */
const OF_THIS_MAIL = new Set(['RCPT TO', 'DATA'])

/** The server's answer when it refused a mail; null without an answer about this mail. */
function answerOf(thrown: unknown): string | null {
  const { response, command } = thrown as { response?: unknown; command?: string }
  return typeof response === 'string' && OF_THIS_MAIL.has(command ?? '') ? onOneLine(response) : null
}

/** Whether a retry would be refused again (RFC 5321 4.2.1: 5yz). */
function isPermanent(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  return responseCode !== undefined && responseCode >= 500 && command !== 'AUTH' && command !== 'CONN'
}
