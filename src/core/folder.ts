import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may look into, and those above it that are missing. One by one: where the system
 * says of a folder that is there that it is not, as `/proc` does, Node's own way of making all of them never ends.
 * @throws Error in plain words, or the system's own where this user may not
 */
export function makeFolder(folder: string): void {
  const trouble = findTrouble(folder)
  if (trouble !== undefined) throw new Error(trouble)
  for (const path of missing(resolve(folder))) {
    make(path, folder)
    // The name of what is new is on the disk as well, before anybody is told of what is in it.
    flushFolder(dirname(path))
  }
}

/** Why a folder can be neither used nor made, tried and undone; undefined when it can. */
export function findTrouble(folder: string): string | undefined {
  const path = resolve(folder)
  const nearest = missing(path).length === 0 ? path : dirname(missing(path)[0] as string)
  if (!statSync(nearest).isDirectory())
    return nearest === path
      ? `DATA_DIR ${folder} is a file, and must be a folder. Set another DATA_DIR.`
      : cannotMake(folder, `${nearest} is a file`)
  if (nearest === path) return undefined
  try {
    rmdirSync(mkdtempSync(join(nearest, '.postern-')))
    return undefined
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return cannotMake(folder, `${code} in ${nearest}`)
  }
}

function cannotMake(folder: string, why: string): string {
  return `DATA_DIR ${folder} cannot be made (${why}). Make it for this user, or set another DATA_DIR.`
}

/** A path and the folders above it that are not there, the highest first. */
function missing(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [...missing(dirname(path)), path]
}

function make(path: string, folder: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Another process was faster.
    if (code !== 'EEXIST') throw new Error(cannotMake(folder, code), { cause: error })
  }
}

/** Where the system flushes folders at all. */
function flushFolder(path: string): void {
  try {
    const descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    // Windows has no such thing.
  }
}
