import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { xmlText } from '../saml/read-xml.ts'
import type { MessageName } from '../saml/redirect-binding.ts'

const SEND = 'document.forms[0].submit()'
/** `form-action` is left out: browsers would hold the addresses to which the provider leads on against it, too. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SEND).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Answers with a page that brings a message to an identity provider at once, by a form (SAML 2.0 Bindings 3.5). */
export function sendForm(
  reply: FastifyReply,
  destination: string,
  { name, xml, relayState }: { name: MessageName; xml: string; relayState: string },
): FastifyReply {
  const fields = Object.entries({
    [name]: Buffer.from(xml).toString('base64'),
    ...(relayState !== '' && { RelayState: relayState }),
  }).map(([field, value]) => `<input type="hidden" name="${field}" value="${xmlText(value)}">`)
  return reply
    .header('content-security-policy', POLICY)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><title>Postern</title><form method="post" action="${xmlText(destination)}">${fields.join('')}<noscript><button>Continue</button></noscript></form><script>${SEND}</script>`,
    )
}
