import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { dieWithParent } from './die-with-parent.ts'

/** What a child process runs, and the most that it may use of the machine. */
export interface Program {
  /** Where its code is. */
  folder: string
  /** The file in there that it begins with. */
  file: string
  /** All that it may read: files, or folders with everything in them. */
  readable: string[]
  /** Of JavaScript's own objects; what is beyond that, buffers above all, `residentMb` sees. */
  heapMb: number
  /** Of the memory that it really occupies, where `/proc` tells. */
  residentMb: number
  /** Of the addresses that it may ask for, on Linux. */
  addressMb: number
  /** Of the processor, on Linux: it holds even if this process hangs. */
  processorSeconds: number
}

const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.cjs')
/** What a child has no use for; its database and addons are beyond what `--permission` covers. */
const REFUSED = [
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--disable-sigusr1',
  '--no-addons',
  '--no-experimental-sqlite',
  '--no-experimental-webstorage',
  '--no-warnings',
]
/** Under it a child is set limits that nothing takes off again; what a shell does not know is passed over. */
const SHELL = '/bin/sh'
/** Part of every Unix, in one place or the other. */
const NICE = ['/usr/bin/nice', '/bin/nice'].find((path) => existsSync(path))
/** How many steps of priority background reading stands behind requests that wait for an answer. */
export const NICENESS = 5
/** Between the processor time that a child hears of, and the one that kills it. */
const PROCESSOR_GRACE_SECONDS = 2

/** The command that starts a program without rights: no files but its own, no network, no processes, no code from texts. */
export function commandOf(program: Program): [file: string, ...args: string[]] {
  const flags = [
    '--permission',
    ...[BOOTSTRAP, ...program.readable].map((path) => `--allow-fs-read=${path}`),
    ...REFUSED,
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

/** `exec`: the shell becomes the program, so that there is one process to watch and to kill. */
function withLimits({ addressMb, processorSeconds }: Program): string {
  const limits = [
    '-c 0',
    `-v ${addressMb * 1024}`,
    `-S -t ${processorSeconds}`,
    `-H -t ${processorSeconds + PROCESSOR_GRACE_SECONDS}`,
  ]
  // Before it has threads: each would keep what it began with.
  const behind = NICE === undefined ? [] : [NICE, '-n', String(NICENESS)]
  const command = ['exec', ...behind, ...dieWithParent(), '"$0" "$@"'].join(' ')
  return [...limits.map((limit) => `ulimit ${limit} 2>/dev/null`), 'unset PWD', command].join('; ')
}
