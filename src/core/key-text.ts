import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix of an API key: `psk` for a key of an organization, `ppk` for a platform key. */
export type KeyPrefix = 'psk' | 'ppk'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const [RANDOM, CHECKSUM] = [43, 6]
const FORM = /^(?:psk|ppk)_[0-9A-Za-z]{49}$/
/** Keys of older versions: 32 bytes as base64url, without a checksum. */
const WITHOUT_CHECKSUM = /^psk_[\w-]{43}$/

/**
 * Makes an API key: the prefix, `_`, 43 random letters and digits (256 bits), and the CRC-32 of all before it in 6 characters, so
 * that a scanner recognizes a leaked key offline (docs/security.md has the pattern).
 */
export function newKeyText(prefix: KeyPrefix): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  const text = `${prefix}_${random}`
  return text + checksumOf(text)
}

/** Whether a text has the form and the checksum of a key. Other texts need no look-up. */
export function isKeyText(prefix: KeyPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false
  if (FORM.test(text)) return text.slice(-CHECKSUM) === checksumOf(text.slice(0, -CHECKSUM))
  return WITHOUT_CHECKSUM.test(text)
}

/** The CRC-32 of a text in base 62, the highest digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
