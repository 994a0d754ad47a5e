import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An RSA key pair. */
export interface RsaKeys {
  privateKey: KeyObject
  publicKey: KeyObject
}

/** Where they are kept for the next run, too (`test/run.ts`). */
const KEPT = process.env.POSTERN_TEST_KEYS
/** By their size: how many this process has taken. */
const taken = new Map<number, number>()

/** A key pair that this process has not taken before. Other processes and other runs take the same ones. */
export function takeRsaKeys(bits = 2_048): RsaKeys {
  const count = taken.get(bits) ?? 0
  taken.set(bits, count + 1)
  const privateKey = createPrivateKey(
    KEPT === undefined ? make(bits) : keep(join(KEPT, `${bits}-${count}`), bits),
  )
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

function keep(file: string, bits: number): string {
  if (!existsSync(file)) {
    // Of two processes that make it at once each finds a whole file.
    const own = `${file}.${process.pid}`
    writeFileSync(own, make(bits), { mode: 0o600 })
    renameSync(own, file)
  }
  return readFileSync(file, 'utf8')
}

function make(bits: number): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}
