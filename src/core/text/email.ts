import { domainToASCII } from 'node:url'

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** What URL parsers would take out or read as something else: two addresses that look alike must not be one. */
const NOT_IN_A_DOMAIN = /[\s%\\/?#:[\]<>,;"()\u3002]|\p{Default_Ignorable_Code_Point}/u

/** No address is longer, with the spaces around it: nothing longer is looked at. */
export const LONGEST_EMAIL = 320

/**
 * The one form in which an address is stored and compared: lower case, international domains in ASCII,
 * surrounding spaces dropped. A tag (`ada+x@`) is a part of the address.
 *
 * RFC 5322's dot-atom form only: quoted local parts, comments, lists, domain literals and anything that
 * Unicode normalisation would change into an address are refused, because mailers disagree about them.
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

/** No domain is longer, in whichever script: nothing longer is looked at. */
export const LONGEST_DOMAIN = 253

/**
 * The one form of the domain of an address: lower case, in ASCII.
 * @returns undefined when the text is not a domain with a dot
 */
export function normalizeDomain(text: string): string | undefined {
  if (text.length > LONGEST_DOMAIN || text !== text.normalize('NFKC')) return undefined
  if (NOT_IN_A_DOMAIN.test(text)) return undefined
  const domain = domainToASCII(text)
  return DOMAIN.test(domain) && !/^[\d.]+$/.test(domain) ? domain : undefined
}

/** The domain of a normalised address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
