import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { dieWithParent } from './die-with-parent.ts'

/** The program of a child process, and its resource limits. */
export interface Program {
  /** The folder of its code. */
  folder: string
  /** Its entry file in the folder. */
  file: string
  /** Files and folders that it may read. */
  readable: string[]
  /** The limit of the JavaScript heap. Buffers are outside the heap; `residentMb` limits them. */
  heapMb: number
  /** The limit of resident memory, where `/proc` reports it. */
  residentMb: number
  /** The limit of the address space, on Linux. */
  addressMb: number
  /** The limit of processor time, on Linux. The kernel enforces it, even if this process hangs. */
  processorSeconds: number
}

const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.cjs')
/** Flags that disable unneeded features of Node; `--permission` does not cover its database and addons. */
const RESTRICTIONS = [
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--disable-sigusr1',
  '--no-addons',
  '--no-experimental-sqlite',
  '--no-experimental-webstorage',
  '--no-warnings',
]
/** The shell sets limits that the child cannot raise; limits that the shell does not know are skipped. */
const SHELL = '/bin/sh'
/** Part of every Unix, in one of two folders. */
const NICE = ['/usr/bin/nice', '/bin/nice'].find((path) => existsSync(path))
/** The niceness of background reading: requests that wait for an answer come first. */
export const NICENESS = 5
/** The seconds between SIGXCPU and SIGKILL. */
const PROCESSOR_GRACE_SECONDS = 2

/** The command that starts a sandboxed program: no files but its own, no network, no processes, no code from strings. */
export function commandOf(program: Program): [file: string, ...args: string[]] {
  const flags = [
    '--permission',
    ...[BOOTSTRAP, ...program.readable].map((path) => `--allow-fs-read=${path}`),
    ...RESTRICTIONS,
    `--max-old-space-size=${program.heapMb}`,
  ]
  // The single executable takes flags of Node in one argument (`packaging/executable`).
  const node: [string, ...string[]] = isSea()
    ? [process.execPath, `--node-options=${flags.map((flag) => JSON.stringify(flag)).join(' ')}`, BOOTSTRAP]
    : [process.execPath, ...flags, BOOTSTRAP]
  return process.platform === 'linux' && existsSync(SHELL)
    ? [SHELL, '-c', withLimits(program), ...node]
    : node
}

/** The shell script that sets the limits. `exec` replaces the shell, so that there is one process to watch and to kill. */
function withLimits({ addressMb, processorSeconds }: Program): string {
  const limits = [
    '-c 0',
    `-v ${addressMb * 1024}`,
    `-S -t ${processorSeconds}`,
    `-H -t ${processorSeconds + PROCESSOR_GRACE_SECONDS}`,
  ]
  // Before the program has threads, because each thread keeps the niceness that it started with.
  const nice = NICE === undefined ? [] : [NICE, '-n', String(NICENESS)]
  const command = ['exec', ...nice, ...dieWithParent(), '"$0" "$@"'].join(' ')
  return [...limits.map((limit) => `ulimit ${limit} 2>/dev/null`), 'unset PWD', command].join('; ')
}
