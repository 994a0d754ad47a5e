import { hash } from 'node:crypto'

/** Words of a digest that are added up, 32 bits each: 128 bits. */
const WORDS = 4

/** How many rows there are, and a digest of all of them in whatever order they come. */
export interface RowChecksum {
  /** @param line a row as one line */
  add(line: string | Uint8Array): void
  readonly rows: number
  /** Tells apart two sets of rows. */
  text(): string
}

export function createRowChecksum(): RowChecksum {
  const sums = new Uint32Array(WORDS)
  let rows = 0
  return {
    add(line) {
      // A text of a character for each byte: to make a buffer takes longer than to hash a row.
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
