import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto'
import { NAMESPACE } from './names.ts'
import { allOf, childrenOf, type Element, namespacesAt, xmlText } from './read-xml.ts'
import { refused } from './refused.ts'
import { onlyChild } from './verify-signature.ts'

// Libraries for XML encryption on npm accept RSA with PKCS #1 v1.5 and follow references. The accepted subset is small, and Node has its ciphers.

const XMLENC = NAMESPACE.encryption
const XMLENC_11 = NAMESPACE.encryption11
const ELEMENT = `${XMLENC}Element`

interface Cipher {
  name: 'aes-128-gcm' | 'aes-256-gcm' | 'aes-128-cbc' | 'aes-256-cbc'
  keyBytes: number
  /** Whether decryption detects a changed text. */
  isAuthentic: boolean
}

// Maps, because an object would also find its inherited members by the names in a document.
const CIPHERS = new Map<string, Cipher>([
  [`${XMLENC_11}aes128-gcm`, { name: 'aes-128-gcm', keyBytes: 16, isAuthentic: true }],
  [`${XMLENC_11}aes256-gcm`, { name: 'aes-256-gcm', keyBytes: 32, isAuthentic: true }],
  [`${XMLENC}aes128-cbc`, { name: 'aes-128-cbc', keyBytes: 16, isAuthentic: false }],
  [`${XMLENC}aes256-cbc`, { name: 'aes-256-cbc', keyBytes: 32, isAuthentic: false }],
])

const DIGESTS = new Map([
  [`${NAMESPACE.signature}sha1`, 'sha1'],
  [`${XMLENC}sha256`, 'sha256'],
  [`${XMLENC}sha512`, 'sha512'],
])
const MASKS = new Map([
  [`${XMLENC_11}mgf1sha1`, 'sha1'],
  [`${XMLENC_11}mgf1sha256`, 'sha256'],
  [`${XMLENC_11}mgf1sha512`, 'sha512'],
])

/** The longest encrypted key in bytes, as RSA of 16,384 bits makes it. */
const LONGEST_KEY = 2_048

/**
 * Decrypts the assertion of an answer (XML Encryption 1.1). The key is in the element itself, encrypted by RSA-OAEP to Postern's own key, and
 * the assertion by AES. A cipher without authentication (CBC) is accepted only if a signature covers the encrypted data: otherwise the
 * answers to changed ciphertexts would reveal the plaintext.
 * @param encrypted the `EncryptedAssertion`
 * @param keys private keys as PEM; one of them must decrypt the content key
 * @param isCovered whether a verified signature covers `encrypted`
 * @returns a document whose root holds the assertion alone, within the namespaces that `encrypted` is in
 * @throws ApiError UNAUTHORIZED `encryption_shape`, `weak_algorithm`, `unsigned_encryption`; `decryption` for data that no key decrypts
 */
export function decryptAssertion(
  encrypted: Element,
  { keys, isCovered }: { keys: readonly string[]; isCovered: boolean },
): string {
  mustHave(encrypted, ['EncryptedData'])
  const data = only(encrypted, XMLENC, 'EncryptedData')
  mustHave(data, ['EncryptionMethod', 'KeyInfo', 'CipherData'])
  const type = data.attributes.get('Type')
  if (type !== undefined && type !== ELEMENT) throw refused('encryption_shape')
  const method = only(data, XMLENC, 'EncryptionMethod')
  const cipher = CIPHERS.get(algorithmOf(method))
  if (cipher === undefined) throw refused('weak_algorithm')
  if (method.children.some(({ name }) => name !== 'KeySize')) throw refused('encryption_shape')
  if (!cipher.isAuthentic && !isCovered) throw refused('unsigned_encryption')
  const wrapped = keyIn(only(data, NAMESPACE.signature, 'KeyInfo'))
  const text = cipherValueOf(data)
  const open = () => {
    const key = unwrap(wrapped, keys)
    if (key.length !== cipher.keyBytes) throw new Error('a key of another length')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decipher(cipher, key, text))
  }
  return within(encrypted, orRefuse(open))
}

/** Gives every failure one reason, because the failed step would tell something about the text. */
function orRefuse<Result>(open: () => Result): Result {
  try {
    return open()
  } catch {
    throw refused('decryption')
  }
}

interface WrappedKey {
  hash: string
  bytes: Buffer
}

function keyIn(info: Element): WrappedKey {
  mustHave(info, ['EncryptedKey'])
  const key = only(info, XMLENC, 'EncryptedKey')
  const named = childrenOf(key, NAMESPACE.signature, 'KeyInfo')
  mustHave(key, ['EncryptionMethod', ...(named.length === 0 ? [] : ['KeyInfo']), 'CipherData'])
  const method = only(key, XMLENC, 'EncryptionMethod')
  const bytes = cipherValueOf(key)
  if (bytes.length > LONGEST_KEY) throw refused('encryption_shape')
  return { hash: hashOf(method), bytes }
}

