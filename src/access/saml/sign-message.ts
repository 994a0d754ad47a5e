import { ENVELOPED, EXCLUSIVE, RSA_SHA256, SHA256 } from './names.ts'
import { loadXmlCrypto } from './xml-crypto.ts'

/** The key by which Postern signs. */
export interface SigningKey {
  /** PEM. */
  privateKey: string
  /** PEM. */
  certificate: string
}

/** Puts a signature of its root into a message, behind the issuer (SAML 2.0 Core 5.4). */
export async function signMessage(xml: string, { privateKey, certificate }: SigningKey): Promise<string> {
  const [{ SignedXml }] = await loadXmlCrypto()
  const signer = new SignedXml({
    ...{ privateKey, publicCert: certificate },
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
  })
  signer.addReference({
    xpath: '/*',
    digestAlgorithm: SHA256,
    transforms: [ENVELOPED, EXCLUSIVE],
  })
  signer.computeSignature(xml, {
    ...{ prefix: 'ds', location: { reference: "/*/*[local-name(.)='Issuer']", action: 'after' } },
  })
  return signer.getSignedXml()
}
