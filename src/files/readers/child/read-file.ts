import type { Assignment, Kind, Message } from './common/messages.ts'
import { Refusal, refusalOf } from './common/refusal.ts'
import { createWriter, Enough, type Writer } from './common/writer.ts'
import type { Zip } from './container/zip.ts'
import { readDocx } from './documents/docx.ts'
import { readEpub } from './documents/epub.ts'
import { readOdf } from './documents/odf.ts'
import { readPdf } from './documents/pdf.ts'
import { readPptx } from './documents/pptx.ts'
import { type Found, sniff } from './sniff.ts'
import { readCsv } from './texts/csv.ts'
import { readHtml } from './texts/html.ts'
import { readJson, readMarkdown, readPlainText } from './texts/text.ts'
import { readXlsx } from './xlsx/xlsx.ts'

type Say = (message: Message) => void
type Read<Content> = (content: Content, writer: Writer) => Promise<void> | void

const OF_TEXT: Partial<Record<Kind, Read<string>>> = {
  text: readPlainText,
  markdown: readMarkdown,
  json: readJson,
  csv: readCsv,
  html: readHtml,
}
const OF_ZIP: Partial<Record<Kind, Read<Zip>>> = {
  xlsx: readXlsx,
  docx: readDocx,
  pptx: readPptx,
  odt: readOdf,
  ods: readOdf,
  odp: readOdf,
  epub: readEpub,
}
/** A text or a table that is blank is one all the same; anything else that is has something in it that cannot be read. */
const MAY_BE_BLANK = new Set<Kind>(['text', 'markdown', 'json', 'csv', 'xlsx', 'ods'])

/** Reads one file: says what kind of file it is, then its text, last how it ended. Whatever is in it, nothing is thrown. */
export async function readFile(bytes: Buffer, assignment: Assignment, say: Say): Promise<void> {
  let isKindSaid = false
  function sayKind(kind: Kind): void {
    if (isKindSaid) return
    isKindSaid = true
    say({ is: 'kind', kind })
  }
  try {
    const found = await sniff(bytes, assignment, sayKind)
    sayKind(found.kind)
    say({ is: 'end', isTruncated: await readText(bytes, found, say) })
  } catch (error) {
    sayKind('unknown')
    say({ is: 'refused', ...refusalOf(error) })
  }
}

async function readKind(bytes: Buffer, { kind, text, zip }: Found, writer: Writer): Promise<void> {
  if (text !== undefined) return OF_TEXT[kind]?.(text, writer)
  const read = OF_ZIP[kind]
  if (zip !== undefined && read !== undefined) return read(zip, writer)
  if (kind === 'pdf') return readPdf(bytes, writer)
  throw new Refusal('unsupported', 'nothing here reads files of this kind')
}

/** @returns whether there was more text than is kept */
async function readText(bytes: Buffer, found: Found, say: Say): Promise<boolean> {
  const writer = createWriter((pieces) => say({ is: 'pieces', pieces }))
  let isTruncated = false
  try {
    await readKind(bytes, found, writer)
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    isTruncated = true
  }
  if (!writer.end() && !MAY_BE_BLANK.has(found.kind)) throw new Refusal('no_text', 'there is no text in it')
  return isTruncated
}
