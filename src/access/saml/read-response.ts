import type { Millis } from '../../core/clock.ts'
import { assertionIn, decryptAssertion } from './decrypt-assertion.ts'
import { NAMESPACE, SUCCESS } from './names.ts'
import { bytesOf, checkTimes, instantOf, isNamed, mustDiffer, SKEW, textIn, treeOf } from './read-message.ts'
import { allOf, childrenOf, type Element, textOf } from './read-xml.ts'
import { refused } from './refused.ts'
import { onlyChild, signedOf, verifySignature } from './verify-signature.ts'

/** The claims of a SAML identity provider about a person. */
export interface SamlClaims {
  subject: string
  /** The format of the name; empty where it has none. */
  format: string
  /** Values by the name of their attribute. */
  attributes: Record<string, string[]>
  /** How the person has signed in there. */
  methods: string[]
  /** Further attributes of the name, which a request for a sign-out repeats. */
  qualifiers?: NameQualifiers
  /** The session id of the provider (`SessionIndex`). */
  session?: string | undefined
}

/** The attributes that qualify the name of a person. */
export interface NameQualifiers {
  nameQualifier?: string | undefined
  spNameQualifier?: string | undefined
}

/** The values that an answer must have. */
export interface Expected {
  /** The entity id of the identity provider. */
  issuer: string
  certificates: readonly string[]
  /** Private keys of Postern as PEM; an assertion may be encrypted to any of them. */
  keys: readonly string[]
  /** Our entity id. */
  audience: string
  /** Postern's URL for answers. */
  recipient: string
  requestId: string
  now: Millis
}

/** The longest name of an attribute. */
const LONGEST_NAME = 256
const MOST_VALUES = 2_000
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
/** The format of a name that changes with each sign-in. */
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Conditions that every sign-in meets. */
const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

/**
 * Verifies and reads the answer of an identity provider (SAML 2.0 Profiles 4.1.4). Claims are read only from the bytes that a signature
 * covers: the assertion, or the whole response.
 * @param encoded the form's `SAMLResponse`
 * @throws ApiError UNAUTHORIZED with a `SamlReason`
 */
export async function readResponse(encoded: string, expected: Expected): Promise<SamlClaims> {
  const text = textIn(bytesOf(encoded))
  const response = await treeOf(text)
  if (!isNamed(response, NAMESPACE.protocol, 'Response')) throw refused('not_a_response')
  checkResponse(response, expected)
  const all = allOf(response)
  const [only, another] = all.filter(({ name }) => name === 'Assertion' || name === 'EncryptedAssertion')
  if (another !== undefined || only?.parent !== response) throw refused('many_assertions')
  mustDiffer(all)
  const isSigned = isSignedIn(all)
  const isEncrypted = only.name === 'EncryptedAssertion'
  if (!isEncrypted && !isSigned) throw refused('unsigned')
  const signed = isSigned ? signedOf(response, isEncrypted ? [response] : [response, only]) : []
  let found = { text, assertion: only }
  let covered: Element | undefined
  if (signed.includes(response)) {
    const root = await treeOf(await verifySignature(text, response, expected.certificates))
    checkResponse(root, expected)
    covered = onlyChild(root, NAMESPACE.assertion, only.name)
    if (covered === undefined) throw refused('signature')
  }
  if (isEncrypted) {
    found = await decrypted(covered ?? only, { keys: expected.keys, isCovered: covered !== undefined })
    if (covered !== undefined) covered = found.assertion
  }
  // Each signature must be valid; that of the assertion covers the assertion itself.
  if (isEncrypted ? isSignedIn(allOf(found.assertion)) : signed.includes(only)) {
    if (isEncrypted) signedOf(found.assertion, [found.assertion])
    covered = await treeOf(await verifySignature(found.text, found.assertion, expected.certificates))
  }
  if (covered === undefined) throw refused('unsigned')
  if (!isNamed(covered, NAMESPACE.assertion, 'Assertion')) throw refused('signature')
  return readAssertion(covered, expected)
}

const isSignedIn = (all: readonly Element[]) =>
  all.some(({ namespace, name }) => namespace === NAMESPACE.signature && name === 'Signature')

/** Decrypts the assertion, and parses it within the limits of plain assertions. */
async function decrypted(
  encrypted: Element,
  options: Parameters<typeof decryptAssertion>[1],
): Promise<{ text: string; assertion: Element }> {
  if (!isNamed(encrypted, NAMESPACE.assertion, 'EncryptedAssertion')) throw refused('encryption_shape')
  const text = decryptAssertion(encrypted, options)
  const root = await treeOf(text)
  const assertion = assertionIn(root)
  mustDiffer(allOf(assertion))
  return { text, assertion }
}

