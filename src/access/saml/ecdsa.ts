import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { SignatureAlgorithm } from './xml-crypto.ts'

/** Supported curves by their names in Node, with the length in bytes of each half of a signature. */
const HALVES: Record<string, number> = { prime256v1: 32, secp384r1: 48, secp521r1: 66 }

/** Whether a key is of a supported curve. */
export const isKnownCurve = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) =>
  asymmetricKeyType === 'ec' && Object.hasOwn(HALVES, asymmetricKeyDetails?.namedCurve ?? '')

const XMLDSIG_MORE = 'http://www.w3.org/2001/04/xmldsig-more#'

/** ECDSA algorithms by URI (RFC 9231 2.3.6); `xml-crypto` has none. */
export const ECDSA: Record<string, SignatureAlgorithm> = Object.fromEntries(
  ['sha256', 'sha384', 'sha512'].map((hash) => [`${XMLDSIG_MORE}ecdsa-${hash}`, ecdsaBy(hash)]),
)

function ecdsaBy(hash: string): SignatureAlgorithm {
  return class {
    /** @param pem the certificate @param value in base64, both numbers behind one another: another length than the curve's is refused */
    verifySignature(material: string, pem: string, value: string): boolean {
      const key = createPublicKey(pem)
      const signature = Buffer.from(value, 'base64')
      const half = HALVES[key.asymmetricKeyDetails?.namedCurve ?? '']
      if (half === undefined || signature.length !== 2 * half) return false
      return verify(hash, Buffer.from(material), { key, dsaEncoding: 'ieee-p1363' }, signature)
    }
    getAlgorithmName(): string {
      return `${XMLDSIG_MORE}ecdsa-${hash}`
    }
  }
}
