import type { ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { repeat, SECOND, systemClock } from '#src/core/clock.ts'
import { within } from './waits.ts'

/** A delivered mail, as tests read it. */
export interface Mail {
  recipients: string[]
  subject: string
  text: string
  html: string
  /** The first link in it. */
  link: string
  /** The `token` of that link. */
  token: string
  /** The code to type, for mails that have one. */
  code: string
  parsed: ParsedMail
}

/** How the server answers; a test may change it while it runs. */
export interface Behaviour {
  /** Called for each recipient; an error is the server's refusal. */
  onRecipient?: (address: string) => Error | undefined
  /** Awaited before the message is accepted. */
  beforeAccept?: () => Promise<void>
  /** While it waits for that, it sends lines of its answer, so that the client's timeout for a silent socket does not end the test's wait. */
  answersByLine?: boolean
  /** Drops the connection instead of answering to the message, without keeping it or having kept it. */
  dropAfterData?: 'lost' | 'kept'
}

/** A real SMTP server that keeps its mails. */
export interface Mailbox {
  url: string
  mails: Mail[]
  behaviour: Behaviour
  /** Every recipient that was named to the server, accepted or not. */
  recipients: string[]
  /** The next mail to an address that no earlier call has taken; waits for it. */
  next(address: string): Promise<Mail>
  stop(): Promise<void>
}

/** @param listenOn a free one unless given */
export async function startMailbox(listenOn = 0): Promise<Mailbox> {
  const mails: Mail[] = []
  const untaken: Mail[] = []
  const waiting: { address: string; resolve: (mail: Mail) => void }[] = []
  const recipients: string[] = []
  const behaviour: Behaviour = {}

  function receive(mail: Mail): void {
    mails.push(mail)
    const index = waiting.findIndex(({ address }) => mail.recipients.includes(address))
    const waiter = index < 0 ? undefined : waiting.splice(index, 1)[0]
    if (waiter === undefined) untaken.push(mail)
    else waiter.resolve(mail)
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, callback) {
      recipients.push(address)
      callback(behaviour.onRecipient?.(address) ?? null)
    },
    onData(stream, session, callback) {
      void (async () => {
        // Loaded here, because many tests get no mail: it is a tenth of what a file costs before its first test. The text as HTML, which no
        // test reads, would take another twentieth of a file.
        const { simpleParser } = await import('mailparser')
        const parsed = await simpleParser(stream, { skipTextToHtml: true, skipTextLinks: true })
        const mail = toMail(
          parsed,
          session.envelope.rcptTo.map(({ address }) => address),
        )
        if (behaviour.dropAfterData === 'kept') receive(mail)
        if (behaviour.dropAfterData !== undefined) return void socketOf(session)?.destroy()
        const stopLines = behaviour.answersByLine
          ? repeat(systemClock, 2 * SECOND, () => socketOf(session)?.write('250-wait\r\n'))
          : () => {}
        await behaviour.beforeAccept?.()
        stopLines()
        receive(mail)
        callback()
      })().catch((error: Error) => callback(error))
    },
  })
  function socketOf({ id }: SMTPServerSession) {
    return [...server.connections].find(({ session }) => session.id === id)?._socket
  }

  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(listenOn, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    behaviour,
    recipients,
    next(address) {
      const index = untaken.findIndex((mail) => mail.recipients.includes(address))
      const [mail] = index < 0 ? [] : untaken.splice(index, 1)
      if (mail !== undefined) return Promise.resolve(mail)
      const arrived = new Promise<Mail>((resolve) => waiting.push({ address, resolve }))
      return within(`a mail to ${address}`, arrived, {
        now: () => mails.map((other) => `${other.subject} → ${other.recipients}`),
      })
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function toMail(parsed: ParsedMail, recipients: string[]): Mail {
  const text = parsed.text ?? ''
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? ''
  return {
    recipients,
    subject: parsed.subject ?? '',
    text,
    html: parsed.html || '',
    link,
    token: URL.parse(link)?.searchParams.get('token') ?? '',
    code: /Code: (\S+)/.exec(text)?.[1] ?? '',
    parsed,
  }
}
