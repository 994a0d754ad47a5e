import { ID_PATTERN } from '../core/id.ts'
import type { Table } from '../db/rows/table.ts'
import type { SealedKey } from './sealed-key.ts'

/** The version of the backup format (docs/operations.md). A newer version is refused. */
export const FORMAT = 1

/** The names of entries in order. */
export const ENTRY = {
  about: 'postern.json',
  key: 'key.json',
  database: 'postern.db',
  contents: 'contents.json',
} as const
const [ROWS, ROWS_END, BYTES] = ['rows/', '.copy', 'blobs/'] as const

export const rowsEntry = (table: string) => `${ROWS}${table}${ROWS_END}`
export const bytesEntry = (blob: string) => `${BYTES}${blob}`

/** Most bytes of a JSON entry. */
export const MOST_JSON = 4 * 1024 * 1024

/** The first entry: the program and the database of the backup. */
export interface About {
  format: number
  version: string
  /** The version of the schema. */
  schema: number
  engine: 'sqlite' | 'postgres'
  /** The time of its snapshot, in ISO 8601. */
  madeAt: string
  keyFingerprint: string | null
  key: 'sealed' | 'left_out'
  /** Whether the backup contains the bytes of files, or they are in S3-compatible storage. */
  files: 'included' | 'elsewhere'
}

/** The last entry: the contents that must be present. */
export interface Contents {
  /** PostgreSQL only: the tables in `rows/` with their sums. */
  tables?: (Pick<Table, 'name' | 'columns'> & { sum: string })[]
  /** PostgreSQL only: the facts of the database, and its identity. */
  facts?: Record<string, string>
  id?: string
  /** Rows by table. */
  rows: Record<string, number>
  /** Blobs in the backup, and blobs that were deleted while it was made. */
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

/** @throws Error for text that is not valid JSON of this shape */
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

/** @throws Error for text that is not valid JSON of this shape */
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

/** @throws Error for text that is not valid JSON of this shape */
export function parseKey(text: string): SealedKey {
  const key = JSON.parse(text) as SealedKey
  if ([key.method, key.salt, key.nonce, key.tag, key.key].some((one) => typeof one !== 'string'))
    throw new Error('it has no sealed key')
  return key
}
