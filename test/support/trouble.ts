import { renameSync, writeFileSync } from 'node:fs'

/** The module that makes trouble in the thread that sends (`troubled-thread.ts`). */
export const THREAD_HOOK = new URL('./troubled-thread.ts', import.meta.url).href

/** Writes a file that has its whole content from the moment it exists. */
export function put(path: string, content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}
