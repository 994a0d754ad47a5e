import { createTransport } from 'nodemailer'
import type { Rendered } from './letters.ts'

/** Hands one mail to the operator's mail server. */
export interface MailTransport {
  /** Mails that it sends at once. */
  readonly connections: number
  /**
   * @returns the server's answer when it took the mail
   * @throws Error with the server's answer
   */
  send(mail: { id: string; to: string; rendered: Rendered }): Promise<string>
  close(): void
}

/** How long a mail server may take for each step of the dialogue. */
const PATIENCE = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
}

const CONNECTIONS = 2

export function smtpTransport(smtpUrl: string, from: string): MailTransport {
  const mailer = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...PATIENCE,
  })
  const sender = parseSender(from)
  return {
    connections: CONNECTIONS,
    async send({ id, to, rendered }) {
      const { response } = await mailer.sendMail({
        from: sender,
        // An address object is not parsed again, so the checked address is the one that is sent (nodemailer's own advice).
        to: { name: '', address: to },
        messageId: `<${id}@${sender.address.split('@').at(-1)}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...rendered,
      })
      return response
    },
    close: () => mailer.close(),
  }
}

/** `Name <address>` or a bare address, as the operator wrote it. */
function parseSender(from: string): { name: string; address: string } {
  const [, quoted, at = ''] = /^\s*"((?:[^"\\]|\\.)*)"\s*<([^<>]+)>\s*$/.exec(from) ?? []
  if (quoted !== undefined) return { name: quoted.replaceAll(/\\(.)/g, '$1'), address: at }
  const match = /^\s*([^"<]*?)\s*<([^<>]+)>\s*$/.exec(from)
  return match ? { name: match[1] ?? '', address: match[2] ?? '' } : { name: '', address: from.trim() }
}
