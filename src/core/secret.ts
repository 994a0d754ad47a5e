import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto'

/** Makes a bearer secret: 32 random bytes as base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Unambiguous letters and digits: no 0/O, 1/I/L; and no vowels, so that no words arise. */
const CODE_ALPHABET = '23456789BCDFGHJKMNPQRSTVWXZ'

/** Makes an 8-character code for a person to type. */
export function newCode(): string {
  return Array.from({ length: 8 }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join('')
}

/** The stored form of a secret of at least 112 bits (ASVS 6.5.2): its SHA-256. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** SHA-256 in hex, for values that are not secret. */
export function fingerprint(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/** Compares two texts in constant time; only their lengths may leak. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

declare const context: unique symbol
/** The context that a sealed text is bound to. Only db/sealed.ts makes one, so that the list of sealed columns is complete. */
export type SealContext = string & { readonly [context]: true }

/** Encryption and digests under the master key, without access to the key itself. */
export interface Vault {
  /** Encrypts by AES-256-GCM. `open` needs the same `context`. */
  seal(text: string, context: SealContext): string
  /** @throws Error when the text was changed, or was sealed for another context or by another key */
  open(sealed: string, context: SealContext): string
  /** A keyed digest (HMAC-SHA256, base64url), for values that a client returns. */
  mac(text: string, context: string): string
  /** Identifies the master key without revealing it. */
  readonly fingerprint: string
}

/** @param masterKey at least 32 bytes of text. Each purpose has its own key, derived by HKDF. */
export function openVault(masterKey: string): Vault {
  const keys = new Map<string, Buffer>()
  function keyFor(purpose: string): Buffer {
    const known = keys.get(purpose)
    if (known !== undefined) return known
    const derived = Buffer.from(hkdfSync('sha256', masterKey, 'postern', purpose, 32))
    keys.set(purpose, derived)
    return derived
  }
  return {
    seal(text, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyFor('seal'), nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', keyFor('seal'), bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
    mac: (text, context) =>
      createHmac('sha256', keyFor(`mac:${context}`))
        .update(text)
        .digest('base64url'),
    fingerprint: fingerprint(keyFor('fingerprint')).slice(0, 16),
  }
}
