import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto'
import type { Forgery } from './saml-forgeries.ts'
import {
  assertionOf,
  type newSamlProvider,
  readRequest,
  responseOf,
  type SamlPerson,
  sayOf,
  signed,
} from './saml-provider.ts'

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#'
const XMLENC_11 = 'http://www.w3.org/2009/xmlenc11#'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

const CIPHERS = {
  [`${XMLENC_11}aes128-gcm`]: ['aes-128-gcm', 16],
  [`${XMLENC_11}aes256-gcm`]: ['aes-256-gcm', 32],
  [`${XMLENC}aes128-cbc`]: ['aes-128-cbc', 16],
  [`${XMLENC}aes256-cbc`]: ['aes-256-cbc', 32],
} as const
const PADDED = { oaep: constants.RSA_PKCS1_OAEP_PADDING, early: constants.RSA_PKCS1_PADDING }

interface Encrypting {
  cipher?: keyof typeof CIPHERS
  /** Key transport: the hash of OAEP, the padding, and the algorithm that the answer declares. */
  hash?: 'sha1' | 'sha256'
  padding?: keyof typeof PADDED
  method?: string
  /** Changes the bytes of the text before they are written. */
  spoil?: (bytes: Buffer) => Buffer
  /** The length of the key that is encrypted. */
  keyBytes?: number
  /** The last byte of the padding of CBC. */
  filled?: number
}

export const GCM = `${XMLENC_11}aes256-gcm` as const
export const CBC = `${XMLENC}aes256-cbc` as const
export const OAEP_SHA256 = `<xenc:EncryptionMethod Algorithm="${XMLENC_11}rsa-oaep"><ds:DigestMethod Algorithm="${XMLENC}sha256"/><xenc11:MGF xmlns:xenc11="${XMLENC_11}" Algorithm="${XMLENC_11}mgf1sha256"/></xenc:EncryptionMethod>`
const OAEP = `<xenc:EncryptionMethod Algorithm="${XMLENC}rsa-oaep-mgf1p"/>`

/** Encrypts a text as an identity provider does, to the key of a certificate. */
export function encrypted(text: string, certificate: string, options: Encrypting = {}): string {
  const { cipher = GCM, hash = 'sha1', padding = 'oaep', method = OAEP, spoil = (bytes) => bytes } = options
  const [name, keyBytes] = CIPHERS[cipher]
  const key = randomBytes(keyBytes)
  let bytes: Buffer
  if (name.endsWith('gcm')) {
    const nonce = randomBytes(12)
    const by = createCipheriv(name as 'aes-256-gcm', key, nonce)
    bytes = Buffer.concat([nonce, by.update(text), by.final(), by.getAuthTag()])
  } else {
    const nonce = randomBytes(16)
    const by = createCipheriv(name, key, nonce).setAutoPadding(false)
    const filled = 16 - (Buffer.byteLength(text) % 16)
    const end = Buffer.alloc(filled, 7)
    end[filled - 1] = options.filled ?? filled
    bytes = Buffer.concat([nonce, by.update(text), by.update(end), by.final()])
  }
  const given = options.keyBytes === undefined ? key : randomBytes(options.keyBytes)
  const wrapped = publicEncrypt({ key: certificate, padding: PADDED[padding], oaepHash: hash }, given)
  return `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${XMLENC}" Type="${XMLENC}Element"><xenc:EncryptionMethod Algorithm="${cipher}"/><ds:KeyInfo xmlns:ds="${SIGNATURE}"><xenc:EncryptedKey>${method}<xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>${spoil(bytes).toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData></saml:EncryptedAssertion>`
}

interface Parts {
  idp: ReturnType<typeof newSamlProvider>
  victim: SamlPerson
  /** Of Postern. */
  certificate: string
  /** Of another party. */
  foreign: string
  now: number
}

