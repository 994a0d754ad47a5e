import { createTransport } from 'nodemailer'

/**
 * Opens a connection to the mail server, greets it (EHLO), takes up TLS and signs in as a mail would; sends none.
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
