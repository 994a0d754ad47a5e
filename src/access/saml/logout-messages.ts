import { MINUTE, type Millis, toIso } from '../../core/clock.ts'
import { NAMESPACE, SUCCESS } from './names.ts'
import type { NameQualifiers } from './read-response.ts'
import { xmlText } from './read-xml.ts'

/** Names a session to the identity provider that began it, by the values of the sign-in. */
export interface SamlHint extends NameQualifiers {
  nameId: string
  /** Empty if the name has no format. */
  format: string
  /** Undefined if the provider did not name the session. */
  session?: string | undefined
}

/** The attributes that every message has. */
interface Envelope {
  id: string
  /** The entity id of Postern. */
  issuer: string
  destination: string
  now: Millis
}

/** Validity of a request. The browser delivers it at once. */
const LASTS: Millis = 5 * MINUTE

/** A request to end a session at an identity provider (SAML 2.0 Core 3.7.1), without its signature. */
export function logoutRequest(envelope: Envelope, hint: SamlHint): string {
  const { nameId, format, nameQualifier, spNameQualifier, session } = hint
  const name = attributesOf({
    NameQualifier: nameQualifier,
    SPNameQualifier: spNameQualifier,
    Format: format === '' ? undefined : format,
  })
  const index = session === undefined ? '' : `<samlp:SessionIndex>${xmlText(session)}</samlp:SessionIndex>`
  return message(
    'LogoutRequest',
    envelope,
    { NotOnOrAfter: toIso(envelope.now + LASTS) },
    `<saml:NameID${name}>${xmlText(nameId)}</saml:NameID>${index}`,
  )
}

/** The answer to a request whose sessions have ended, without its signature. */
export const logoutResponse = (envelope: Envelope, inResponseTo: string): string =>
  message(
    'LogoutResponse',
    envelope,
    { InResponseTo: inResponseTo },
    `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`,
  )

function message(
  name: string,
  { id, issuer, destination, now }: Envelope,
  more: Record<string, string>,
  content: string,
): string {
  const attributes = attributesOf({
    'xmlns:samlp': NAMESPACE.protocol,
    'xmlns:saml': NAMESPACE.assertion,
    ID: id,
    Version: '2.0',
    IssueInstant: toIso(now),
    Destination: destination,
    ...more,
  })
  return `<samlp:${name}${attributes}><saml:Issuer>${xmlText(issuer)}</saml:Issuer>${content}</samlp:${name}>`
}

const attributesOf = (values: Record<string, string | undefined>) =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${xmlText(value)}"`))
    .join('')
