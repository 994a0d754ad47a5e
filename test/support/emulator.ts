import { existsSync } from 'node:fs'

/** Runs programs for arm64 on x64; of Debian's `qemu-user-static`. */
const EMULATOR = '/usr/bin/qemu-aarch64-static'
/** How the kernel recognizes a program for arm64: the first bytes of its file, and which of their bits count. */
const MAGIC = '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00'
const MASK =
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff'
/** The folders of the machine that a root needs. The kernel forgets both the mounts and the emulator with the last process. */
const SCRIPT = `set -e
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf %s "$1" > /proc/sys/fs/binfmt_misc/register
root=$2 data=$3
shift 3
for name in dev proc; do mount --rbind /$name "$root/$name"; done
mount --bind "$data" "$root/data"
exec chroot "$root" "$@"`

/** A root folder of programs for arm64, and the folder that is its `/data`. Both exist, and so do `/dev` and `/proc` of the root. */
interface ForeignRoot {
  root: string
  data: string
}

/** The reason why programs for arm64 cannot run here; undefined where they can. */
export function noEmulator(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0)
    return 'it needs root on Linux on x64'
  return existsSync(EMULATOR) ? undefined : 'qemu-user-static of Debian is not on this machine'
}

/**
 * The words that start a program for arm64 as the root of namespaces of its own, in which alone the kernel knows the emulator (Linux 6.7
 * or newer). The program has the process id of the started command, and gets its signals.
 * @param words the program as the root folder names it, and its arguments
 */
export function emulated({ root, data }: ForeignRoot, ...words: string[]): [file: string, ...args: string[]] {
  const rule = `:arm64:M::${MAGIC}:${MASK}:${EMULATOR}:F`
  const namespaces = ['--user', '--map-root-user', '--mount']
  return ['unshare', ...namespaces, 'sh', '-c', SCRIPT, 'sh', rule, root, data, ...words]
}
