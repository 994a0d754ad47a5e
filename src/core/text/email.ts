import { domainToASCII } from 'node:url'

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that URL parsers remove or reinterpret: two different addresses must not become one. */
const NOT_IN_A_DOMAIN = /[\s%\\/?#:[\]<>,;"()\u3002]|\p{Default_Ignorable_Code_Point}/u

/** The longest address with surrounding spaces; longer texts are refused at once. */
export const LONGEST_EMAIL = 320

/**
 * Normalizes an address to the form that is stored and compared: lower case, international domains in ASCII,
 * surrounding spaces removed. A tag (`ada+x@`) is a part of the address.
 *
 * Only the dot-atom form of RFC 5322 is accepted. Quoted local parts, comments, lists, domain literals and texts that only Unicode
 * normalization turns into an address are refused, because mail servers disagree about them.
 * @returns undefined when the text is not such an address
 */
export function normalizeEmail(text: string): string | undefined {
  if (text.length > LONGEST_EMAIL) return undefined
  const trimmed = text.replace(/^ +| +$/g, '')
  if (trimmed.length > 254 || trimmed !== trimmed.normalize('NFKC')) return undefined
  const at = trimmed.indexOf('@')
  if (at < 1 || at > 64 || at !== trimmed.lastIndexOf('@')) return undefined
  const local = trimmed.slice(0, at).toLowerCase()
  const domain = normalizeDomain(trimmed.slice(at + 1))
  return LOCAL_PART.test(local) && domain !== undefined ? `${local}@${domain}` : undefined
}

/** The longest domain, in any script; longer texts are refused at once. */
export const LONGEST_DOMAIN = 253

/**
 * Normalizes a domain: lower case, in ASCII.
 * @returns undefined when the text is not a domain with a dot
 */
export function normalizeDomain(text: string): string | undefined {
  if (text.length > LONGEST_DOMAIN || text !== text.normalize('NFKC')) return undefined
  if (NOT_IN_A_DOMAIN.test(text)) return undefined
  const domain = domainToASCII(text)
  return DOMAIN.test(domain) && !/^[\d.]+$/.test(domain) ? domain : undefined
}

/** The domain of a normalized address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