/** Checks the envelope. An unsigned envelope proves nothing, but one for another recipient or request is refused early. */
function checkResponse(response: Element, { recipient, requestId, issuer }: Expected): void {
  const { attributes } = response
  if (attributes.get('Version') !== '2.0') throw refused('not_a_response')
  const destination = attributes.get('Destination')
  if (destination !== undefined && destination !== recipient) throw refused('destination')
  if (attributes.get('InResponseTo') !== requestId) throw refused('request')
  const own = onlyChild(response, NAMESPACE.protocol, 'Status')
  const status = own && onlyChild(own, NAMESPACE.protocol, 'StatusCode')
  if (status?.attributes.get('Value') !== SUCCESS) throw refused('denied')
  const named = childrenOf(response, NAMESPACE.assertion, 'Issuer')
  if (named.some((one) => textOf(one) !== issuer)) throw refused('issuer')
}

function readAssertion(assertion: Element, expected: Expected): SamlClaims {
  const only = (name: string) => onlyChild(assertion, NAMESPACE.assertion, name)
  if (assertion.attributes.get('Version') !== '2.0') throw refused('not_a_response')
  if (textOf(only('Issuer')) !== expected.issuer) throw refused('issuer')
  const issued = instantOf(assertion.attributes.get('IssueInstant'))
  if (issued === undefined || issued > expected.now + SKEW) throw refused('not_yet')
  checkConditions(only('Conditions'), expected)
  const subject = only('Subject')
  if (subject === undefined) throw refused('no_key')
  checkConfirmation(subject, expected)
  const statements = childrenOf(assertion, NAMESPACE.assertion, 'AuthnStatement')
  if (statements.length === 0) throw refused('no_authentication')
  for (const { attributes } of statements) checkTimes(attributes, 'SessionNotOnOrAfter', expected.now)
  const name = onlyChild(subject, NAMESPACE.assertion, 'NameID')
  const key = textOf(name)
  const format = name?.attributes.get('Format') ?? ''
  if (key === undefined || !/^[\x20-\x7e]{1,255}$/.test(key) || format === TRANSIENT) throw refused('no_key')
  return {
    ...{ subject: key, format, attributes: attributesOf(assertion), methods: methodsOf(statements) },
    qualifiers: {
      nameQualifier: name?.attributes.get('NameQualifier'),
      spNameQualifier: name?.attributes.get('SPNameQualifier'),
    },
    session: statements.flatMap(({ attributes }) => attributes.get('SessionIndex') || [])[0],
  }
}

function checkConditions(conditions: Element | undefined, { audience, now }: Expected): void {
  if (conditions === undefined) throw refused('audience')
  checkTimes(conditions.attributes, 'NotOnOrAfter', now)
  const isKnown = ({ namespace, name }: Element) =>
    namespace === NAMESPACE.assertion && CONDITIONS.includes(name)
  if (!conditions.children.every(isKnown)) throw refused('conditions')
  const restrictions = childrenOf(conditions, NAMESPACE.assertion, 'AudienceRestriction')
  const isMeant = (restriction: Element) =>
    childrenOf(restriction, NAMESPACE.assertion, 'Audience').some((one) => textOf(one) === audience)
  if (restrictions.length === 0 || !restrictions.every(isMeant)) throw refused('audience')
}

/** Checks that one bearer confirmation has this recipient, this request and a valid time. */
function checkConfirmation(subject: Element, { recipient, requestId, now }: Expected): void {
  const bearers = childrenOf(subject, NAMESPACE.assertion, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === BEARER,
  )
  const meant = bearers.flatMap((bearer) => {
    const data = onlyChild(bearer, NAMESPACE.assertion, 'SubjectConfirmationData')
    return data?.attributes.get('Recipient') === recipient ? [data.attributes] : []
  })
  const [first] = meant
  if (first === undefined) throw refused('subject_confirmation')
  const asked = meant.find((data) => data.get('InResponseTo') === requestId)
  if (asked === undefined) throw refused('request')
  if (!asked.has('NotOnOrAfter')) throw refused('subject_confirmation')
  checkTimes(asked, 'NotOnOrAfter', now)
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const values = new Map<string, string[]>()
  let count = 0
  for (const statement of childrenOf(assertion, NAMESPACE.assertion, 'AttributeStatement'))
    for (const attribute of childrenOf(statement, NAMESPACE.assertion, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? ''
      if (name === '' || name.length > LONGEST_NAME) continue
      for (const one of childrenOf(attribute, NAMESPACE.assertion, 'AttributeValue')) {
        const value = textOf(one)
        count += 1
        if (value === undefined || count > MOST_VALUES) continue
        values.set(name, [...(values.get(name) ?? []), value])
      }
    }
  return Object.fromEntries(values)
}

function methodsOf(statements: readonly Element[]): string[] {
  return statements.flatMap((statement) =>
    childrenOf(statement, NAMESPACE.assertion, 'AuthnContext').flatMap((context) =>
      childrenOf(context, NAMESPACE.assertion, 'AuthnContextClassRef').flatMap((one) => textOf(one) ?? []),
    ),
  )
}