/** The hash of RSA-OAEP. Node uses one hash for digest and mask, so both must be the same. */
function hashOf(method: Element): string {
  const algorithm = algorithmOf(method)
  const isEarly = algorithm === `${XMLENC}rsa-oaep-mgf1p`
  if (!isEarly && algorithm !== `${XMLENC_11}rsa-oaep`) throw refused('weak_algorithm')
  const digests = childrenOf(method, NAMESPACE.signature, 'DigestMethod')
  const masks = isEarly ? [] : childrenOf(method, XMLENC_11, 'MGF')
  const isKnown = digests.length <= 1 && masks.length <= 1
  if (!isKnown || digests.length + masks.length !== method.children.length) throw refused('encryption_shape')
  const [hash, mask] = [
    digests[0] === undefined ? 'sha1' : DIGESTS.get(algorithmOf(digests[0])),
    masks[0] === undefined ? 'sha1' : MASKS.get(algorithmOf(masks[0])),
  ]
  if (hash === undefined || hash !== mask) throw refused('weak_algorithm')
  return hash
}

/** @throws Error where no key fits */
function unwrap({ hash, bytes }: WrappedKey, keys: readonly string[]): Buffer {
  const found = keys.flatMap((pem) => {
    const key = createPrivateKey(pem)
    try {
      return [privateDecrypt({ key, oaepHash: hash, padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes)]
    } catch {
      return []
    }
  })
  const [first] = found
  if (first === undefined) throw new Error('no key fits')
  return first
}

const NONCE_BYTES = { gcm: 12, cbc: 16 }
const TAG_BYTES = 16
const BLOCK_BYTES = 16

/** @throws Error where the text does not fit */
function decipher({ name, isAuthentic }: Cipher, key: Buffer, bytes: Buffer): Buffer {
  if (isAuthentic) {
    const nonce = bytes.subarray(0, NONCE_BYTES.gcm)
    const end = bytes.length - TAG_BYTES
    if (end < NONCE_BYTES.gcm) throw new Error('too short')
    const options = { authTagLength: TAG_BYTES }
    const opened = createDecipheriv(name as 'aes-256-gcm', key, nonce, options).setAuthTag(
      bytes.subarray(end),
    )
    return Buffer.concat([opened.update(bytes.subarray(NONCE_BYTES.gcm, end)), opened.final()])
  }
  const opened = createDecipheriv(name, key, bytes.subarray(0, NONCE_BYTES.cbc)).setAutoPadding(false)
  const plain = Buffer.concat([opened.update(bytes.subarray(NONCE_BYTES.cbc)), opened.final()])
  // The last byte is the length of the padding; the other bytes are arbitrary (XML Encryption 5.2).
  const filled = plain.at(-1) ?? 0
  if (filled < 1 || filled > BLOCK_BYTES) throw new Error('no padding')
  return plain.subarray(0, plain.length - filled)
}

/**
 * Puts the decrypted text into a root that declares the namespaces in scope at `encrypted`, because the assertion may use a prefix that
 * an element above it declares.
 */
function within(encrypted: Element, text: string): string {
  const declared = [...namespacesAt(encrypted)].map(([prefix, uri]) => {
    const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
    return ` ${name}="${xmlText(uri)}"`
  })
  return `<decrypted${declared.join('')}>${text.replaceAll(/\r\n?/g, '\n')}</decrypted>`
}

/**
 * The assertion in what `decryptAssertion` has made, which holds nothing else, and nothing that is encrypted.
 * @throws ApiError UNAUTHORIZED `encryption_shape`
 */
export function assertionIn(root: Element): Element {
  const [assertion] = root.children
  const isAlone = root.children.length === 1 && root.text.trim() === ''
  if (assertion === undefined || !isAlone || assertion.namespace !== NAMESPACE.assertion)
    throw refused('encryption_shape')
  const all = allOf(assertion)
  const assertions = all.filter(({ name }) => name === 'Assertion')
  const isEncrypted = all.some(
    ({ namespace, name }) => namespace === XMLENC || namespace === XMLENC_11 || name.startsWith('Encrypted'),
  )
  if (assertions.length !== 1 || assertion.name !== 'Assertion' || isEncrypted)
    throw refused('encryption_shape')
  return assertion
}

const algorithmOf = ({ attributes }: Element) => attributes.get('Algorithm') ?? ''

/** The only child with a name. */
function only(parent: Element, namespace: string, name: string): Element {
  const found = onlyChild(parent, namespace, name)
  if (found === undefined) throw refused('encryption_shape')
  return found
}

function mustHave({ children }: Element, names: readonly string[]): void {
  const isSo = children.length === names.length && children.every(({ name }, index) => name === names[index])
  if (!isSo) throw refused('encryption_shape')
}

/** The bytes of `CipherData`. References to other documents are refused. */
function cipherValueOf(parent: Element): Buffer {
  const data = only(parent, XMLENC, 'CipherData')
  mustHave(data, ['CipherValue'])
  const value = only(data, XMLENC, 'CipherValue')
  if (value.children.length > 0) throw refused('encryption_shape')
  return Buffer.from(value.text.replaceAll(/\s/g, ''), 'base64')
}
