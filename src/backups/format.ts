import { ID_PATTERN } from '../core/id.ts'
import type { Table } from '../db/rows/table.ts'
import type { SealedKey } from './sealed-key.ts'

/** The version of the form of a backup. A later one is refused; docs/operations.md describes it. */
export const FORMAT = 1

/** The names of entries, in their order. */
export const ENTRY = {
  about: 'postern.json',
  key: 'key.json',
  database: 'postern.db',
  contents: 'contents.json',
} as const
const [ROWS, ROWS_END, BYTES] = ['rows/', '.copy', 'blobs/'] as const

export const rowsEntry = (table: string) => `${ROWS}${table}${ROWS_END}`
export const bytesEntry = (blob: string) => `${BYTES}${blob}`

/** Bytes of an entry of JSON at most. */
export const MOST_JSON = 4 * 1024 * 1024

/** What comes first: by what and of what it was made. */
export interface About {
  format: number
  version: string
  /** The version of the schema. */
  schema: number
  engine: 'sqlite' | 'postgres'
  /** The moment that it shows, in ISO 8601. */
  madeAt: string
  keyFingerprint: string | null
  key: 'sealed' | 'left_out'
  /** Whether the bytes of files are in it; else they are in a storage of their own. */
  files: 'included' | 'elsewhere'
}

/** What comes last: what must be there. */
export interface Contents {
  /** Of PostgreSQL: the tables in `rows/` with the sum of each. */
  tables?: (Pick<Table, 'name' | 'columns'> & { sum: string })[]
  /** Of PostgreSQL: what the database says of itself, and what tells it from any other. */
  facts?: Record<string, string>
  id?: string
  /** Rows of each table. */
  rows: Record<string, number>
  /** Files whose bytes are in it, and those that were deleted while it was made. */
  blobs: number
  missingBlobs: number
}

/** @returns the name of a table of `rows/`, or of a blob of `blobs/`; undefined for any other */
export function partOfName(name: string): { table: string } | { blob: string } | undefined {
  if (name.startsWith(ROWS) && name.endsWith(ROWS_END)) {
    const table = name.slice(ROWS.length, -ROWS_END.length)
    return /^[a-z][a-z_]{0,62}$/.test(table) ? { table } : undefined
  }
  const blob = name.startsWith(BYTES) ? name.slice(BYTES.length) : ''
  return BLOB.test(blob) ? { blob } : undefined
}

const BLOB = new RegExp(ID_PATTERN.blob)

export function isEntry(name: string): boolean {
  return (Object.values(ENTRY) as string[]).includes(name) || partOfName(name) !== undefined
}

/** @throws Error for what is no JSON of this form */
export function parseAbout(text: string): About {
  const about = JSON.parse(text) as About
  const { format, version, schema, engine, madeAt, keyFingerprint, key, files } = about
  const isSound =
    [format, schema].every((number) => Number.isSafeInteger(number) && number > 0) &&
    [version, madeAt].every((one) => typeof one === 'string' && one.length < 100) &&
    (keyFingerprint === null || /^[0-9a-f]{16}$/.test(keyFingerprint)) &&
    ['sqlite', 'postgres'].includes(engine) &&
    ['sealed', 'left_out'].includes(key) &&
    ['included', 'elsewhere'].includes(files)
  if (!isSound) throw new Error('it does not say what it is')
  return about
}

/** @throws Error for what is no JSON of this form */
export function parseContents(text: string): Contents {
  const contents = JSON.parse(text) as Contents
  const isCount = (value: unknown) => Number.isSafeInteger(value)
  const isSound =
    typeof contents.rows === 'object' &&
    Object.values(contents.rows).every(isCount) &&
    isCount(contents.blobs) &&
    isCount(contents.missingBlobs) &&
    (contents.tables ?? []).every(
      ({ name, columns, sum }) =>
        typeof name === 'string' &&
        typeof sum === 'string' &&
        columns.every(
          ({ name: column, type }) => /^[a-z][a-z0-9_]{0,62}$/.test(column) && typeof type === 'string',
        ),
    )
  if (!isSound) throw new Error('it does not say what is in it')
  return contents
}

/** @throws Error for what is no JSON of this form */
export function parseKey(text: string): SealedKey {
  const key = JSON.parse(text) as SealedKey
  if ([key.method, key.salt, key.nonce, key.tag, key.key].some((one) => typeof one !== 'string'))
    throw new Error('it has no sealed key')
  return key
}
