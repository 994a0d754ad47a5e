import { isIP } from 'node:net'
import { fromIso, type Millis } from '../core/clock.ts'
import { RATES, type Rate, type RateName, type Rates } from '../core/limits.ts'

export const optional = (text: string): string | undefined => (text === '' ? undefined : text)
export const list = (text: string): string[] => text.split(',').flatMap((item) => item.trim() || [])

export function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text)
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return found
  }
}

export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`)
    }
    return Number(text)
  }
}

export function host(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') {
    throw new Error('must be an IP address of this machine, 0.0.0.0 for all of them, or localhost')
  }
  return text
}

export function url(...schemes: string[]): (text: string) => string | undefined {
  return (text) => {
    if (text === '') return undefined
    const parsed = URL.parse(text)
    if (parsed === null || !schemes.includes(parsed.protocol)) {
      throw new Error(`must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
    }
    return text
  }
}

export function webUrl(text: string): string | undefined {
  const address = url('http:', 'https:')(text)
  if (address === undefined) return undefined
  const parsed = new URL(address)
  if (parsed.search || parsed.hash || parsed.username || parsed.password) {
    throw new Error('must be a plain URL without credentials, query or fragment')
  }
  return address.replace(/\/+$/, '')
}

/** One origin: https, or plain http on this machine. */
export function origin(text: string): string {
  const parsed = URL.parse(text)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.origin !== text.replace(/\/$/, ''))
    throw new Error('must be an origin such as https://api.example.com')
  return parsed.origin
}

export function origins(text: string): string[] {
  return list(text).map((item) => {
    const parsed = URL.parse(item)
    if (parsed === null || parsed.origin === 'null' || parsed.origin !== item.replace(/\/$/, '')) {
      throw new Error(`must list exact origins such as https://app.example.com; "${item}" is none`)
    }
    return parsed.origin
  })
}

export function networks(text: string): string[] {
  return list(text).map((item) => {
    const [address = '', bits] = item.split('/')
    const version = isIP(address)
    const widest = version === 4 ? 32 : 128
    if (version === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= widest))) {
      throw new Error(`must list networks such as 10.0.0.0/8; "${item}" is none`)
    }
    return bits === undefined ? `${address}/${widest}` : item
  })
}

/** The beginning of a day, in UTC. */
export function day(text: string): Millis | undefined {
  if (text === '') return undefined
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? fromIso(`${text}T00:00:00.000Z`) : undefined
  if (moment === undefined) throw new Error('must be a day such as 2027-01-31')
  return moment
}

/** The recipes in `deploy/` have secrets that begin so, which everyone knows. */
const PLACEHOLDER = 'change-this'

/** @throws Error where a secret is a placeholder of a recipe */
export function token(text: string): string | undefined {
  if (text.startsWith(PLACEHOLDER))
    throw new Error('is still the text of the recipe: set a secret of your own')
  return optional(text)
}

export function secretKey(text: string): string | undefined {
  if (text !== '' && Buffer.byteLength(text) < 32) throw new Error('must be at least 32 bytes long')
  return token(text)
}

/** Least characters of a passphrase. */
export const SHORTEST_PASSPHRASE = 12

export function passphrase(text: string): string | undefined {
  if (text !== '' && [...text].length < SHORTEST_PASSPHRASE)
    throw new Error(`must be at least ${SHORTEST_PASSPHRASE} characters long`)
  return optional(text)
}

const ADDRESS = String.raw`[^\s"<>@]+@[^\s"<>@]+`
/** An address, alone or behind a name, which is quoted where it contains special characters. */
const SENDER = new RegExp(String.raw`^\s*(?:${ADDRESS}|(?:[^"<>]*|"(?:[^"\\]|\\.)*"\s*)<${ADDRESS}>)\s*$`)

export function mailFrom(text: string): string | undefined {
  if (text === '') return undefined
  if (/[\r\n]/.test(text) || !SENDER.test(text))
    throw new Error('must be a mail address, or a name and an address: Acme <mails@acme.example>')
  return text
}

/** The default sender: the product's name at localhost. */
export function defaultSender(productName: string): string {
  return `"${productName.replaceAll(/["\\]/g, '\\$&')}" <postern@localhost>`
}

export function rates(text: string): Rates {
  const merged: Rates = { ...RATES }
  if (text === '') return merged
  for (const [name, rate] of Object.entries(jsonObject(text) as Record<string, Partial<Rate>>)) {
    if (!Object.hasOwn(RATES, name))
      throw new Error(`names no limit "${name}"; there are ${Object.keys(RATES).join(', ')}`)
    const row = { ...merged[name as RateName], ...rate }
    if (!Number.isInteger(row.max) || !Number.isInteger(row.windowMs) || row.max < 1 || row.windowMs < 1) {
      throw new Error(`must give "${name}" whole numbers max and windowMs above 0`)
    }
    merged[name as RateName] = row
  }
  return merged
}

function jsonObject(text: string): object {
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  } catch {
    // The check below reports it, as for any text that is not an object.
  }
  throw new Error('must be JSON such as {"signInPerIp":{"max":60,"windowMs":60000}}')
}
