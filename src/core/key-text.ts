import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What API keys begin with: `psk` a key of an organization, `ppk` a key of the installation. */
export type KeyPrefix = 'psk' | 'ppk'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const [RANDOM, CHECKSUM] = [43, 6]
const FORM = /^(?:psk|ppk)_[0-9A-Za-z]{49}$/
/** 32 bytes as base64url without a checksum: the form of keys that older versions made. */
const WITHOUT_CHECKSUM = /^psk_[\w-]{43}$/

/**
 * A new secret: the prefix, `_`, 43 random letters and digits (256 bits), and 6 more that are the CRC-32 of all before them, so that
 * a scanner recognizes a leaked key without asking (docs/security.md has the pattern).
 */
export function newKeyText(prefix: KeyPrefix): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  const text = `${prefix}_${random}`
  return text + checksumOf(text)
}

/** Whether a text has the form and the checksum of a key of this prefix; no other text needs a look-up. */
export function isKeyText(prefix: KeyPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false
  if (FORM.test(text)) return text.slice(-CHECKSUM) === checksumOf(text.slice(0, -CHECKSUM))
  return WITHOUT_CHECKSUM.test(text)
}

/** CRC-32 (as of zlib) in base 62, the highest digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
