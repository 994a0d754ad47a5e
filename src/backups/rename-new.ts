import { closeSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'

/** Renames a finished file without replacing an existing one. @throws Error in plain words */
export function renameNew(part: string, file: string): void {
  const taken = (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error(`${file} exists already and is left as it is.`)
  }
  try {
    linkSync(part, file)
    rmSync(part)
  } catch (error) {
    taken(error)
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error
    // On a file system without hard links an empty file reserves the name first.
    try {
      closeSync(openSync(file, 'wx', 0o600))
    } catch (cause) {
      taken(cause)
      throw cause
    }
    renameSync(part, file)
  }
}
