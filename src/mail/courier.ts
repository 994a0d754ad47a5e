import { randomUUID } from 'node:crypto'
import { type Clock, MINUTE, type Millis, repeat, SECOND, stopwatch } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { hasCome } from '../db/credible.ts'
import { type Database, type Db, noteChanges, type Tx } from '../db/database.ts'
import { literal } from '../db/literal.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { Outbox } from './outbox.ts'
import type { MailTransport } from './transport.ts'

type Mail = Tables['mail']

interface Log {
  info(data: object, message: string): void
  warn(data: object, message: string): void
}

interface CourierDeps {
  database: Database
  clock: Clock
  outbox: Outbox
  transport: MailTransport
  log: Log
  onOutcome: (outcome: string) => void
}

/** After each failure; the last one repeats until the mail's horizon. */
const RETRY_WAITS: Millis[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]

/** A mail under way belongs to its process this long after its last heartbeat. */
const CLAIM: Millis = 2 * MINUTE
const HEARTBEAT: Millis = CLAIM / 4

/** A mail's next attempt is never further ahead. */
const LONGEST_WAIT: Millis = Math.max(CLAIM, ...RETRY_WAITS)

/** Sends queued mails, each share in its turn, as many at once as there are connections to the mail server. */
interface Courier {
  /** Sends due mails, unless it is doing so already. */
  wake(): void
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

/**
 * queued --accepted by the server--> sent
 * queued --refused for now--> queued, later
 * queued --refused for good, or the horizon passed--> failed
 *
 * A mail is claimed when there is a connection for it, and the claim is renewed while it is under way, so that no other
 * process sends it, however slow the mail server is. A crash between the server's acceptance and the row's update sends
 * that one mail again.
 */
export function createCourier(deps: CourierDeps): Courier {
  const { database, clock, transport, log } = deps
  const running = new Set<Promise<void>>()
  let stopped = false
  /** The share of the last claimed mail: the next one is of the next share that has any. */
  let last = ''

  async function sendWhileDue(): Promise<void> {
    while (!stopped) {
      const mail = await claimNext(database, last, clock.now())
      if (mail === undefined) return
      last = mail.share
      await sendOne(deps, mail)
    }
  }

  return {
    wake() {
      while (!stopped && running.size < transport.connections) {
        const sending: Promise<void> = sendWhileDue()
          .catch((error: unknown) => log.warn({ err: error }, 'mail worker'))
          .finally(() => running.delete(sending))
        running.add(sending)
      }
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/**
 * Claims the longest due mail of the first share after `last` that has one, so that a thousand mails of one organization
 * do not hold up the one of another.
 */
async function claimNext(database: Database, last: string, now: Millis): Promise<Mail | undefined> {
  for (;;) {
    const due =
      (await firstDue(database.db, now, (query) => query.where('share', '>', last))) ??
      (await firstDue(database.db, now, (query) => query.where('share', '<=', last)))
    if (due === undefined) return undefined
    const claimed = await database.tx((tx) =>
      tx
        .updateTable('mail')
        .set({ claim_id: randomUUID(), next_attempt_at: now + CLAIM, last_attempt_at: now })
        .where('id', '=', due.id)
        .where('status', '=', literal('queued'))
        .where(hasCome('next_attempt_at', now, LONGEST_WAIT))
        .returningAll()
        .executeTakeFirst(),
    )
    // Otherwise another process has claimed it since.
    if (claimed !== undefined) return claimed
  }
}

function selectDue(db: Db, now: Millis) {
  return db
    .selectFrom('mail')
    .select('id')
    .where('status', '=', literal('queued'))
    .where(hasCome('next_attempt_at', now, LONGEST_WAIT))
}

function firstDue(
  db: Db,
  now: Millis,
  narrow: (query: ReturnType<typeof selectDue>) => ReturnType<typeof selectDue>,
): Promise<Pick<Mail, 'id'> | undefined> {
  return narrow(selectDue(db, now))
    .orderBy('share')
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

async function sendOne(deps: CourierDeps, mail: Mail): Promise<void> {
  const { database, clock, outbox, transport, log, onOutcome } = deps
  const elapsed = stopwatch()
  const attempts = mail.attempts + 1
  let error: string | null = null
  let answer = mail.answer
  let status: Mail['status'] = 'sent'
  const rest = repeat(clock, HEARTBEAT, () => void renew(deps, mail))
  try {
    const said = await transport.send({ id: mail.id, to: mail.recipient, rendered: outbox.read(mail) })
    answer = onOneLine(said)
  } catch (thrown) {
    error = describe(thrown)
    answer = answerOf(thrown) ?? answer
    status = isPermanent(thrown) || clock.now() >= mail.expires_at ? 'failed' : 'queued'
  } finally {
    rest()
  }
  const wait = RETRY_WAITS[Math.min(attempts, RETRY_WAITS.length) - 1] ?? 0
  const settled = await database.tx(async (tx) => {
    const row = await tx
      .updateTable('mail')
      .set({
        status,
        attempts,
        last_error: error,
        answer,
        next_attempt_at: clock.now() + wait,
        claim_id: null,
        // A sent mail holds live links, which have no use here any more (ASVS 6.5.2).
        ...(status === 'sent' ? { body: '' } : {}),
      })
      .where('id', '=', mail.id)
      .where('claim_id', '=', mail.claim_id)
      .returning('id')
      .executeTakeFirst()
    if (row !== undefined) noteInvitation(tx, mail)
    return row
  })
  onOutcome(status === 'queued' ? 'retry' : status)
  const line = { mailId: mail.id, status, attempts, durationMs: Math.round(elapsed()), error }
  if (settled === undefined) log.warn(line, 'mail: another process has claimed it since')
  else if (status === 'sent') log.info(line, 'mail')
  else log.warn(line, 'mail')
}

/** An invitation is shown with the state of its mail. */
function noteInvitation(tx: Tx, { invitation_id: id, share }: Mail): void {
  if (id !== null && share !== '')
    noteChanges(tx, 'invitation', [{ id, organization_id: share as Id<'organization'> }])
}

/** A heartbeat for a mail under way. */
async function renew({ database, clock, log }: CourierDeps, { id, claim_id }: Mail): Promise<void> {
  try {
    await database.tx((tx) =>
      tx
        .updateTable('mail')
        .set({ next_attempt_at: clock.now() + CLAIM })
        .where('id', '=', id)
        .where('claim_id', '=', claim_id)
        .execute(),
    )
  } catch (error) {
    log.warn({ err: error }, 'the claim of a mail could not be renewed')
  }
}

/** The mail server's error, on one line; addresses in it are the recipient's own. */
function describe(thrown: unknown): string {
  return onOneLine(thrown instanceof Error ? thrown.message : String(thrown))
}

function onOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}

/** Steps whose answers are about this one mail; answers of other steps are for the operator only. */
const OF_THIS_MAIL = new Set(['RCPT TO', 'DATA'])

/** The server's answer when it refused a mail; undefined where it gave none about this mail. */
function answerOf(thrown: unknown): string | undefined {
  const { response, command } = thrown as { response?: unknown; command?: string }
  return typeof response === 'string' && OF_THIS_MAIL.has(command ?? '') ? onOneLine(response) : undefined
}

/** Whether another try would be refused again (RFC 5321 4.2.1: 5yz). */
function isPermanent(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  return responseCode !== undefined && responseCode >= 500 && command !== 'AUTH' && command !== 'CONN'
}
