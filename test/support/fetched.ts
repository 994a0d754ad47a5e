import { execFile } from 'node:child_process'
import { MINUTE } from '#src/core/clock.ts'

/** Time for a download, and for a compiler on a busy machine. */
const INSTALL = 5 * MINUTE

/**
 * Runs a program that fetches or builds what a test needs. It is not in this thread, which serves meanwhile.
 * @returns whether it ended with 0
 */
export function fetches(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<boolean> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: INSTALL }
  return new Promise((resolve) => execFile(program, args, options, (error) => resolve(error === null)))
}
