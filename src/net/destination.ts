import { notPublic } from '../core/error-messages.ts'
import type { AddressRule } from './address.ts'
import type { Address } from './hosts.ts'

/** A blocked destination; registration and calls use the same rule. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError'
  readonly code = 'ADDRESS_BLOCKED'
}

/**
 * Resolves a host name to all of its addresses.
 * @param owner the organization, or another key with its own share
 */
export type Resolve = (hostname: string, owner: string) => Promise<Address[]>

export const LONGEST_URL = 2_048

// Ranges that every pattern dialect reads alike; the URL parser checks what is not ASCII.
/** A character of a label: a letter, digit, `-` or `_`. */
const OF_LABEL = '[^\\u0000-\\u002c\\u002e\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a0]'
/** The first character of the last label: with a digit the host would be a number. */
const FIRST_OF_LAST = '[^\\u0000-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a0]'
const NAME = `(${OF_LABEL}+\\.)*${FIRST_OF_LAST}${OF_LABEL}*\\.?`
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `(${OCTET}\\.){3}${OCTET}`
const HEX = '[0-9A-Fa-f]{1,4}'
/** Eight groups, or fewer around one `::`. */
const IPV6 = [
  `(${HEX}:){7}${HEX}`,
  `(${HEX}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((after) => `(${HEX}:){1,${7 - after}}(:${HEX}){${after}}`),
  `:((:${HEX}){1,7}|:)`,
].join('|')
const PORT = '(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?'
/** No invisible characters, spaces or `\`. */
const REST = '([/?#][^\\u0000-\\u0020\\u005c\\u007f-\\u009f]*)?'

/** A host of any kind, in its usual spelling. */
export const HOST_PATTERN = `(${NAME}|${IPV4}|\\[(${IPV6})\\])`
/** What may follow the host of a URL. */
export const AFTER_HOST_PATTERN = `${PORT}${REST}`
/** This machine, where plain http may carry secrets (`isSecureUrl`). */
const LOCAL_HOST = `((${OF_LABEL}+\\.)*[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(\\.${OCTET}){3}|\\[::1\\])`

/** The pattern of a destination in the document. It accepts every URL that the server accepts in its usual spelling. */
export const DESTINATION_PATTERN = `^[Hh][Tt][Tt][Pp][Ss]?://${HOST_PATTERN}${AFTER_HOST_PATTERN}$`
/** The same for a destination that `isSecureUrl` must accept. */
export const SECURE_DESTINATION_PATTERN = `^([Hh][Tt][Tt][Pp][Ss]://${HOST_PATTERN}|[Hh][Tt][Tt][Pp]://${LOCAL_HOST})${AFTER_HOST_PATTERN}$`

/** Why a text is no destination; the `reason` in the error's details. */
type UrlProblem = 'not_a_url' | 'too_long' | 'scheme' | 'credentials'

/**
 * Parses a destination's URL: absolute, http or https, without credentials, and without parts that parsers read
 * differently.
 */
export function readDestination(text: string): URL | UrlProblem {
  if (text.length > LONGEST_URL) return 'too_long'
  const url = /^[\x21-\x7e\u00a0-\uffff]+$/.test(text) && !text.includes('\\') ? URL.parse(text) : null
  if (url === null || !/^[a-z]+:\/\/[^/]/i.test(text)) return 'not_a_url'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme'
  if (url.username !== '' || url.password !== '') return 'credentials'
  return url.hostname === '' ? 'not_a_url' : url
}

/**
 * The addresses that a connection to `hostname` may use. One blocked address blocks the name, so that the destination's
 * name server cannot choose which one a connection uses (rebinding).
 * @throws BlockedAddressError, and the resolver's own error
 */
export async function allowedAddresses(
  hostname: string,
  isAllowed: AddressRule,
  resolve: (name: string) => Promise<Address[]>,
): Promise<Address[]> {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const addresses = isAddress(literal)
    ? [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
    : await resolve(literal)
  const blocked = addresses.find(({ address }) => !isAllowed(address))
  if (blocked !== undefined || addresses.length === 0) {
    const { setting } = isAllowed
    throw new BlockedAddressError(
      `${hostname} ${setting === undefined ? 'is not a public address' : notPublic(setting)}`,
    )
  }
  return addresses
}

/** The URL parser has already normalized every spelling of an IPv4 address to four decimal numbers. */
function isAddress(hostname: string): boolean {
  return hostname.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}
