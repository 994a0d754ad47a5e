import type { CompiledQuery } from 'kysely'
import pg from 'pg'

/** The driver's connection, as it is passed to a custom query. */
interface DriverConnection {
  query(text: string): void
}

/** Called with the columns of each row. */
export type OnRow = (columns: (Buffer | null)[]) => void

/** The signature of `copy … (format binary)`. The rest of the header is ignored. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEAD_BYTES = SIGNATURE.length + 8

/**
 * A query of the driver that streams rows in binary. All other queries of the driver are in text, in which bytes take twice their length
 * and must be decoded.
 */
export class CopyOut {
  readonly #text: string
  readonly #onRow: OnRow
  /** Set here; the driver may wrap it. */
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
    // The end is a row with -1 columns. The header may come without a row.
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

/** Inlines the values of a query, because `copy` takes no parameters. */
function inlined({ sql, parameters }: CompiledQuery): string {
  return sql.replace(/\$(\d+)/g, (_, number) => literalOf(parameters[Number(number) - 1]))
}

/** @throws TypeError for other values than texts and safe integers */
function literalOf(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new TypeError(`no value to be copied by: ${typeof value}`)
}
