import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { withFileName } from '../core/disk.ts'
import { makeFolder } from '../core/folder.ts'
import { newToken, openVault } from '../core/secret.ts'

type KeySettings = Pick<Config['store'], 'secretKey' | 'dataDir'>

/** Names the source of the key in a message. */
export function keySource(config: KeySettings): string {
  return config.secretKey === undefined ? `the file ${keyFile(config)}` : 'SECRET_KEY'
}

/** The configured key, else the generated one; undefined before one is generated. */
export function findMasterKey(config: KeySettings): string | undefined {
  return config.secretKey ?? readKey(keyFile(config))
}

export function keyFile({ dataDir }: Pick<KeySettings, 'dataDir'>): string {
  return join(dataDir, 'secret.key')
}

/** The file of the next key during `rotate-key`. */
function nextKeyFile(config: Pick<KeySettings, 'dataDir'>): string {
  return `${keyFile(config)}.next`
}

/** Least bytes of a key. */
const SHORTEST_KEY = 32

/** The key file exists without a key in it; its content must seal no secret. */
class NoKeyError extends Error {
  override readonly name = 'NoKeyError'
}

/** @throws NoKeyError */
function readKey(file: string): string | undefined {
  const key = read(file)
  if (key === undefined) return undefined
  const bytes = Buffer.byteLength(key)
  if (bytes >= SHORTEST_KEY) return key
  throw new NoKeyError(
    `The key file ${file} ${bytes === 0 ? 'is empty' : `holds ${bytes} bytes, and a key has ${SHORTEST_KEY} or more`}. ` +
      'Put the key back from your copy of it; where nothing was ever started with it, remove the file.',
  )
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** Generates the key at the first start, in a file that only its owner can read. */
export function generateKey(config: Pick<KeySettings, 'dataDir'>): string {
  placeKey(config, newToken())
  return readKey(keyFile(config)) ?? ''
}

/** Writes a key file that only its owner can read, atomically, unless one exists. */
export function placeKey(config: Pick<KeySettings, 'dataDir'>, key: string): void {
  makeFolder(config.dataDir)
  const draft = `${keyFile(config)}.${process.pid}`
  // A hard link is atomic: of two processes that start at once, one makes it and both read it.
  try {
    writeKey(draft, key)
    linkSync(draft, keyFile(config))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Writes the next key to the disk before a change of the key, so that it is found after a crash. */
export function generateNextKey(config: Pick<KeySettings, 'dataDir'>): string {
  const key = newToken()
  rmSync(nextKeyFile(config), { force: true })
  try {
    writeKey(nextKeyFile(config), key)
  } catch (error) {
    rmSync(nextKeyFile(config), { force: true })
    throw error
  }
  return key
}

function writeKey(file: string, key: string): void {
  withFileName(file, 'DATA_DIR', () => writeFileSync(file, `${key}\n`, { mode: 0o600, flush: true }))
}

/**
 * Makes the next key the key file, if the database is sealed under it. The previous key is kept under its fingerprint, for
 * backups. A repeated call changes nothing.
 * @returns the file of the previous key; undefined where nothing changed
 */
export function adoptNextKey(config: KeySettings, fingerprint: string | undefined): string | undefined {
  // A half-written file was never used, because a crash interrupted it.
  const next = config.secretKey === undefined ? read(nextKeyFile(config)) : undefined
  if (next === undefined || openVault(next).fingerprint !== fingerprint) return undefined
  const kept = putAway(config)
  try {
    renameSync(nextKeyFile(config), keyFile(config))
  } catch (error) {
    // Another process has adopted the key.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return kept
}

/** Keeps a copy of the key file under the fingerprint of its key. @returns its name */
export function putAway(config: Pick<KeySettings, 'dataDir'>): string | undefined {
  const key = readKey(keyFile(config))
  if (key === undefined) return undefined
  const kept = `${keyFile(config)}.${openVault(key).fingerprint}`
  try {
    linkSync(keyFile(config), kept)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return kept
}
