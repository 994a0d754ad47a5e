import { accessSync, constants, existsSync } from 'node:fs'

/**
 * Why this user cannot write into a folder that an option names.
 * @returns one sentence; undefined where the user can, or the folder is not there
 */
export function whyNotWritable(folder: string, option: string): string | undefined {
  if (!existsSync(folder)) return undefined
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `This user may not write into ${folder}. Give it the right, or choose another ${option}.`
  }
}
