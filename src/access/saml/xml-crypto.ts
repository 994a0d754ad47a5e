/** A node of `@xmldom/xmldom`, as far as a signature is looked for. */
interface DomNode {
  parentNode: { getAttribute?(name: string): string | null } | null
}

/** A table of algorithms by the URIs that name them. */
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
  /** The URI of the algorithm of the signature that was loaded. */
  signatureAlgorithm: string
  /** In base64, of the signature that was loaded. */
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
 * Loads `xml-crypto` and the parser that it works with. Their own types bring those of a browser along, which would hold in all of the
 * program; so the parts that are used are said here.
 */
export function loadXmlCrypto(): Promise<[Library, Dom]> {
  return Promise.all([import('xml-crypto' as string), import('@xmldom/xmldom' as string)])
}
