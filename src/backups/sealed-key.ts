import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

/** The cost of one guess: 128 MB and half a second of processor time. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const METHOD = 'scrypt-n17-r8-p1+aes-256-gcm'

/** The master key in a backup, sealed under a passphrase. All members are base64url. */
export interface SealedKey {
  method: string
  salt: string
  nonce: string
  tag: string
  key: string
}

/** The passphrase does not open the sealed key. */
export class WrongPassphraseError extends Error {
  override readonly name = 'WrongPassphraseError'
}

/** @param fingerprint of the key, authenticated with the sealed key */
export async function sealKey(key: string, passphrase: string, fingerprint: string): Promise<SealedKey> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt), nonce)
  cipher.setAAD(Buffer.from(fingerprint))
  const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()])
  const text = (bytes: Buffer) => bytes.toString('base64url')
  return {
    ...{ method: METHOD, salt: text(salt), nonce: text(nonce), tag: text(cipher.getAuthTag()) },
    key: text(sealed),
  }
}

/** @throws WrongPassphraseError */
export async function openKey(sealed: SealedKey, passphrase: string, fingerprint: string): Promise<string> {
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  try {
    if (sealed.method !== METHOD) throw new Error('another method')
    const derived = await derive(passphrase, bytes(sealed.salt))
    const decipher = createDecipheriv('aes-256-gcm', derived, bytes(sealed.nonce), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(fingerprint)).setAuthTag(bytes(sealed.tag))
    return Buffer.concat([decipher.update(bytes(sealed.key)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new WrongPassphraseError(
      'The passphrase is not the one that the key in this backup was sealed with.',
      {
        cause,
      },
    )
  }
}

const deriveBy = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

function derive(passphrase: string, salt: Buffer): Promise<Buffer> {
  return deriveBy(passphrase.normalize('NFKC'), salt, 32, { ...COST, maxmem: 256 * 1024 * 1024 })
}
