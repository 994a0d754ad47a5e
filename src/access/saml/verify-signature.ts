import { createPublicKey } from 'node:crypto'
import { ECDSA } from './ecdsa.ts'
import { ENVELOPED, EXCLUSIVE, NAMESPACE, RSA_SHA256, SHA256 } from './names.ts'
import { allOf, childrenOf, type Element } from './read-xml.ts'
import { refused } from './refused.ts'
import { loadXmlCrypto, type SignatureAlgorithm } from './xml-crypto.ts'

const DIGESTS = [SHA256, 'http://www.w3.org/2001/04/xmlenc#sha512']
/** Algorithms with public keys alone: one with a shared key would use the certificate, which is public, as the key. */
const RSA = [
  RSA_SHA256,
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]
const METHODS = [...RSA, ...Object.keys(ECDSA)]

/**
 * Checks the shape of all signatures of a document: each is a child of the element that it covers, covers only that element, and has no
 * content that two parsers could read differently.
 * @param bearers elements that may be signed
 * @returns the signed ones
 * @throws ApiError UNAUTHORIZED `unsigned`, `signature_place`, `weak_algorithm`
 */
export function signedOf(root: Element, bearers: readonly Element[]): Element[] {
  const signatures = allOf(root).filter(
    ({ namespace, name }) => namespace === NAMESPACE.signature && name === 'Signature',
  )
  if (signatures.length === 0) throw refused('unsigned')
  const signed = signatures.map((signature) => {
    const bearer = bearers.find((one) => one === signature.parent)
    if (bearer === undefined) throw refused('signature_place')
    checkShape(signature, bearer)
    return bearer
  })
  if (new Set(signed).size !== signed.length) throw refused('signature_place')
  return signed
}

function checkShape(signature: Element, bearer: Element): void {
  const [info, value, keys] = signature.children
  mustBe(signature, ['SignedInfo', 'SignatureValue', ...(keys === undefined ? [] : ['KeyInfo'])])
  if (info === undefined || value === undefined || value.children.length > 0) throw refused('signature_place')
  mustBe(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])
  const [canonicalization, method, reference] = info.children as [Element, Element, Element]
  mustBe(reference, ['Transforms', 'DigestMethod', 'DigestValue'])
  const [transforms, digest] = reference.children as [Element, Element]
  const id = bearer.attributes.get('ID') ?? ''
  // Without quotes and anything else that has a meaning in XPath, by which the library looks for it.
  if (!/^[\w.-]{1,256}$/.test(id)) throw refused('signature_place')
  if (reference.attributes.get('URI') !== `#${id}`) throw refused('signature_place')
  const steps = transforms.children.map(algorithmOf)
  mustBe(
    transforms,
    steps.map(() => 'Transform'),
  )
  const isUsual = steps.length === 2 && steps[0] === ENVELOPED && steps[1] === EXCLUSIVE
  if (!isUsual || algorithmOf(canonicalization) !== EXCLUSIVE) throw refused('signature_place')
  if (!METHODS.includes(algorithmOf(method)) || !DIGESTS.includes(algorithmOf(digest)))
    throw refused('weak_algorithm')
}

const algorithmOf = ({ attributes }: Element) => attributes.get('Algorithm') ?? ''

function mustBe({ children }: Element, names: readonly string[]): void {
  const isSo =
    children.length === names.length &&
    children.every(({ namespace, name }, index) => namespace === NAMESPACE.signature && name === names[index])
  if (!isSo) throw refused('signature_place')
}

/**
 * Verifies the signature of an element, only with the configured certificates of the identity provider. The key that the document names
 * is ignored.
 * @param text the document, whose signatures `signedOf` has checked
 * @param bearer the element
 * @param certificates PEM; one of them must verify
 * @returns the bytes that the signature covers; nothing else is read
 * @throws ApiError UNAUTHORIZED `signature`
 */
export async function verifySignature(
  text: string,
  bearer: Element,
  certificates: readonly string[],
): Promise<string> {
  // Loaded by the first answer of a SAML identity provider: a server without one never loads it.
  const [{ SignedXml }, { DOMParser }] = await loadXmlCrypto()
  const fail = (message: string) => {
    throw new Error(message)
  }
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } })
  const id = bearer.attributes.get('ID')
  try {
    const found = parser
      .parseFromString(text, 'text/xml')
      .getElementsByTagNameNS(NAMESPACE.signature, 'Signature')
    const [signature, another] = Array.from(found).filter(
      ({ parentNode }) => parentNode?.getAttribute?.('ID') === id,
    )
    if (signature === undefined || another !== undefined) throw refused('signature')
    const verifier = new SignedXml({ publicCert: '', getCertFromKeyInfo: () => null })
    const methods = methodsOf(verifier.SignatureAlgorithms)
    verifier.SignatureAlgorithms = methods
    verifier.HashAlgorithms = only(verifier.HashAlgorithms, DIGESTS)
    verifier.CanonicalizationAlgorithms = only(verifier.CanonicalizationAlgorithms, [ENVELOPED, EXCLUSIVE])
    verifier.loadSignature(signature)
    // Which certificate fits is known by a few hundred bytes; only then is the document canonicalized, once.
    const material = verifier.getCanonSignedInfoXml(parser.parseFromString('<a/>', 'text/xml'))
    const { signatureAlgorithm: method, signatureValue: value } = verifier
    const certificate = signerOf({ method, value, material }, methods, certificates)
    if (certificate === undefined) throw refused('signature')
    verifier.publicCert = certificate
    const covered = verifier.checkSignature(text) ? verifier.getSignedReferences() : []
    if (covered.length === 1 && covered[0] !== undefined) return covered[0]
  } catch {
    // The library throws where something does not fit.
  }
  throw refused('signature')
}

/**
 * Verifies a detached signature.
 * @throws ApiError UNAUTHORIZED `weak_algorithm`, `signature`
 */
export async function verifyDetached(
  signature: DetachedSignature,
  certificates: readonly string[],
): Promise<void> {
  if (!METHODS.includes(signature.method)) throw refused('weak_algorithm')
  const [{ SignedXml }] = await loadXmlCrypto()
  const methods = methodsOf(new SignedXml({ publicCert: '' }).SignatureAlgorithms)
  if (signerOf(signature, methods, certificates) === undefined) throw refused('signature')
}

interface DetachedSignature {
  /** The URI of the algorithm. */
  method: string
  /** In base64. */
  value: string
  material: string
}

type Methods = Record<string, SignatureAlgorithm>

const methodsOf = (known: Methods): Methods => ({ ...only(known, RSA), ...ECDSA })

/** Finds the certificate whose key has signed the material. */
function signerOf(
  { method, value, material }: DetachedSignature,
  methods: Methods,
  certificates: readonly string[],
): string | undefined {
  const Method = methods[method]
  if (Method === undefined) return undefined
  // Otherwise Node would verify by the kind of the key, whatever algorithm the signature names.
  const kind = Object.hasOwn(ECDSA, method) ? 'ec' : 'rsa'
  return certificates.find(
    (certificate) =>
      createPublicKey(certificate).asymmetricKeyType === kind &&
      new Method().verifySignature(material, certificate, value),
  )
}

const only = <Algorithm>(known: Record<string, Algorithm>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name)))

/** The child with a name; undefined if there is none, or more than one. */
export function onlyChild(element: Element, namespace: string, name: string): Element | undefined {
  const found = childrenOf(element, namespace, name)
  return found.length === 1 ? found[0] : undefined
}
