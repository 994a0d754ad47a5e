import type { CompiledQuery } from 'kysely'
import pg from 'pg'

/** What the driver calls of a query that reads its own answers. */
interface DriverConnection {
  query(text: string): void
}

/** Is given the columns of a row. */
export type OnRow = (columns: (Buffer | null)[]) => void

/** Begins what `copy … (format binary)` answers; what follows in the head is of no use here. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEAD_BYTES = SIGNATURE.length + 8

/**
 * The rows of a query as bytes, each handed on as it comes: the driver reads every other answer as text, in which bytes take
 * twice their length and have to be made anew.
 */
export class CopyOut {
  readonly #text: string
  readonly #onRow: OnRow
  /** Set here or by the driver, which ends it in its own time. */
  callback: (error?: Error) => void

  constructor(query: CompiledQuery, onRow: OnRow, callback: (error?: Error) => void) {
    this.#text = `copy (${inlined(query)}) to stdout (format binary)`
    this.#onRow = onRow
    this.callback = callback
  }

  submit(connection: DriverConnection): void {
    connection.query(this.#text)
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const row = chunk.subarray(0, SIGNATURE.length).equals(SIGNATURE) ? chunk.subarray(HEAD_BYTES) : chunk
    // The end is a row of -1 columns; the head may come alone.
    if (row.length < 2 || row.readInt16BE(0) < 0) return
    this.#onRow(columnsOf(row))
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback()
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}

function columnsOf(row: Buffer): (Buffer | null)[] {
  let at = 2
  return Array.from({ length: row.readInt16BE(0) }, () => {
    const length = row.readInt32BE(at)
    const begin = at + 4
    at = begin + Math.max(0, length)
    return length < 0 ? null : row.subarray(begin, at)
  })
}

/** A query with its values in it: what copies takes none beside it. */
function inlined({ sql, parameters }: CompiledQuery): string {
  return sql.replace(/\$(\d+)/g, (_, number) => literalOf(parameters[Number(number) - 1]))
}

/** @throws TypeError for what is neither a text nor a number */
function literalOf(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new TypeError(`no value to be copied by: ${typeof value}`)
}
