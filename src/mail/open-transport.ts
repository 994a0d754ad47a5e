import type { Config } from '../config/config.ts'
import type { MailTransport } from './transport.ts'

/** undefined: no mail server is configured, and nothing that speaks to one is read. */
export async function openTransport({ smtpUrl, from }: Config['mail']): Promise<MailTransport | undefined> {
  if (smtpUrl === undefined) return undefined
  const { smtpTransport } = await import('./transport.ts')
  return smtpTransport(smtpUrl, from)
}
