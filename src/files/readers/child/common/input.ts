import type { Assignment } from './messages.ts'

// Not by `import`, which initializes the whole module (`src/processes/bootstrap.cjs`).
const { readSync } = process.getBuiltinModule('node:fs')

const STDIN = 0
const NEWLINE = 0x0a

/** Reads the assignment and the bytes of the file, synchronously. @returns undefined where the input ended early */
export function readInput(): { assignment: Assignment; bytes: Buffer } | undefined {
  const first = Buffer.alloc(64 * 1024)
  let length = 0
  let end = -1
  while (end < 0) {
    const read = length < first.length ? readSome(first, length) : 0
    if (read === 0) return undefined
    length += read
    end = first.subarray(0, length).indexOf(NEWLINE)
  }
  const assignment = JSON.parse(first.toString('utf8', 0, end)) as Assignment
  const bytes = Buffer.alloc(assignment.sizeBytes)
  let filled = first.copy(bytes, 0, end + 1, length)
  while (filled < bytes.length) {
    const read = readSome(bytes, filled)
    if (read === 0) return undefined
    filled += read
  }
  return { assignment, bytes }
}

function readSome(into: Buffer, at: number): number {
  try {
    return readSync(STDIN, into, at, into.length - at, null)
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if ((error as NodeJS.ErrnoException).code === 'EOF') return 0
    throw error
  }
}
