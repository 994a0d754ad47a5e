/** The part of a node of `@xmldom/xmldom` that the search for a signature uses. */
interface DomNode {
  parentNode: { getAttribute?(name: string): string | null } | null
}

/** Algorithms by URI. */
type Algorithms<Algorithm> = Record<string, Algorithm>

/** Makes an algorithm of signatures. */
export type SignatureAlgorithm = new () => {
  verifySignature(material: string, key: string, value: string): boolean
  getAlgorithmName(): string
}

interface Verifier {
  /** PEM. */
  publicCert: string
  SignatureAlgorithms: Algorithms<SignatureAlgorithm>
  HashAlgorithms: Algorithms<unknown>
  CanonicalizationAlgorithms: Algorithms<unknown>
  /** The URI of the algorithm of the loaded signature. */
  signatureAlgorithm: string
  /** The value of the loaded signature in base64. */
  signatureValue: string
  /** The bytes that the signature itself covers. */
  getCanonSignedInfoXml(document: Document): string
  loadSignature(signature: DomNode): void
  checkSignature(text: string): boolean
  getSignedReferences(): string[]
}

interface Signer {
  addReference(reference: { xpath: string; digestAlgorithm: string; transforms: string[] }): void
  computeSignature(
    text: string,
    options: { prefix: string; location: { reference: string; action: 'after' } },
  ): void
  getSignedXml(): string
}

interface Options {
  /** PEM. */
  publicCert: string
  getCertFromKeyInfo?: () => null
  /** PEM. */
  privateKey?: string
  signatureAlgorithm?: string
  canonicalizationAlgorithm?: string
}

interface Library {
  SignedXml: new (options: Options) => Verifier & Signer
}

type ErrorHandler = Record<'warning' | 'error' | 'fatalError', (message: string) => void>
interface Document {
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<DomNode>
}
interface Dom {
  DOMParser: new (options: {
    errorHandler: ErrorHandler
  }) => { parseFromString(text: string, type: 'text/xml'): Document }
}

/**
 * Loads `xml-crypto` and its parser. Their types would add the types of a browser to the whole program, so this file declares the used
 * parts.
 */
export function loadXmlCrypto(): Promise<[Library, Dom]> {
  return Promise.all([import('xml-crypto' as string), import('@xmldom/xmldom' as string)])
}
