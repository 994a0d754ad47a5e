import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may look into, and those above it that are missing. One by one: where the system
 * says of a folder that is there that it is not, as `/proc` does, Node's own way of making all of them never ends.
 * @param setting that names the folder
 * @throws Error in plain words, or the system's own where this user may not
 */
export function makeFolder(folder: string, setting = 'DATA_DIR'): void {
  const trouble = findFolderProblem(folder, setting)
  if (trouble !== undefined) throw new Error(trouble)
  for (const path of missing(resolve(folder))) {
    make(path, folder, setting)
    // The name of a new file is on the disk as well, before a caller learns of its content.
    flushFolder(dirname(path))
  }
}

/** Makes an empty file that its owner alone may read, whatever the umask is; an existing file stays as it is. */
export function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNERS_FILE))
}

const [OWNERS_FOLDER, OWNERS_FILE] = [0o700, 0o600]
/** Set on folders that several users share, such as `/tmp`: such a one belongs to no program. */
const SHARED_BY_USERS = 0o1000

/**
 * Takes a folder, and what is ours in it, from all users but their owner, whatever rights they had. A folder in it is closed
 * as such: what lies below is out of reach. On Windows there are no such rights.
 * @returns one sentence for the operator where that cannot be done; else undefined
 */
export function makePrivate(folder: string, isOurs: (name: string) => boolean): string | undefined {
  if (process.platform === 'win32' || !existsSync(folder)) return undefined
  for (const name of readdirSync(folder).filter(isOurs)) closeToOthers(join(folder, name))
  const why = closeToOthers(folder)
  return (
    why &&
    `Other users of this machine can look into DATA_DIR ${folder}, and it cannot be made private (${why}): make it a folder of this user alone, or set another DATA_DIR.`
  )
}

/** @returns why others have rights still; undefined where they have none */
function closeToOthers(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return undefined
  if ((mode & SHARED_BY_USERS) !== 0) return 'it is a folder that users share'
  try {
    chmodSync(path, statSync(path).isDirectory() ? OWNERS_FOLDER : OWNERS_FILE)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'refused'
  }
  // A file system without rights takes the call and changes nothing.
  return (statSync(path).mode & 0o077) === 0 ? undefined : 'its file system has no rights of users'
}

/** Why a folder can be neither used nor made, tried and undone; undefined when it can. */
export function findFolderProblem(folder: string, setting = 'DATA_DIR'): string | undefined {
  const path = resolve(folder)
  const nearest = missing(path).length === 0 ? path : dirname(missing(path)[0] as string)
  if (!statSync(nearest).isDirectory())
    return nearest === path
      ? `${setting} ${folder} is a file, and must be a folder. Set another ${setting}.`
      : cannotMake(folder, `${nearest} is a file`, setting)
  if (nearest === path) return undefined
  try {
    rmdirSync(mkdtempSync(join(nearest, '.postern-')))
    return undefined
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return cannotMake(folder, `${code} in ${nearest}`, setting)
  }
}

function cannotMake(folder: string, why: string, setting: string): string {
  return `${setting} ${folder} cannot be made (${why}). Make it for this user, or set another ${setting}.`
}

/** A path and the folders above it that are not there, the highest first. */
function missing(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [...missing(dirname(path)), path]
}

function make(path: string, folder: string, setting: string): void {
  try {
    mkdirSync(path, { mode: OWNERS_FOLDER })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Another process was faster.
    if (code !== 'EEXIST') throw new Error(cannotMake(folder, code, setting), { cause: error })
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
