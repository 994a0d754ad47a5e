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

/** 32 random bytes as base64url, 43 characters: every bearer secret that Postern hands out. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Letters and digits that are not mistaken for others: no 0/O, 1/I/L, no vowels, so no words. */
const CODE_ALPHABET = '23456789BCDFGHJKMNPQRSTVWXZ'

/** An 8-character code to be typed by a person. */
export function newCode(): string {
  return Array.from({ length: 8 }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join('')
}

/** How a secret of at least 112 bits is stored (ASVS 6.5.2): found by its hash, never readable. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** SHA-256 in hex, for fingerprints of things that are not secret. */
export function fingerprint(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/** Compares two texts in constant time; lengths may show. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

declare const context: unique symbol
/** What a sealed text is bound to; only db/sealed.ts makes one, so that no sealed column is forgotten. */
export type SealContext = string & { readonly [context]: true }

/** What may be done with the master key without holding it. */
export interface Vault {
  /** Encrypts under AES-256-GCM. `context` names what the text is; the same must be given to `open`. */
  seal(text: string, context: SealContext): string
  /** @throws Error when the text was changed, or was sealed for another context or under another key */
  open(sealed: string, context: SealContext): string
  /** A keyed digest (HMAC-SHA256, base64url) for values that go out and come back. */
  mac(text: string, context: string): string
  /** Tells one master key from another and reveals neither. */
  readonly fingerprint: string
}

/** Opens the vault of a master key: 32 bytes or more of any text. Each use derives its own key (HKDF). */
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
