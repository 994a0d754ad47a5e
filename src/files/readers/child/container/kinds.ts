import type { Kind } from '../common/messages.ts'
import type { Zip } from './zip.ts'

/** Parts by which an Office document is known. */
const PARTS: [prefix: string, kind: Kind][] = [
  ['xl/workbook.bin', 'spreadsheet'],
  ['xl/', 'xlsx'],
  ['word/', 'docx'],
  ['ppt/', 'pptx'],
]
/** What the entry `mimetype` begins with. */
const MIME_TYPES: [prefix: string, kind: Kind][] = [
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
  ['application/epub+zip', 'epub'],
]
const MIME_TYPE = 'mimetype'
const LONGEST_MIME_TYPE = 200

/** What is in a zip; undefined for one that is none of the documents that are zips. */
export async function kindOfZip(zip: Zip): Promise<Kind | undefined> {
  const byPart = PARTS.find(([prefix]) => zip.names.some((name) => name.toLowerCase().startsWith(prefix)))
  if (byPart !== undefined && zip.has('[Content_Types].xml')) return byPart[1]
  if (!zip.has(MIME_TYPE)) return undefined
  for await (const chunk of zip.content(MIME_TYPE)) {
    const said = chunk.toString('latin1', 0, LONGEST_MIME_TYPE)
    return MIME_TYPES.find(([prefix]) => said.startsWith(prefix))?.[1]
  }
  return undefined
}

/** What a zip that cannot be opened was meant to be, by the names that stand in it. */
export function kindOfBrokenZip(bytes: Buffer): Kind | undefined {
  return [...PARTS, ...MIME_TYPES].find(([name]) => bytes.includes(name))?.[1]
}
