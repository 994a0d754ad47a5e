import { closeSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'

/** Gives a finished file its name, which must be free: nothing that is there is replaced. @throws Error in plain words */
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
    // A file system without links: the name is taken first, by an empty file of this process.
    try {
      closeSync(openSync(file, 'wx', 0o600))
    } catch (cause) {
      taken(cause)
      throw cause
    }
    renameSync(part, file)
  }
}
