import { type KeyObject, X509Certificate } from 'node:crypto'
import type { Millis } from '../../core/clock.ts'
import { isKnownCurve } from './ecdsa.ts'

/** A certificate of an identity provider, of which its key alone is believed. */
export interface Certificate {
  pem: string
  /** SHA-256 of it, in hex. */
  fingerprint: string
  subject: string
  notBefore: Millis
  notAfter: Millis
}

const FEWEST_BITS = 2_048
/** A larger one, or a longer exponent, makes each check of a signature take milliseconds; everybody may have one made. */
const MOST_BITS = 8_192
const LARGEST_EXPONENT = 2n ** 32n

/**
 * Reads a certificate, as PEM or as the base64 that metadata have.
 * @returns it, or why it is not taken
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
    // The key is read only then, and may be one of a kind that is not known.
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
    // One without a name has none.
    subject: ((certificate.subject as string | undefined) ?? '').replaceAll('\n', ', ').slice(0, 256),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}
