import { generateKeyPair, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { DAY, type Millis, toIso } from '../../core/clock.ts'

/** A key pair of Postern, with the certificate that gives the public key to identity providers. */
export interface OwnKey {
  /** PEM. */
  privateKey: string
  /** PEM. */
  certificate: string
  /** SHA-256 of the certificate, in hex. */
  fingerprint: string
}

const BITS = 3_072
/** Long, because identity providers refuse a certificate that has ended, and in most a person enters the next one. */
const VALID: Millis = 20 * 365 * DAY

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const hex = body.length.toString(16)
  const long = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  const length = body.length < 128 ? [body.length] : [0x80 + long.length, ...long]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), der(0x05))
const COMMON_NAME = oid('550403')

/** A moment: with two digits of the year before 2050, and with four from then on (RFC 5280 4.1.2.5). */
function timeOf(at: Millis): Buffer {
  const text = toIso(at).replaceAll(/[-:T]|\.\d+/g, '')
  const isShort = text < '2050'
  return der(isShort ? 0x17 : 0x18, Buffer.from(text.slice(isShort ? 2 : 0), 'latin1'))
}

/**
 * Makes an RSA key pair with a self-signed certificate (RFC 5280). Node makes no certificates, and these few fields need no library.
 * @param name the common name, at most 64 characters of ASCII
 */
export async function newOwnKey(name: string, now: Millis): Promise<OwnKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  const certificate = certificateOf(privateKey, publicKey, name, now)
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: certificate.toString(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}

function certificateOf(privateKey: KeyObject, publicKey: KeyObject, name: string, now: Millis) {
  const named = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name.slice(0, 64), 'ascii')))))
  // A positive integer of 16 bytes.
  const serial = randomBytes(16)
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f)
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    ...[der(0x02, serial), SHA256_WITH_RSA, named],
    // A provider whose clock is behind accepts it, too.
    sequence(timeOf(now - DAY), timeOf(now + VALID)),
    ...[named, publicKey.export({ type: 'spki', format: 'der' })],
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  return new X509Certificate(sequence(content, SHA256_WITH_RSA, signature))
}
