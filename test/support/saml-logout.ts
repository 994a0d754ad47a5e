import { randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { toIso } from '#src/core/clock.ts'
import type { Identity } from './certificate.ts'
import { type newSamlProvider, type SigningOptions, signed } from './saml-provider.ts'

type SamlProvider = ReturnType<typeof newSamlProvider>

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const MINUTE = 60_000
const newId = () => `_${randomBytes(16).toString('hex')}`

/** What Postern asks for, or says, as an identity provider reads it. */
export interface OwnMessage {
  xml: string
  id: string
  destination: string
  issuer: string
  inResponseTo: string
  nameId: string
  format: string
  session: string
  relayState: string
  status: string
}

function parsed(xml: string, relayState: string): OwnMessage {
  const of = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? ''
  return {
    ...{ xml, relayState, id: of(/ ID="([^"]+)"/), destination: of(/ Destination="([^"]+)"/) },
    ...{ issuer: of(/<saml:Issuer>([^<]+)</), inResponseTo: of(/ InResponseTo="([^"]+)"/) },
    ...{ nameId: of(/<saml:NameID[^>]*>([^<]+)</), format: of(/<saml:NameID[^>]* Format="([^"]+)"/) },
    ...{ session: of(/<samlp:SessionIndex>([^<]+)</), status: of(/<samlp:StatusCode Value="([^"]+)"/) },
  }
}

/** Reads a message in an address, by whose signature beside it the certificate must have signed it. */
export function readOwnRedirect(address: string, certificate: string): OwnMessage {
  const query = address.slice(address.indexOf('SAMLRe'))
  const [material = '', signature = ''] = query.split('&Signature=')
  const key = new X509Certificate(certificate).publicKey
  const value = Buffer.from(decodeURIComponent(signature), 'base64')
  if (!verify('sha256', Buffer.from(material), key, value)) throw new Error('the signature does not fit')
  const all = new URLSearchParams(query)
  if (all.get('SigAlg') !== RSA_SHA256) throw new Error('another method')
  const message = all.get('SAMLRequest') ?? all.get('SAMLResponse') ?? ''
  return parsed(inflateRawSync(Buffer.from(message, 'base64')).toString(), all.get('RelayState') ?? '')
}

const { SignedXml } = (await import('xml-crypto' as string)) as {
  SignedXml: new (
    options: object,
  ) => { loadSignature(xml: string): void; checkSignature(xml: string): boolean }
}

/** Reads a message in a page with a form, whose own signature the certificate must have made. */
export function readOwnForm(page: string, certificate: string): OwnMessage & { action: string } {
  const of = (pattern: RegExp) => (pattern.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')
  const message = of(/name="SAMLRe(?:quest|sponse)" value="([^"]+)"/)
  const xml = Buffer.from(message, 'base64').toString()
  const verifier = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null })
  verifier.loadSignature(/<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? '')
  if (!verifier.checkSignature(xml)) throw new Error('the signature does not fit')
  return { ...parsed(xml, of(/name="RelayState" value="([^"]+)"/)), action: of(/action="([^"]+)"/) }
}

/** What a provider says of a sign-out; a row of a table of attacks says one thing otherwise. */
export interface LogoutSaid {
  id: string
  issuer: string
  destination: string
  now: number
  notOnOrAfter: number | undefined
  nameId: string
  sessions: string[]
  inResponseTo: string
  status: string
}

export function logoutSaid(said: Partial<LogoutSaid> & Pick<LogoutSaid, 'issuer' | 'now'>): LogoutSaid {
  return {
    ...{ id: newId(), destination: '', nameId: 'nobody', sessions: [], inResponseTo: '' },
    ...{ status: 'urn:oasis:names:tc:SAML:2.0:status:Success', notOnOrAfter: said.now + 5 * MINUTE },
    ...said,
  }
}

