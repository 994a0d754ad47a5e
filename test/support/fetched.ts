import { execFile } from 'node:child_process'
import { MINUTE } from '#src/core/clock.ts'

/** Time for a download, and for a compiler on a busy machine. */
const INSTALL = 5 * MINUTE

/**
 * Runs a program that downloads or builds files for a test. The program is another process, so that this thread can serve requests.
 * @returns whether its exit code is 0
 */
export function fetches(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<boolean> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: INSTALL }
  return new Promise((resolve) => execFile(program, args, options, (error) => resolve(error === null)))
}
