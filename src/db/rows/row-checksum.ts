import { hash } from 'node:crypto'

/** Words of a digest that are summed, 32 bits each: 128 bits. */
const WORDS = 4

/** The number of rows, and a checksum that does not depend on their order. */
export interface RowChecksum {
  /** Adds a row as one line. */
  add(line: string | Uint8Array): void
  readonly rows: number
  /** The number of rows and the checksum as text. */
  text(): string
}

export function createRowChecksum(): RowChecksum {
  const sums = new Uint32Array(WORDS)
  let rows = 0
  return {
    add(line) {
      // As a binary string, because creating a buffer takes longer than hashing a row.
      const digest = hash('sha256', line, 'binary')
      for (let word = 0; word < WORDS; word += 1)
        sums[word] = (sums[word] as number) + wordAt(digest, word * 4)
      rows += 1
    },
    get rows() {
      return rows
    },
    text: () => `${rows}:${Buffer.from(sums.buffer).toString('hex')}`,
  }
}

function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)]
  return a + b * 2 ** 8 + bytes.charCodeAt(at + 2) * 2 ** 16 + bytes.charCodeAt(at + 3) * 2 ** 24
}
