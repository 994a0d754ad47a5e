import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createRowChecksum, type RowChecksum } from '../db/rows/row-checksum.ts'
import type { RowSource } from '../db/rows/source-target.ts'
import type { Contents } from './format.ts'
import { DamagedError } from './tar.ts'
import { fileOf } from './unpack.ts'

/** The rows of an unpacked backup of PostgreSQL. A table whose sum differs from that of the backup is refused at its end. */
export function rowsOfFolder(
  folder: string,
  { tables = [], facts = {}, id = '' }: Contents,
  schema: number,
): RowSource {
  const sums = new Map(tables.map(({ name, sum }) => [name, sum]))
  return {
    tables: tables.map(({ name, columns }) => ({ name, columns, parents: [] })),
    others: [],
    facts: new Map(Object.entries(facts)),
    schema,
    id,
    async *read({ name }, sum) {
      yield* wholeLines(createReadStream(join(folder, fileOf(name)), { highWaterMark: 256 * 1024 }), sum)
      if (sum.text() !== sums.get(name))
        throw new DamagedError(`the rows of ${name} are not those that it names`)
    },
    async count({ name }) {
      const sum = createRowChecksum()
      const stream = createReadStream(join(folder, fileOf(name)))
      for await (const _ of wholeLines(stream, sum));
      return sum.rows
    },
    isUnchanged: async () => true,
    close: async () => {},
  }
}

async function* wholeLines(stream: AsyncIterable<Buffer>, sum: RowChecksum): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(10) + 1
    for (let at = 0; at < end; ) {
      const next = bytes.indexOf(10, at) + 1
      sum.add(bytes.subarray(at, next))
      at = next
    }
    if (end > 0) yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) throw new DamagedError('a row was cut')
}
