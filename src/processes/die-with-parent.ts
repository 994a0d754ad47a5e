import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Makes the kernel kill a process when its parent ends for any reason; part of util-linux. */
const SETPRIV = '/usr/bin/setpriv'
const FLAGS = ['--pdeathsig', 'KILL']
const PATIENCE_MS = 1_000

let isSupported: boolean | undefined

/** @returns the prefix of a command that must not outlive this process; empty where the machine lacks `setpriv` */
export function dieWithParent(): string[] {
  isSupported ??=
    process.platform === 'linux' &&
    existsSync(SETPRIV) &&
    // Versions of other vendors lack the flag.
    spawnSync(SETPRIV, [...FLAGS, SETPRIV, '--version'], {
      env: {},
      stdio: 'ignore',
      timeout: PATIENCE_MS,
    }).status === 0
  return isSupported ? [SETPRIV, ...FLAGS] : []
}
