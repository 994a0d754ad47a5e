import { createHash, randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasProcessEnded, THIS_PROCESS } from '../jobs/lease/process-identity.ts'

/** `.FILE.PROCESS-HOME-RANDOM.part`, and the files beside it. */
const PART = /^\.(.+)\.(\d{1,10})-([0-9a-f]{12})-[0-9a-f-]{36}\.part(\.[a-z-]{1,16}){0,2}$/

const [PROCESS = '0', HOME = ''] = /^(\d+) (.*)$/s.exec(THIS_PROCESS ?? '')?.slice(1) ?? []
const HOME_DIGEST = createHash('sha256').update(HOME).digest('hex').slice(0, 12)

/** @returns an unpredictable name for an unfinished backup, which contains its process */
export function partOf(name: string): string {
  return `.${name}.${PROCESS}-${HOME_DIGEST}-${randomUUID()}.part`
}

/** @returns the name of the backup of a part; undefined for any other file */
export function fileOfPart(name: string): string | undefined {
  return PART.exec(name)?.[1]
}

/** Removes the parts in a folder whose processes, of this machine, have certainly ended. */
export async function removeDeadParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, , pid, home] = PART.exec(name) ?? []
    if (pid !== undefined && home === HOME_DIGEST && hasProcessEnded(`${pid} ${HOME}`))
      await rm(join(folder, name), { force: true })
  }
}
