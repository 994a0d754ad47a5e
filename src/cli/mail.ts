import { toIso, toIsoOrNull } from '../core/clock.ts'
import { normalizeEmail } from '../core/text/email.ts'
import type { Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type Command, UsageError } from './terminal/terminal.ts'
import { withStore } from './with-store.ts'

/** `postern mail`: lists mails with their recipients, and shows the text of those that were not sent (decisions: access, Mail). */
export const mail: Command = {
  about: 'Shows mails, newest first, with text and link of unsent ones.',
  usage: 'postern mail [--email ADDRESS] [--limit N]',
  options: {
    email: { type: 'string', about: 'Only mails to this address.' },
    limit: { type: 'string', default: '20', about: 'Number of mails, 1 to 1000. Default: 20.' },
  },
  async run(terminal, options) {
    const limit = /^\d{1,4}$/.test(String(options.limit)) ? Number(options.limit) : 0
    if (limit < 1 || limit > 1_000) throw new UsageError('--limit must be a whole number from 1 to 1000.')
    const email = options.email === undefined ? undefined : normalizeEmail(String(options.email))
    if (options.email !== undefined && email === undefined)
      throw new UsageError('--email must be an e-mail address.')

    return withStore(terminal, async ({ config, database, outbox }) => {
      const rows = await listMails(database.db, email, limit)
      const mails = rows.map((row) => toView(row, outbox))
      terminal.answer(mails)
      for (const view of mails) terminal.print(`${describe(view)}\n`)
      if (mails.length === 0) terminal.print(email === undefined ? 'No mails yet.' : `No mails to ${email}.`)
      if (config.mail.smtpUrl === undefined)
        terminal.print(
          'No SMTP_URL is set: nothing is sent, every mail is kept and shown here. Hand its link to the person yourself, or set SMTP_URL.',
        )
      return 0
    })
  },
}

async function listMails(db: Db, email: string | undefined, limit: number): Promise<Tables['mail'][]> {
  return db
    .selectFrom('mail')
    .selectAll()
    .$if(email !== undefined, (query) => query.where('recipient', '=', email ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** A mail in the output. */
interface View {
  id: string
  to: string
  subject: string
  status: Tables['mail']['status']
  attempts: number
  lastAttemptAt: string | null
  lastError: string | null
  answer: string | null
  createdAt: string
  /** null after the mail was sent. */
  text: string | null
  link: string | null
}

function toView(row: Tables['mail'], outbox: Outbox): View {
  const text = row.body === '' ? null : outbox.read(row).text
  return {
    id: row.id,
    to: row.recipient,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    lastAttemptAt: toIsoOrNull(row.last_attempt_at),
    lastError: row.last_error,
    answer: row.answer,
    createdAt: toIso(row.created_at),
    text,
    link: /https?:\/\/\S+/.exec(text ?? '')?.[0] ?? null,
  }
}

const STATUS: Record<View['status'], string> = {
  queued: 'waiting to be sent',
  sent: 'sent',
  failed: 'given up',
  not_configured: 'kept, not sent',
}

function describe({ createdAt, to, subject, status, attempts, lastError, answer, text }: View): string {
  const tries = attempts === 0 ? '' : `, ${attempts} ${attempts === 1 ? 'try' : 'tries'}`
  return [
    `${createdAt}  ${to}  ${STATUS[status]}${tries}`,
    `  Subject: ${subject}`,
    ...(answer === null ? [] : [`  The mail server said: ${answer}`]),
    ...(lastError === null ? [] : [`  Last error: ${lastError}`]),
    ...(text === null
      ? []
      : [
          '',
          ...text
            .trimEnd()
            .split('\n')
            .map((line) => `    ${line}`),
        ]),
  ].join('\n')
}
