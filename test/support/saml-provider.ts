import { randomBytes, sign } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { systemClock, toIso } from '#src/core/clock.ts'
import type { Answer, Client } from './browser.ts'
import { type Identity, newIdentity } from './certificate.ts'

/** Imported without its types, because they include those of a browser. */
const { SignedXml } = (await import('xml-crypto' as string)) as {
  SignedXml: new (
    options: object,
  ) => {
    addReference(reference: object): void
    computeSignature(text: string, options: object): void
    getSignedXml(): string
    SignatureAlgorithms: Record<string, unknown>
  }
}

/** The request that a browser brings, as an identity provider reads it. */
export interface Request {
  id: string
  issuer: string
  acsUrl: string
  relayState: string
  xml: string
}

/** A person there, and what is said of the sign-in. */
export interface SamlPerson {
  nameId: string
  format?: string
  attributes?: Record<string, string | string[]>
  method?: string
}

/** What is said of a person; a row of a table of attacks says one thing otherwise. */
export interface Said extends SamlPerson {
  issuer: string
  responseIssuer: string
  audience: string
  recipient: string
  destination: string
  inResponseTo: string
  subjectInResponseTo: string
  now: number
  notBefore: number
  notOnOrAfter: number
  status: string
  conditions: string
  confirmation: string
  statement: string
}

export const readRequest = (authUrl: string): Request => {
  const query = new URL(authUrl).searchParams
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString('utf8')
  const of = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? ''
  return {
    id: of(/ ID="([^"]+)"/),
    issuer: of(/<saml:Issuer>([^<]+)</),
    acsUrl: of(/AssertionConsumerServiceURL="([^"]+)"/),
    relayState: query.get('RelayState') ?? '',
    xml,
  }
}

const iso = toIso
const newId = () => `_${randomBytes(16).toString('hex')}`
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** What a well-behaved provider says in answer to a request. */
export function sayOf(
  request: Request,
  entityId: string,
  person: SamlPerson,
  more: Partial<Said> = {},
): Said {
  const now = more.now ?? systemClock.now()
  return {
    ...{ issuer: entityId, responseIssuer: entityId, audience: request.issuer },
    ...{ recipient: request.acsUrl, destination: request.acsUrl },
    ...{ inResponseTo: request.id, subjectInResponseTo: request.id },
    ...{ now, notBefore: now - 60_000, notOnOrAfter: now + 300_000 },
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    ...{ conditions: '', confirmation: 'urn:oasis:names:tc:SAML:2.0:cm:bearer', statement: '' },
    ...person,
    ...more,
  }
}

export function assertionOf(said: Said, id = newId()): string {
  const attributes = Object.entries(said.attributes ?? {}).map(([name, values]) => {
    const all = [values].flat().map((value) => `<saml:AttributeValue>${escaped(value)}</saml:AttributeValue>`)
    return `<saml:Attribute Name="${escaped(name)}">${all.join('')}</saml:Attribute>`
  })
  const format = said.format ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
  const method = said.method ?? 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password'
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${iso(said.now)}"><saml:Issuer>${said.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${said.nameId}</saml:NameID><saml:SubjectConfirmation Method="${said.confirmation}"><saml:SubjectConfirmationData Recipient="${said.recipient}" InResponseTo="${said.subjectInResponseTo}" NotOnOrAfter="${iso(said.notOnOrAfter)}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${iso(said.notBefore)}" NotOnOrAfter="${iso(said.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction>${said.conditions}</saml:Conditions><saml:AuthnStatement AuthnInstant="${iso(said.now)}" ${said.statement}><saml:AuthnContext><saml:AuthnContextClassRef>${method}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
}

export function responseOf(said: Said, content: string, id = newId()): string {
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${iso(said.now)}" Destination="${said.destination}" InResponseTo="${said.inResponseTo}"><saml:Issuer>${said.responseIssuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${said.status}"/></samlp:Status>${content}</samlp:Response>`
}

export interface SigningOptions {
  method?: string
  digest?: string
  transforms?: string[]
  /** How an elliptic curve's signature is written; SAML has both numbers behind one another. */
  dsaEncoding?: 'ieee-p1363' | 'der'
}

/** ECDSA, which the library has not. */
const ecdsa = (method: string, dsaEncoding: 'ieee-p1363' | 'der') =>
  class {
    getSignature = (material: string, key: string) =>
      sign(method.split('-').at(-1), Buffer.from(material), { key, dsaEncoding }).toString('base64')
    getAlgorithmName = () => method
  }

/** Signs the element of a document that has a name, and puts the signature behind its issuer. */
export function signed(
  xml: string,
  name: 'Assertion' | 'Response' | 'LogoutRequest' | 'LogoutResponse',
  { privateKey, certificate }: Identity,
  options: SigningOptions = {},
): string {
  const signer = new SignedXml({
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicCert: certificate,
    signatureAlgorithm: options.method ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  })
  const { method = '', dsaEncoding = 'ieee-p1363' } = options
  if (method.includes('ecdsa')) signer.SignatureAlgorithms[method] = ecdsa(method, dsaEncoding)
  const xpath = `//*[local-name(.)='${name}']`
  signer.addReference({
    xpath,
    digestAlgorithm: options.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: options.transforms ?? [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
  })
  const reference = `${xpath}/*[local-name(.)='Issuer']`
  signer.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'after' } })
  return signer.getSignedXml()
}

/** A SAML identity provider that says what it is asked to say. */
export function newSamlProvider(entityId = `https://idp-${randomBytes(4).toString('hex')}.acme.test/saml`) {
  const identity = newIdentity()
  return {
    entityId,
    identity,
    saml: {
      entityId,
      signOnUrl: 'https://idp.acme.test/sso?realm=acme',
      certificates: [identity.certificate],
    },
    /** The answer of a provider that signs the assertion, as most do. */
    answer(authUrl: string, person: SamlPerson, more: Partial<Said> = {}, key = identity): string {
      const said = sayOf(readRequest(authUrl), entityId, person, more)
      return responseOf(said, signed(assertionOf(said), 'Assertion', key))
    },
  }
}

/** Brings an answer to Postern as a page of the provider does: without a cookie of ours, and from another site. */
export function postAnswer(
  stranger: Client,
  { acsUrl, relayState }: Pick<Request, 'acsUrl' | 'relayState'>,
  xml: string | Buffer,
): Promise<Answer> {
  const form = new URLSearchParams({
    SAMLResponse: Buffer.from(xml).toString('base64'),
    RelayState: relayState,
  })
  return stranger.post(new URL(acsUrl).pathname, form.toString(), {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://idp.acme.test',
      'sec-fetch-site': 'cross-site',
    },
  })
}

/** Goes on with the browser where such an answer has led it. */
export function followAnswer(browser: Client, posted: Answer): Promise<Answer> {
  const location = new URL(posted.headers.get('location') ?? '')
  return browser.get(location.pathname + location.search)
}

/** Brings an answer, and goes on where it is taken. */
export async function bringAnswer(
  browser: Client,
  stranger: Client,
  request: Pick<Request, 'acsUrl' | 'relayState'>,
  xml: string | Buffer,
): Promise<Answer> {
  const posted = await postAnswer(stranger, request, xml)
  return posted.status === 303 ? followAnswer(browser, posted) : posted
}
