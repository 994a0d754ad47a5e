import { createHmac, randomBytes } from 'node:crypto'
import { type Millis, SECOND } from '../../core/clock.ts'
import { equalInConstantTime } from '../../core/secret.ts'

/** The alphabet of RFC 4648 6. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** The time of one step (RFC 6238 4.1). */
const STEP: Millis = 30 * SECOND
const DIGITS = 6
/** Steps by which the clock of a phone may be early or late (RFC 6238 5.2). */
const DRIFT = 1
/** Bytes of a secret, as many as of the digest (RFC 4226 4, R6). */
const SECRET_BYTES = 20

/** A new secret in base32. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES))
}

/**
 * The address that an authenticator app reads from a QR code.
 * @param issuer the product, @param account the address of the person; both are shown in the app
 */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer.replaceAll(':', ' '))}:${encodeURIComponent(account)}`
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer.replaceAll(':', ' '))}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${DIGITS}&period=${STEP / SECOND}`
}

/**
 * The time step of a code.
 * @param lastStep the last accepted step; it and earlier ones are excluded
 * @returns undefined without a matching step
 */
export function stepOfCode(
  secret: string,
  code: string,
  now: Millis,
  lastStep: number | null,
): number | undefined {
  const present = Math.floor(now / STEP)
  const key = fromBase32(secret)
  let found: number | undefined
  for (let step = present - DRIFT; step <= present + DRIFT; step += 1) {
    // Every step is compared, so that the time does not reveal the match.
    const isRight = equalInConstantTime(codeOfStep(key, step), code)
    if (isRight && found === undefined && (lastStep === null || step > lastStep)) found = step
  }
  return found
}

/** The code at a time. */
export function totpCode(secret: string, now: Millis): string {
  return codeOfStep(fromBase32(secret), Math.floor(now / STEP))
}

/** HOTP of a step (RFC 4226 5.3), with HMAC-SHA-1. */
export function codeOfStep(key: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
