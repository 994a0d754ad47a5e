import { type Clock, MINUTE, type Millis, SECOND, stopwatch } from '../core/clock.ts'
import type { Database } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables.ts'
import type { Outbox } from './outbox.ts'
import type { MailTransport } from './transport.ts'

type Mail = Tables['mail']

interface Log {
  info(data: object, message: string): void
  warn(data: object, message: string): void
}

export interface CourierDeps {
  database: Database
  clock: Clock
  outbox: Outbox
  transport: MailTransport
  log: Log
  onOutcome: (outcome: string) => void
}

/** After each failure; the last one repeats until the mail's horizon. */
const RETRY_WAITS: Millis[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]

/** A mail under way belongs to its process this long: longer than the transport's patience. */
const CLAIM: Millis = 2 * MINUTE

/** Mails sent at once. */
const BATCH = 10

/**
 * Sends queued mails.
 *
 * queued --accepted by the server--> sent
 * queued --refused for now--> queued, later
 * queued --refused for good, or the horizon passed--> failed
 *
 * A crash between the server's acceptance and the row's update sends that one mail again.
 * @returns when the next queued mail is due, or undefined when there is none
 */
export async function sendDueMails(deps: CourierDeps): Promise<Millis | undefined> {
  const { database, clock } = deps
  for (;;) {
    const claimed = await claimDue(database, clock.now())
    await Promise.all(claimed.map((mail) => sendOne(deps, mail)))
    if (claimed.length < BATCH) break
  }
  const next = await database.db
    .selectFrom('mail')
    .select(({ fn }) => fn.min('next_attempt_at').as('at'))
    .where('status', '=', literal('queued'))
    .executeTakeFirst()
  return next?.at ?? undefined
}

/** Due mails become this process's: their next attempt moves beyond the time that this one can take. */
async function claimDue(database: Database, now: Millis): Promise<Mail[]> {
  const due = await database.db
    .selectFrom('mail')
    .select('id')
    .where('status', '=', literal('queued'))
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(BATCH)
    .execute()
  if (due.length === 0) return []
  return database.tx((tx) =>
    tx
      .updateTable('mail')
      .set({ next_attempt_at: now + CLAIM, last_attempt_at: now })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .where('status', '=', literal('queued'))
      .where('next_attempt_at', '<=', now)
      .returningAll()
      .execute(),
  )
}

async function sendOne(
  { database, clock, outbox, transport, log, onOutcome }: CourierDeps,
  mail: Mail,
): Promise<void> {
  const elapsed = stopwatch()
  const attempts = mail.attempts + 1
  let error: string | null = null
  let status: Mail['status'] = 'sent'
  try {
    await transport.send({ id: mail.id, to: mail.recipient, rendered: outbox.read(mail) })
  } catch (thrown) {
    error = describe(thrown)
    status = isPermanent(thrown) || clock.now() >= mail.expires_at ? 'failed' : 'queued'
  }
  const wait = RETRY_WAITS[Math.min(attempts, RETRY_WAITS.length) - 1] ?? 0
  await database.tx((tx) =>
    tx
      .updateTable('mail')
      .set({
        status,
        attempts,
        last_error: error,
        next_attempt_at: clock.now() + wait,
        // What was sent holds live links that nobody needs here any more (ASVS 6.5.2).
        ...(status === 'sent' ? { body: '' } : {}),
      })
      .where('id', '=', mail.id)
      .where('status', '=', literal('queued'))
      .execute(),
  )
  onOutcome(status === 'queued' ? 'retry' : status)
  const line = { mailId: mail.id, status, attempts, durationMs: Math.round(elapsed()), error }
  if (status === 'sent') log.info(line, 'mail')
  else log.warn(line, 'mail')
}

/** What the mail server said, on one line; addresses in it are the recipient's own. */
function describe(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 300)
}

/** A refusal that another try would meet again (RFC 5321 4.2.1: 5yz). */
function isPermanent(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  return responseCode !== undefined && responseCode >= 500 && command !== 'AUTH' && command !== 'CONN'
}