/** Encrypted answers that must not open a session, by name, with the reason that the audit log records. */
export function forgedEncryptions({
  idp,
  victim,
  certificate,
  foreign,
  now,
}: Parts): Record<string, Forgery> {
  const sayIn = (authUrl: string) => sayOf(readRequest(authUrl), idp.entityId, victim, { now })
  const trueOf = (authUrl: string) => signed(assertionOf(sayIn(authUrl)), 'Assertion', idp.identity)
  const by =
    (options: Encrypting, change = (xml: string) => xml, to = certificate): Forgery['forge'] =>
    (authUrl) =>
      responseOf(sayIn(authUrl), change(encrypted(trueOf(authUrl), to, options)))
  const wholly =
    (options: Encrypting): Forgery['forge'] =>
    (authUrl) =>
      signed(String(by(options)(authUrl)), 'Response', idp.identity)
  const holding =
    (change: (assertion: string) => string): Forgery['forge'] =>
    (authUrl) =>
      responseOf(sayIn(authUrl), encrypted(change(trueOf(authUrl)), certificate))
  const changing = (change: (xml: string) => string) => by({}, change)
  const flipped = (at: number) => (bytes: Buffer) => {
    const changed = Buffer.from(bytes)
    const place = at < 0 ? bytes.length + at : at
    changed[place] = (changed[place] ?? 0) ^ 1
    return changed
  }
  const ofKey = /<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s
  const shape = 'encryption_shape'
  const named = (method: string) => `<xenc:EncryptionMethod Algorithm="${method}"/>`

  return {
    'to another key': { reason: 'decryption', forge: by({}, undefined, foreign) },
    'a wrong tag': { reason: 'decryption', forge: by({ spoil: flipped(-1) }) },
    'a changed text': { reason: 'decryption', forge: by({ spoil: flipped(20) }) },
    'a text that is cut off': {
      reason: 'decryption',
      forge: by({ spoil: (bytes) => bytes.subarray(0, 27) }),
    },
    'no text': { reason: 'decryption', forge: by({ spoil: () => Buffer.alloc(0) }) },
    'a key of another length': { reason: 'decryption', forge: by({ keyBytes: 16 }) },
    'a key by another hash': { reason: 'decryption', forge: by({ hash: 'sha256' }) },
    'a key by PKCS #1 v1.5 that is said to be by OAEP': {
      reason: 'decryption',
      forge: by({ padding: 'early' }),
    },
    'a key by PKCS #1 v1.5': {
      reason: 'weak_algorithm',
      forge: by({ padding: 'early', method: named(`${XMLENC}rsa-1_5`) }),
    },
    'a hash that is not that of the mask': {
      reason: 'weak_algorithm',
      forge: by({ hash: 'sha256', method: OAEP_SHA256.replace('mgf1sha256', 'mgf1sha1') }),
    },
    'a label of the key': {
      reason: shape,
      forge: by({
        method: OAEP.replace('/>', '><xenc:OAEPparams>YQ==</xenc:OAEPparams></xenc:EncryptionMethod>'),
      }),
    },
    'Triple DES': {
      reason: 'weak_algorithm',
      forge: changing((xml) => xml.replace(GCM, `${XMLENC}tripledes-cbc`)),
    },
    'a cipher that is called as a member of every object': {
      reason: 'weak_algorithm',
      forge: changing((xml) => xml.replace(GCM, 'constructor')),
    },
    'hashes that are called as a member of every object': {
      reason: 'weak_algorithm',
      forge: by({
        hash: 'sha256',
        method: OAEP_SHA256.replace(/Algorithm="[^"]*sha256"/g, 'Algorithm="constructor"'),
      }),
    },
    'CBC without a signed response': { reason: 'unsigned_encryption', forge: by({ cipher: CBC }) },
    'CBC with padding that is too long, signed': {
      reason: 'decryption',
      forge: wholly({ cipher: CBC, filled: 17 }),
    },
    'CBC without padding, signed': { reason: 'decryption', forge: wholly({ cipher: CBC, filled: 0 }) },
    'CBC of half a block, signed': {
      reason: 'decryption',
      forge: wholly({ cipher: CBC, spoil: (bytes) => bytes.subarray(0, -8) }),
    },
    'CBC that was changed after the response was signed': {
      reason: 'signature',
      forge: (authUrl) => {
        const one = wholly({ cipher: CBC })(authUrl).toString()
        const value = /<\/ds:KeyInfo><xenc:CipherData><xenc:CipherValue>([^<]+)/.exec(one)?.[1] ?? ''
        return one.replace(value, flipped(-17)(Buffer.from(value, 'base64')).toString('base64'))
      },
    },
    'a key beside the data': {
      reason: shape,
      forge: changing((xml) => {
        const key = ofKey.exec(xml)?.[0] ?? ''
        const moved = key.replace('<xenc:EncryptedKey', `<xenc:EncryptedKey xmlns:xenc="${XMLENC}"`)
        return xml
          .replace(key, '')
          .replace('</saml:EncryptedAssertion>', `${moved}</saml:EncryptedAssertion>`)
      }),
    },
    'two keys': { reason: shape, forge: changing((xml) => xml.replace(ofKey, '$&$&')) },
    'two texts': {
      reason: shape,
      forge: changing((xml) => xml.replace(/<xenc:EncryptedData .*<\/xenc:EncryptedData>/s, '$&$&')),
    },
    'two encrypted assertions': { reason: 'many_assertions', forge: changing((xml) => xml + xml) },
    'an encrypted assertion beside a plain one': {
      reason: 'many_assertions',
      forge: (authUrl) =>
        responseOf(sayIn(authUrl), encrypted(trueOf(authUrl), certificate) + trueOf(authUrl)),
    },
    'a reference to the text': {
      reason: shape,
      forge: changing((xml) =>
        xml.replace(
          /(<\/ds:KeyInfo><xenc:CipherData>)<xenc:CipherValue>.*?<\/xenc:CipherValue>/s,
          '$1<xenc:CipherReference URI="http://127.0.0.1/"/>',
        ),
      ),
    },
    'a reference to the key': {
      reason: shape,
      forge: changing((xml) =>
        xml.replace(ofKey, `<ds:RetrievalMethod URI="#key" Type="${XMLENC}EncryptedKey"/>`),
      ),
    },
    'content that is not an element': {
      reason: shape,
      forge: changing((xml) => xml.replace(`Type="${XMLENC}Element"`, `Type="${XMLENC}Content"`)),
    },
    'of no signature': {
      reason: 'unsigned',
      forge: (authUrl) => responseOf(sayIn(authUrl), encrypted(assertionOf(sayIn(authUrl)), certificate)),
    },
    'changed before it was encrypted': {
      reason: 'signature',
      forge: holding((xml) => xml.replaceAll(victim.nameId, 'other')),
    },
    'encrypted twice': {
      reason: shape,
      forge: holding((xml) =>
        encrypted(xml, certificate).replace(
          '<saml:EncryptedAssertion',
          '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
        ),
      ),
    },
    'something encrypted in the assertion': {
      reason: shape,
      forge: holding((xml) =>
        xml.replace('</saml:Assertion>', '<saml:EncryptedAttribute/></saml:Assertion>'),
      ),
    },
    'two assertions in one text': { reason: shape, forge: holding((xml) => xml + xml) },
    'text beside the assertion': { reason: shape, forge: holding((xml) => `${xml}x`) },
    'an end of what is around it': {
      reason: 'not_xml',
      forge: holding((xml) => `</decrypted>${xml}<decrypted>`),
    },
    'a document type in it': { reason: 'not_xml', forge: holding((xml) => `<!DOCTYPE a>${xml}`) },
    'a comment in it': {
      reason: 'not_xml',
      forge: holding((xml) => xml.replace(victim.nameId, '$&<!-- -->')),
    },
    'too many elements in it': {
      reason: 'not_xml',
      forge: holding((xml) => xml.replace('</saml:Assertion>', `${'<a/>'.repeat(3_000)}</saml:Assertion>`)),
    },
    'elements too deep in it': {
      reason: 'not_xml',
      forge: holding((xml) => xml + '<a>'.repeat(2_000) + '</a>'.repeat(2_000)),
    },
    'no XML in it': { reason: 'not_xml', forge: holding(() => 'a < b') },
    'bytes in it that are no text': {
      reason: 'decryption',
      forge: (authUrl) =>
        responseOf(sayIn(authUrl), encrypted(Buffer.from([0x3c, 0xff]) as unknown as string, certificate)),
    },
  }
}
