import type { Config } from '../config/config.ts'
import type { MailTransport } from './transport.ts'

/** @returns undefined where no mail server is configured; nodemailer is then not loaded */
export async function openTransport({ smtpUrl, from }: Config['mail']): Promise<MailTransport | undefined> {
  if (smtpUrl === undefined) return undefined
  const { smtpTransport } = await import('./transport.ts')
  return smtpTransport(smtpUrl, from)
}
