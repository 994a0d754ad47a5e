import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Has the kernel kill a program when the one that started it is no more, however that ended; part of util-linux. */
const SETPRIV = '/usr/bin/setpriv'
const FOLLOWING = ['--pdeathsig', 'KILL']
const PATIENCE_MS = 1_000

let isThere: boolean | undefined

/** What stands before a command that must not outlive this process; nothing where this machine has no such thing. */
export function dieWithParent(): string[] {
  isThere ??=
    process.platform === 'linux' &&
    existsSync(SETPRIV) &&
    // Other makers' know less.
    spawnSync(SETPRIV, [...FOLLOWING, SETPRIV, '--version'], {
      env: {},
      stdio: 'ignore',
      timeout: PATIENCE_MS,
    }).status === 0
  return isThere ? [SETPRIV, ...FOLLOWING] : []
}
