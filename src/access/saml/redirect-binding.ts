import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { RSA_SHA256 } from './names.ts'
import { refused } from './refused.ts'

/** The parameter that contains a message. */
export type MessageName = 'SAMLRequest' | 'SAMLResponse'

/** A SAML message from a browser, before any check. */
export interface Received {
  name: MessageName
  encoded: string
  /** Empty where there is none. */
  relayState: string
  /** The signature from the query; null: the query has none; undefined: a form, where the message contains its signature. */
  detached?: { method: string; value: string; material: string } | null
}

/** The longest `RelayState` that is sent back. */
const LONGEST_RELAY_STATE = 1_024

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'
const NAMES = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding']
/** A message about a sign-out has about 2,000 characters. */
const LARGEST_INFLATED = 64 * 1_024

/** As `encodeURIComponent`, and encodes `!'()*` as well: some URL parsers encode them, which would invalidate the signature. */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * An address with a signed message in its query (SAML 2.0 Bindings 3.4.4).
 * @param key the private key as PEM
 */
export async function signedRedirect(
  destination: string,
  { name, xml, relayState }: { name: MessageName; xml: string; relayState: string },
  key: string,
): Promise<string> {
  const message = deflateRawSync(xml).toString('base64')
  const material = materialOf({
    [name]: encode(message),
    ...(relayState !== '' && { RelayState: encode(relayState) }),
    SigAlg: encode(RSA_SHA256),
  })
  const signature = await promisify(sign)('sha256', Buffer.from(material), key)
  const url = new URL(destination)
  url.hash = ''
  const signed = `${material}&Signature=${encode(signature.toString('base64'))}`
  return `${url.href.replace(/\?$/, '')}${url.search === '' ? '?' : '&'}${signed}`
}

/**
 * Reads a SAML message from a query. The signature covers the parameters in the encoding of the sender, so they are not encoded again, and a
 * repeated parameter is refused.
 * @throws ApiError UNAUTHORIZED `parameters`
 */
export function readRedirect(query: string): Received {
  const raw: Record<string, string> = {}
  for (const part of query.split('&')) {
    const [written = '', ...rest] = part.split('=')
    const name = decoded(written)
    if (!NAMES.includes(name)) continue
    if (name !== written || Object.hasOwn(raw, name)) throw refused('parameters')
    raw[name] = rest.join('=')
  }
  if (raw.SAMLEncoding !== undefined && decoded(raw.SAMLEncoding) !== DEFLATE) throw refused('parameters')
  const name = nameIn((one) => raw[one] !== undefined)
  const { SigAlg, Signature } = raw
  const isSigned = SigAlg !== undefined && Signature !== undefined
  return {
    ...{ name, encoded: decoded(raw[name] ?? ''), relayState: relayStateOf(decoded(raw.RelayState ?? '')) },
    detached: isSigned
      ? { method: decoded(SigAlg), value: decoded(Signature), material: materialOf(raw) }
      : null,
  }
}

/**
 * Reads a form (SAML 2.0 Bindings 3.5).
 * @throws ApiError UNAUTHORIZED `parameters`
 */
export function readForm(text: string): Received {
  const form = new URLSearchParams(text)
  if (NAMES.some((name) => form.getAll(name).length > 1)) throw refused('parameters')
  const name = nameIn((one) => form.has(one))
  return { name, encoded: form.get(name) ?? '', relayState: relayStateOf(form.get('RelayState') ?? '') }
}

function nameIn(isThere: (name: MessageName) => boolean): MessageName {
  const found = (['SAMLRequest', 'SAMLResponse'] as const).filter(isThere)
  if (found.length !== 1 || found[0] === undefined) throw refused('parameters')
  return found[0]
}

function relayStateOf(text: string): string {
  if (text.length > LONGEST_RELAY_STATE) throw refused('parameters')
  return text
}

/** The text that the signature covers. The order is fixed by the binding and does not depend on the order in the query. */
const materialOf = (raw: Record<string, string>) =>
  ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg']
    .flatMap((name) => (raw[name] === undefined ? [] : `${name}=${raw[name]}`))
    .join('&')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refused('parameters')
  }
}

/**
 * Inflates a message within a bound.
 * @throws ApiError UNAUTHORIZED `too_large`, `not_deflated`
 */
export function inflated(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: LARGEST_INFLATED })
  } catch (error) {
    throw refused((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'not_deflated')
  }
}
