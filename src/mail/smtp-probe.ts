import { createTransport } from 'nodemailer'

/**
 * Connects to the mail server, greets it (EHLO), starts TLS and signs in as for a mail, but sends none.
 * @throws Error with the server's answer
 */
export async function probeSmtp(smtpUrl: string): Promise<void> {
  const patience = 8_000
  const mailer = createTransport({
    url: smtpUrl,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    dnsTimeout: patience,
  })
  try {
    await mailer.verify()
  } finally {
    mailer.close()
  }
}
