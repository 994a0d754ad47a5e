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
 * Makes a folder with mode 0700, and its missing parents. They are made one by one, because `mkdirSync` with `recursive` never ends
 * where the system reports an existing folder as missing, as `/proc` does.
 * @param setting the setting that names the folder
 * @throws Error in plain words, or the system's error where this user lacks the right
 */
export function makeFolder(folder: string, setting = 'DATA_DIR'): void {
  const trouble = findFolderProblem(folder, setting)
  if (trouble !== undefined) throw new Error(trouble)
  for (const path of missing(resolve(folder))) {
    make(path, folder, setting)
    // Flushed, so that the new folder's name survives a power cut.
    flushFolder(dirname(path))
  }
}

/** Makes an empty file with mode 0600; an existing file stays unchanged. */
export function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', OWNERS_FILE))
}

const [OWNERS_FOLDER, OWNERS_FILE] = [0o700, 0o600]
/** The sticky bit of folders that users share, such as `/tmp`. */
const SHARED_BY_USERS = 0o1000

/**
 * Removes the rights of other users from a folder and from our files and folders in it. Files in subfolders are then unreachable,
 * so they stay unchanged. Windows has no such rights.
 * @param isOurs whether an entry of the folder belongs to Postern
 * @returns one sentence for the operator where that failed; else undefined
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

/** @returns why other users still have rights; undefined where they have none */
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
  // A file system without permissions accepts the call and changes nothing.
  return (statSync(path).mode & 0o077) === 0 ? undefined : 'its file system has no rights of users'
}

/** @returns why a folder can neither be used nor made; undefined where it can. It tries by making a temporary folder. */
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

/** The missing folders of a path, the highest first. */
function missing(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [...missing(dirname(path)), path]
}

function make(path: string, folder: string, setting: string): void {
  try {
    mkdirSync(path, { mode: OWNERS_FOLDER })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Another process has made the folder.
    if (code !== 'EEXIST') throw new Error(cannotMake(folder, code, setting), { cause: error })
  }
}

/** Flushes a folder where the system supports it. */
function flushFolder(path: string): void {
  try {
    const descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    // Windows cannot flush a folder.
  }
}
