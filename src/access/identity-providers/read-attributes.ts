import { normalizeEmail } from '../../core/text/email.ts'
import type { SamlHint } from '../saml/logout-messages.ts'
import type { SamlClaims } from '../saml/read-response.ts'
import { namesOf } from '../social/identity.ts'
import type { Vouched } from './read-claims.ts'

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** The attribute names of several identity providers for each claim; the first one with a value counts. */
const USUAL = {
  email: ['email', 'mail', 'emailAddress', `${CLAIMS}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'],
  given: ['firstName', 'givenName', 'given_name', `${CLAIMS}/givenname`, 'urn:oid:2.5.4.42'],
  family: ['lastName', 'surname', 'sn', 'family_name', `${CLAIMS}/surname`, 'urn:oid:2.5.4.4'],
  name: ['displayName', 'name', 'cn', 'urn:oid:2.16.840.1.113730.3.1.241', 'urn:oid:2.5.4.3'],
  /** In this attribute Entra ID lists all methods of the sign-in. */
  methods: ['http://schemas.microsoft.com/claims/authnmethodsreferences'],
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/**
 * Reads the claims of a SAML identity provider about a person.
 * @param emailAttribute the attribute with the address; null: the usual ones, or the name if its format is an address
 */
export function samlVouched(
  { subject, format, attributes, methods, qualifiers, session }: SamlClaims,
  { emailAttribute }: { emailAttribute: string | null },
): Vouched {
  const said = (name: string) => (Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [])
  const first = (names: readonly string[]) => names.flatMap(said)[0]
  const address =
    first(emailAttribute === null ? USUAL.email : [emailAttribute]) ??
    (emailAttribute === null && format === EMAIL_FORMAT ? subject : undefined)
  const email = address === undefined ? undefined : normalizeEmail(address)
  const names = {
    given_name: first(USUAL.given),
    family_name: first(USUAL.family),
    name: first(USUAL.name),
  }
  const hint: SamlHint = { nameId: subject, format, ...qualifiers, session }
  return {
    ...{ subject, email, isDoubted: false },
    ...namesOf(names, email),
    said,
    methods: [...methods, ...USUAL.methods.flatMap(said)],
    ...{ session, hint: JSON.stringify(hint) },
  }
}
