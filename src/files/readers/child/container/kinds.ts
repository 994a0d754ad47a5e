import type { Kind } from '../common/messages.ts'
import type { Zip } from './zip.ts'

/** Prefixes of entries that identify an Office document. */
const PARTS: [prefix: string, kind: Kind][] = [
  ['xl/workbook.bin', 'spreadsheet'],
  ['xl/', 'xlsx'],
  ['word/', 'docx'],
  ['ppt/', 'pptx'],
]
/** Prefixes of the content of the entry `mimetype`. */
const MIME_TYPES: [prefix: string, kind: Kind][] = [
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
  ['application/epub+zip', 'epub'],
]
const MIME_TYPE = 'mimetype'
const LONGEST_MIME_TYPE = 200

/** The kind of a document in a zip; undefined for any other zip. */
export async function kindOfZip(zip: Zip): Promise<Kind | undefined> {
  const byPart = PARTS.find(([prefix]) => zip.names.some((name) => name.toLowerCase().startsWith(prefix)))
  if (byPart !== undefined && zip.has('[Content_Types].xml')) return byPart[1]
  if (!zip.has(MIME_TYPE)) return undefined
  for await (const chunk of zip.content(MIME_TYPE)) {
    const type = chunk.toString('latin1', 0, LONGEST_MIME_TYPE)
    return MIME_TYPES.find(([prefix]) => type.startsWith(prefix))?.[1]
  }
  return undefined
}

/** The likely kind of a damaged zip, by the names in its bytes. */
export function kindOfBrokenZip(bytes: Buffer): Kind | undefined {
  return [...PARTS, ...MIME_TYPES].find(([name]) => bytes.includes(name))?.[1]
}
