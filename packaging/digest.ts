import { createHash } from 'node:crypto'
import { globSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** The digest of all that a folder holds: names, contents, and what may be run; no times and no owners. */
export function digestOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of globSync('**/*', { cwd: folder }).sort()) {
    const stat = lstatSync(join(folder, name))
    if (stat.isDirectory()) continue
    const content = stat.isSymbolicLink()
      ? readlinkSync(join(folder, name))
      : readFileSync(join(folder, name))
    const kind = stat.isSymbolicLink() ? 'link' : (stat.mode & 0o111) === 0 ? 'file' : 'program'
    hash
      .update(`${name.replaceAll('\\', '/')}\0${kind}\0`)
      .update(createHash('sha256').update(content).digest())
  }
  return hash.digest('hex')
}