const envelope = (name: string, said: LogoutSaid, more: string, content: string) =>
  `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.id}" Version="2.0" IssueInstant="${toIso(said.now)}" Destination="${said.destination}"${more}><saml:Issuer>${said.issuer}</saml:Issuer>${content}</samlp:${name}>`

export function logoutRequestXml(said: LogoutSaid): string {
  const sessions = said.sessions.map((one) => `<samlp:SessionIndex>${one}</samlp:SessionIndex>`)
  const end = said.notOnOrAfter === undefined ? '' : ` NotOnOrAfter="${toIso(said.notOnOrAfter)}"`
  const content = `<saml:NameID>${said.nameId}</saml:NameID>${sessions.join('')}`
  return envelope('LogoutRequest', said, end, content)
}

export const logoutResponseXml = (said: LogoutSaid): string =>
  envelope(
    'LogoutResponse',
    said,
    ` InResponseTo="${said.inResponseTo}"`,
    `<samlp:Status><samlp:StatusCode Value="${said.status}"/></samlp:Status>`,
  )

export type MessageName = 'SAMLRequest' | 'SAMLResponse'

/** The parameters of a signed query, in the order in which they are signed. */
export function signedParameters(
  { name, xml, relayState }: { name: MessageName; xml: string | Buffer; relayState?: string | undefined },
  key: Identity,
  method = RSA_SHA256,
): [name: string, value: string][] {
  const message = Buffer.isBuffer(xml) ? xml : deflateRawSync(xml)
  const parameters: [string, string][] = [
    [name, message.toString('base64')],
    ...(relayState === undefined ? [] : [['RelayState', relayState] as [string, string]]),
    ['SigAlg', method],
  ]
  const hash = method.split(/[-#]/).at(-1) ?? ''
  const material = Buffer.from(written(parameters))
  const { privateKey } = key
  const value = sign(hash, material, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64')
  return [...parameters, ['Signature', value]]
}

/** As a query, in which browsers would write an apostrophe otherwise. */
export const written = (parameters: [name: string, value: string][]) =>
  parameters.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("'", '%27')}`).join('&')

/** How an attacker, or a provider, brings a message: the query of a `GET`, or the fields of a form. */
export type Brought = { query: string } | { form: string }

/** The form of a message that is signed in itself. */
export function signedForm(
  { name, xml, relayState }: { name: MessageName; xml: string; relayState?: string | undefined },
  key: Identity,
  options: SigningOptions = {},
): { form: string } {
  const root = name === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse'
  return { form: formOf(name, signed(xml, root, key, options), relayState) }
}

export const formOf = (name: MessageName, xml: string | Buffer, relayState?: string) =>
  new URLSearchParams({
    [name]: Buffer.from(xml).toString('base64'),
    ...(relayState !== undefined && { RelayState: relayState }),
  }).toString()

export interface LogoutForgery {
  reason: string
  bring: () => Brought
}

/** Requests for a sign-out that must end no session, by name, with the reason that is answered. */
export function forgedLogouts({
  idp,
  stranger,
  destination,
  nameId,
  now,
}: {
  idp: SamlProvider
  /** Another provider that says the same name, and has a key of its own. */
  stranger: SamlProvider
  destination: string
  nameId: string
  now: number
}): Record<string, LogoutForgery> {
  const name = 'SAMLRequest'
  const say = (more: Partial<LogoutSaid> = {}) =>
    logoutRequestXml(logoutSaid({ issuer: idp.entityId, now, destination, nameId, ...more }))
  const parameters = (xml: string | Buffer = say(), key = idp.identity, method?: string) =>
    signedParameters({ name, xml, relayState: 'https://evil.test/' }, key, method)
  const byQuery = (reason: string, make: () => [string, string][]): LogoutForgery => ({
    reason,
    bring: () => ({ query: written(make()) }),
  })
  const byForm = (reason: string, make: () => string | Buffer): LogoutForgery => ({
    reason,
    bring: () => ({ form: formOf(name, make()) }),
  })
  const truly = (xml = say(), options: SigningOptions = {}, key = idp.identity) =>
    signed(xml, 'LogoutRequest', key, options)
  /** One that says something otherwise, by both ways. */
  const saying = (what: string, reason: string, xml: () => string): Record<string, LogoutForgery> => ({
    [`${what}, in a query`]: byQuery(reason, () => parameters(xml())),
    [`${what}, in a form`]: byForm(reason, () => truly(xml())),
  })
  const without = (all: [string, string][], ...names: string[]) => all.filter(([one]) => !names.includes(one))

  return {
    'a query that is not signed': byQuery('unsigned', () => without(parameters(), 'Signature', 'SigAlg')),
    'a query without its signature': byQuery('unsigned', () => without(parameters(), 'Signature')),
    'a query without its method': byQuery('unsigned', () => without(parameters(), 'SigAlg')),
    'a query whose message alone is signed': byQuery('unsigned', () => [
      [name, deflateRawSync(truly()).toString('base64')],
    ]),
    'a query by a stranger': byQuery('signature', () => parameters(say(), stranger.identity)),
    'a query with another message': byQuery('signature', () =>
      parameters().map(([one, value]) => [
        one,
        one === name ? deflateRawSync(say()).toString('base64') : value,
      ]),
    ),
    'a query with another relay state': byQuery('signature', () =>
      parameters().map(([one, value]) => [one, one === 'RelayState' ? 'other' : value]),
    ),
    'a query without its relay state': byQuery('signature', () => without(parameters(), 'RelayState')),
    'a query with a signature of nothing': byQuery('signature', () => [
      ...without(parameters(), 'Signature'),
      ['Signature', ''],
    ]),
    'a query with two messages, the signed one first': byQuery('parameters', () => [
      ...parameters(),
      [name, deflateRawSync(say()).toString('base64')],
    ]),
    'a query with two messages, the signed one last': byQuery('parameters', () => [
      [name, deflateRawSync(say()).toString('base64')],
      ...parameters(),
    ]),
    'a query with two relay states': byQuery('parameters', () => [...parameters(), ['RelayState', 'x']]),
    'a query with a request and an answer': byQuery('parameters', () => [
      ...parameters(),
      ['SAMLResponse', 'x'],
    ]),
    'a query with a name that is written otherwise': {
      reason: 'parameters',
      bring: () => ({ query: written(parameters()).replace('RelayState=', 'Relay%53tate=') }),
    },
    'a query that is no text': {
      reason: 'parameters',
      bring: () => ({ query: `${written(parameters())}&SAMLEncoding=%ff` }),
    },
    'a query with another encoding': byQuery('parameters', () => [...parameters(), ['SAMLEncoding', 'x']]),
    'a query with a long relay state': byQuery('parameters', () =>
      signedParameters({ name, xml: say(), relayState: 'x'.repeat(1_025) }, idp.identity),
    ),
    'a query without a message': { reason: 'parameters', bring: () => ({ query: 'RelayState=x' }) },
    'a query by RSA with SHA-1': byQuery('weak_algorithm', () =>
      parameters(say(), idp.identity, 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'),
    ),
    'a query by the name of another kind of key': byQuery('signature', () =>
      parameters().map(([one, value]) => [
        one,
        one === 'SigAlg' ? 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256' : value,
      ]),
    ),
    'a query by a shared key': byQuery('weak_algorithm', () =>
      parameters().map(([one, value]) => [
        one,
        one === 'SigAlg' ? 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256' : value,
      ]),
    ),
    'a bomb of deflated spaces': byQuery('too_large', () => parameters(`${' '.repeat(4_000_000)}${say()}`)),
    'a message that is not deflated': byQuery('not_deflated', () => parameters(Buffer.from(say()))),
    'a message that is no base64': byQuery('not_base64', () => {
      const material: [string, string][] = [
        [name, '%%%'],
        ['SigAlg', RSA_SHA256],
      ]
      const value = sign('sha256', Buffer.from(written(material)), idp.identity.privateKey)
      return [...material, ['Signature', value.toString('base64')]]
    }),
    'a signature within a signed query': byQuery('signature_place', () => parameters(truly())),
    'a form that is not signed': byForm('unsigned', () => say()),
    'a form by a stranger': byForm('signature', () => truly(say(), {}, stranger.identity)),
    'a form that was changed after it was signed': byForm('signature', () =>
      truly().replace(nameId, 'another'),
    ),
    'a form by RSA with SHA-1': byForm('weak_algorithm', () =>
      truly(say(), { method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    ),
    'a form with a digest by SHA-1': byForm('weak_algorithm', () =>
      truly(say(), { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
    ),
    'a form with two messages': {
      reason: 'parameters',
      bring: () => ({ form: `${formOf(name, truly())}&${formOf(name, say())}` }),
    },
    'a true request within an evil one': byForm('signature_place', () =>
      say().replace('</samlp:LogoutRequest>', `${truly()}</samlp:LogoutRequest>`),
    ),
    'the signature of a true request in an evil one': byForm('signature', () => {
      const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(truly(say({ id: '_same' })))?.[0] ?? ''
      return say({ id: '_same', nameId: `${nameId}-other` }).replace(
        '<saml:NameID>',
        `${signature}<saml:NameID>`,
      )
    }),
    'two elements with one id': byForm('duplicate_id', () =>
      truly(say({ id: '_twice' })).replace('<saml:NameID>', '<saml:NameID ID="_twice">'),
    ),
    'entities within entities': byForm('not_xml', () => {
      const grow = (one: string, of: string) => `<!ENTITY ${one} "${`&${of};`.repeat(10)}">`
      const declared = `<!DOCTYPE a [<!ENTITY a "lol">${grow('b', 'a')}${grow('c', 'b')}${grow('d', 'c')}]>`
      return `${declared}${truly().replace(nameId, '&d;')}`
    }),
    'a comment in the name': byForm('not_xml', () => truly(say({ nameId: `${nameId}<!-- -->x` }))),
    'elements too deep within one another': byForm('not_xml', () => '<a>'.repeat(500) + '</a>'.repeat(500)),
    ...saying('another destination', 'destination', () => say({ destination: 'https://other.test/slo' })),
    ...saying('no destination', 'destination', () => say().replace(/ Destination="[^"]*"/, '')),
    ...saying('another issuer', 'issuer', () => say({ issuer: 'https://other.test' })),
    ...saying('no issuer', 'issuer', () => say().replace(/>[^<]*<\/saml:Issuer>/, '></saml:Issuer>')),
    ...saying('issued in the future', 'not_yet', () => say({ now: now + 4 * MINUTE })),
    ...saying('issued long ago', 'expired', () =>
      say({ now: now - 10 * MINUTE, notOnOrAfter: now + MINUTE }),
    ),
    ...saying('issued long ago, without an end', 'expired', () =>
      say({ now: now - 10 * MINUTE, notOnOrAfter: undefined }),
    ),
    ...saying('after its end', 'expired', () => say({ notOnOrAfter: now - 3 * MINUTE })),
    ...saying('another version', 'not_a_logout', () => say().replace('Version="2.0"', 'Version="1.1"')),
    'an answer in the place of a request': byQuery('not_a_logout', () =>
      parameters(logoutResponseXml(logoutSaid({ issuer: idp.entityId, now, destination }))),
    ),
    ...saying('no name', 'no_key', () => say().replace(/<saml:NameID>.*<\/saml:NameID>/, '')),
    ...saying('two names', 'no_key', () => say().replace(/(<saml:NameID>.*<\/saml:NameID>)/, '$1$1')),
    ...saying('an element in the name', 'no_key', () => say({ nameId: `${nameId}<b/>` })),
    ...saying('an empty session', 'no_key', () => say({ sessions: [''] })),
    ...saying('too many sessions', 'no_key', () =>
      say({ sessions: Array.from({ length: 101 }, (_, index) => `_${index}`) }),
    ),
  }
}
