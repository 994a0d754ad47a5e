import { type KeyObject, X509Certificate } from 'node:crypto'
import type { Millis } from '../../core/clock.ts'
import { isKnownCurve } from './ecdsa.ts'

/** A certificate of an identity provider. Only its key is trusted: neither its issuer nor its dates are checked. */
export interface Certificate {
  pem: string
  /** SHA-256 of it, in hex. */
  fingerprint: string
  subject: string
  notBefore: Millis
  notAfter: Millis
}

const FEWEST_BITS = 2_048
/** With a larger key or exponent each verification takes milliseconds, and any administrator may enter a certificate. */
const MOST_BITS = 8_192
const LARGEST_EXPONENT = 2n ** 32n

/**
 * Parses a certificate, as PEM or as the base64 of metadata.
 * @returns the certificate, or the reason why it is refused
 */
export function readCertificate(
  text: string,
): Certificate | 'not_a_certificate' | 'weak_key' | 'unusual_key' {
  const base64 = text.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')
  let certificate: X509Certificate
  let key: KeyObject
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'))
    key = certificate.publicKey
  } catch {
    // Reading the key throws for unknown kinds of keys.
    return 'not_a_certificate'
  }
  if (key.asymmetricKeyType === 'ec') return isKnownCurve(key) ? described(certificate) : 'unusual_key'
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa' || bits < FEWEST_BITS) return 'weak_key'
  if (bits > MOST_BITS || exponent > LARGEST_EXPONENT) return 'unusual_key'
  return described(certificate)
}

function described(certificate: X509Certificate): Certificate {
  return {
    pem: certificate.toString(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    // A certificate without a name has no subject.
    subject: ((certificate.subject as string | undefined) ?? '').replaceAll('\n', ', ').slice(0, 256),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}
