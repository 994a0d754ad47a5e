import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { namingFile } from '../core/disk.ts'
import { makeFolder } from '../core/folder.ts'
import { newToken, openVault } from '../core/secret.ts'

type KeySettings = Pick<Config['store'], 'secretKey' | 'dataDir'>

/** The source of the key, in words. */
export function keySource(config: KeySettings): string {
  return config.secretKey === undefined ? `the file ${keyFile(config)}` : 'SECRET_KEY'
}

/** The configured key, else the generated one; undefined when none was generated yet. */
export function findMasterKey(config: KeySettings): string | undefined {
  return config.secretKey ?? readKey(keyFile(config))
}

export function keyFile({ dataDir }: Pick<KeySettings, 'dataDir'>): string {
  return join(dataDir, 'secret.key')
}

/** The file of the next key while the secrets are sealed under it. */
function nextKeyFile(config: Pick<KeySettings, 'dataDir'>): string {
  return `${keyFile(config)}.next`
}

/** Bytes that a key must have, wherever it comes from. */
const SHORTEST_KEY = 32

/** The key file exists and holds no key; its content must not seal any secret. */
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

/** At the first start: a key that only its owner can read. */
export function generateKey(config: Pick<KeySettings, 'dataDir'>): string {
  placeKey(config, newToken())
  return readKey(keyFile(config)) ?? ''
}

/** Writes a key that only its owner can read, whole or not at all, where there is none yet. */
export function placeKey(config: Pick<KeySettings, 'dataDir'>, key: string): void {
  makeFolder(config.dataDir)
  const draft = `${keyFile(config)}.${process.pid}`
  // A hard link is made as a whole or not at all: of two processes that start at once, one makes it and both read it.
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
  namingFile(file, 'DATA_DIR', () => writeFileSync(file, `${key}\n`, { mode: 0o600, flush: true }))
}

/**
 * Puts the next key into its place after a change of the key, if the database has it. The key before is kept under its
 * fingerprint, for backups. A second call, or one of another process, changes nothing.
 * @returns the file of the key before; undefined where there was nothing to do
 */
export function adoptNextKey(config: KeySettings, fingerprint: string | undefined): string | undefined {
  // A file that a crash left half written was never used.
  const next = config.secretKey === undefined ? read(nextKeyFile(config)) : undefined
  if (next === undefined || openVault(next).fingerprint !== fingerprint) return undefined
  const kept = putAway(config)
  try {
    renameSync(nextKeyFile(config), keyFile(config))
  } catch (error) {
    // Another process has done it since.
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
