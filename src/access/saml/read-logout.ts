import { MINUTE, type Millis } from '../../core/clock.ts'
import { NAMESPACE, SUCCESS } from './names.ts'
import { bytesOf, checkTimes, instantOf, isNamed, mustDiffer, SKEW, textIn, treeOf } from './read-message.ts'
import { allOf, childrenOf, type Element, textOf } from './read-xml.ts'
import { inflated, type Received } from './redirect-binding.ts'
import { refused } from './refused.ts'
import { onlyChild, signedOf, verifyDetached, verifySignature } from './verify-signature.ts'

/** A message of an identity provider: a request to end sessions, or the answer to a request of Postern. */
export type LogoutMessage =
  | { kind: 'request'; id: string; subject: string; sessions: string[] }
  | { kind: 'answer'; isDone: boolean }

/** The values that a message must have. */
export interface ExpectedLogout {
  /** The entity id of the identity provider. */
  issuer: string
  certificates: readonly string[]
  /** Postern's URL for such messages. */
  destination: string
  /** The id of the request that an answer must name; undefined for a request. */
  requestId?: string
  now: Millis
}

/** A message that is older is refused; its id need not be kept any longer. */
export const LOGOUT_AGE: Millis = 10 * MINUTE
const MOST_SESSIONS = 100
const LONGEST_SESSION = 1_024

/**
 * Verifies and reads a message about a sign-out (SAML 2.0 Profiles 4.4.4). Its destination must be this address, and it must be signed:
 * in a query by a parameter, in a form by a signature within the message.
 * @throws ApiError UNAUTHORIZED with a `SamlReason`
 */
export async function readLogout(received: Received, expected: ExpectedLogout): Promise<LogoutMessage> {
  const isRequest = received.name === 'SAMLRequest'
  const root = await verified(received, expected.certificates)
  if (!isNamed(root, NAMESPACE.protocol, isRequest ? 'LogoutRequest' : 'LogoutResponse'))
    throw refused('not_a_logout')
  checkEnvelope(root, expected)
  return isRequest ? requestIn(root, expected) : answerIn(root, expected)
}

/** @returns the root element, read from the bytes that the signature covers */
async function verified({ encoded, detached }: Received, certificates: readonly string[]): Promise<Element> {
  if (detached === null) throw refused('unsigned')
  const bytes = bytesOf(encoded)
  if (detached !== undefined) {
    await verifyDetached(detached, certificates)
    const root = await treeOf(textIn(inflated(bytes)))
    if (allOf(root).some(({ namespace }) => namespace === NAMESPACE.signature))
      throw refused('signature_place')
    return root
  }
  const text = textIn(bytes)
  const root = await treeOf(text)
  mustDiffer(allOf(root))
  signedOf(root, [root])
  return treeOf(await verifySignature(text, root, certificates))
}

function checkEnvelope(root: Element, { issuer, destination, now }: ExpectedLogout): void {
  const { attributes } = root
  if (attributes.get('Version') !== '2.0') throw refused('not_a_logout')
  if (attributes.get('Destination') !== destination) throw refused('destination')
  if (textOf(onlyChild(root, NAMESPACE.assertion, 'Issuer')) !== issuer) throw refused('issuer')
  const issued = instantOf(attributes.get('IssueInstant'))
  if (issued === undefined || issued > now + SKEW) throw refused('not_yet')
  if (issued <= now - LOGOUT_AGE) throw refused('expired')
}

function requestIn(root: Element, { now }: ExpectedLogout): LogoutMessage {
  checkTimes(root.attributes, 'NotOnOrAfter', now)
  const id = root.attributes.get('ID') ?? ''
  if (!/^[\w.-]{1,256}$/.test(id)) throw refused('not_a_logout')
  const subject = textOf(onlyChild(root, NAMESPACE.assertion, 'NameID'))
  if (subject === undefined || subject.length > 255) throw refused('no_key')
  const named = childrenOf(root, NAMESPACE.protocol, 'SessionIndex')
  const sessions = named.flatMap((one) => textOf(one) ?? [])
  const isGood = sessions.length === named.length && named.length <= MOST_SESSIONS
  if (!isGood || sessions.some(({ length }) => length > LONGEST_SESSION)) throw refused('no_key')
  return { kind: 'request', id, subject, sessions }
}

function answerIn(root: Element, { requestId }: ExpectedLogout): LogoutMessage {
  if (root.attributes.get('InResponseTo') !== requestId) throw refused('request')
  const status = onlyChild(root, NAMESPACE.protocol, 'Status')
  const code = status && onlyChild(status, NAMESPACE.protocol, 'StatusCode')
  // A nested code reports a partial sign-out.
  const isDone = code?.attributes.get('Value') === SUCCESS && code.children.length === 0
  return { kind: 'answer', isDone }
}
