import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { makeFolder } from '../core/folder.ts'
import { newToken, openVault } from '../core/secret.ts'

type KeySettings = Pick<Config['store'], 'secretKey' | 'dataDir'>

/** Where the key comes from, in words. */
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

/** Where the next key waits while everything is sealed under it. */
function nextKeyFile(config: Pick<KeySettings, 'dataDir'>): string {
  return `${keyFile(config)}.next`
}

/** Bytes that a key must have, wherever it comes from. */
const SHORTEST_KEY = 32

/** A file that is there and holds no key; with what it holds everybody's secrets would be sealed. */
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
  makeFolder(config.dataDir)
  const draft = `${keyFile(config)}.${process.pid}`
  writeFileSync(draft, `${newToken()}\n`, { mode: 0o600, flush: true })
  // A link is made whole or not at all: of two processes that start at once, one makes it and both read it.
  try {
    linkSync(draft, keyFile(config))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readKey(keyFile(config)) ?? ''
}

/** Before a change of the key: the next one, on disk where a crash leaves it to be found. */
export function generateNextKey(config: Pick<KeySettings, 'dataDir'>): string {
  const key = newToken()
  rmSync(nextKeyFile(config), { force: true })
  writeFileSync(nextKeyFile(config), `${key}\n`, { mode: 0o600, flush: true })
  return key
}

/**
 * After a change of the key: puts the next one into its place, if it is the one that the database now has. The one
 * before is kept under its fingerprint, for backups. Done again, or by two processes at once, it changes nothing.
 * @returns the file of the key before; undefined where there was nothing to do
 */
export function adoptNextKey(config: KeySettings, fingerprint: string | undefined): string | undefined {
  // One that a crash left half written was never used.
  const next = config.secretKey === undefined ? read(nextKeyFile(config)) : undefined
  if (next === undefined || openVault(next).fingerprint !== fingerprint) return undefined
  const kept = putAway(config)
  try {
    renameSync(nextKeyFile(config), keyFile(config))
  } catch (error) {
    // Another process was faster.
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
