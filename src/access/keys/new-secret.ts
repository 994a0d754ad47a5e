import { type KeyPrefix, newKeyText } from '../../core/key-text.ts'
import { hashToken } from '../../core/secret.ts'

/**
 * Makes a secret of a key.
 * @returns the secret, which is shown once, and the columns that stand for it
 */
export function newSecret(prefix: KeyPrefix): { key: string; columns: { key_hash: string; hint: string } } {
  const key = newKeyText(prefix)
  return { key, columns: { key_hash: hashToken(key), hint: key.slice(-4) } }
}
