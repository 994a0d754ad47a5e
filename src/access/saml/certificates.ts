import { X509Certificate } from 'node:crypto'
import type { Millis } from '../../core/clock.ts'

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

/**
 * Reads a certificate, as PEM or as the base64 that metadata have.
 * @returns it, or why it is not taken
 */
export function readCertificate(text: string): Certificate | 'not_a_certificate' | 'weak_key' {
  const base64 = text.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return 'not_a_certificate'
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < FEWEST_BITS)
    return 'weak_key'
  return {
    pem: certificate.toString(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: certificate.subject.replaceAll('\n', ', ').slice(0, 256),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}
