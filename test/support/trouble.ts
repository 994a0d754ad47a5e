import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary.ts'

/** The module that makes trouble in the thread that sends (`troubled-thread.ts`). */
export const THREAD_HOOK = new URL('./troubled-thread.ts', import.meta.url).href

/** A path for the trouble of one server, because other tests run beside it, and a thread takes the file that it finds. */
export function troublePath(): string {
  return join(temporaryFolder(), `postern-trouble-${crypto.randomUUID()}`)
}

/** Writes a file that has its whole content from the moment it exists. */
export function put(path: string, content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}
