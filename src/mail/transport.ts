import type { Config } from '../config/config.ts'
import type { RenderedMail } from './mail-templates.ts'
import { MAILS_AT_ONCE } from './outbox.ts'

/** Sends mails through the operator's mail server. */
export interface MailTransport {
  /**
   * @param signal closes the connection of the mail
   * @returns the server's answer when it accepted the mail
   * @throws Error with the server's answer
   */
  send(mail: { id: string; to: string; rendered: RenderedMail }, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** Longest time of each step of the SMTP dialogue. */
const PATIENCE = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
}

async function openPool(smtpUrl: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAILS_AT_ONCE,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...PATIENCE,
  })
}

/** Creates the transport, which connects with its first mail. @returns undefined where no mail server is configured */
export function createMailTransport({ smtpUrl, from }: Config['mail']): MailTransport | undefined {
  if (smtpUrl === undefined) return undefined
  const sender = parseSender(from)
  let pool: ReturnType<typeof openPool> | undefined
  return {
    async send({ id, to, rendered }, signal) {
      pool ??= openPool(smtpUrl)
      const { response } = await (await pool).sendMail({
        from: sender,
        // nodemailer does not parse an address object again, so the checked address is the one that is sent (its own
        // advice).
        to: { name: '', address: to },
        messageId: `<${id}@${sender.address.split('@').at(-1)}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
        ...rendered,
      })
      return response
    },
    async close() {
      ;(await pool)?.close()
    },
  }
}

/** Parses `Name <address>` or a bare address from the configuration. */
function parseSender(from: string): { name: string; address: string } {
  const [, quoted, at = ''] = /^\s*"((?:[^"\\]|\\.)*)"\s*<([^<>]+)>\s*$/.exec(from) ?? []
  if (quoted !== undefined) return { name: quoted.replaceAll(/\\(.)/g, '$1'), address: at }
  const match = /^\s*([^"<]*?)\s*<([^<>]+)>\s*$/.exec(from)
  return match ? { name: match[1] ?? '', address: match[2] ?? '' } : { name: '', address: from.trim() }
}
