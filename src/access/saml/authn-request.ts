import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { type Millis, toIso } from '../../core/clock.ts'
import { BINDING, NAMESPACE } from './names.ts'
import { xmlText } from './read-xml.ts'

/** The id of a new message: an XML name, which the answer repeats. */
export const newMessageId = () => `_${randomBytes(20).toString('hex')}`

/**
 * The address to which the browser is sent with a request for a sign-in (SAML 2.0 Bindings 3.4). It names the binding of the
 * answer and requests nothing else, because identity providers support different name formats and methods.
 */
export function authnRequestUrl(
  { signOnUrl }: { signOnUrl: string },
  { entityId, acsUrl }: { entityId: string; acsUrl: string },
  { requestId, state, now }: { requestId: string; state: string; now: Millis },
): string {
  const attributes = Object.entries({
    'xmlns:samlp': NAMESPACE.protocol,
    'xmlns:saml': NAMESPACE.assertion,
    ID: requestId,
    Version: '2.0',
    IssueInstant: toIso(now),
    Destination: signOnUrl,
    ProtocolBinding: BINDING.post,
    AssertionConsumerServiceURL: acsUrl,
  }).map(([name, value]) => ` ${name}="${xmlText(value)}"`)
  const issuer = `<saml:Issuer>${xmlText(entityId)}</saml:Issuer>`
  const request = `<samlp:AuthnRequest${attributes.join('')}>${issuer}</samlp:AuthnRequest>`
  const url = new URL(signOnUrl)
  url.searchParams.set('SAMLRequest', deflateRawSync(request).toString('base64'))
  url.searchParams.set('RelayState', state)
  return url.href
}
