import { loaded } from './common/loaded.ts'
import type { Assignment, Kind, Message } from './common/messages.ts'
import { Refusal, refusalOf } from './common/refusal.ts'
import { createWriter, Enough, type Writer } from './common/writer.ts'
import type { Zip } from './container/zip.ts'
import { type Found, sniff } from './sniff.ts'
import { readJson, readMarkdown, readPlainText } from './texts/text.ts'

type Say = (message: Message) => void
type Read<Content> = (content: Content, writer: Writer) => Promise<void> | void
/** How what reads a kind is come by. */
type Readers<Content> = Partial<Record<Kind, () => Read<Content> | Promise<Read<Content>>>>

const readOdf = async () => (await loaded(import('./documents/odf.ts'))).readOdf

const OF_TEXT: Readers<string> = {
  text: () => readPlainText,
  markdown: () => readMarkdown,
  json: () => readJson,
  csv: async () => (await loaded(import('./texts/csv.ts'))).readCsv,
  html: async () => (await loaded(import('./texts/html.ts'))).readHtml,
}
const OF_ZIP: Readers<Zip> = {
  xlsx: async () => (await loaded(import('./xlsx/xlsx.ts'))).readXlsx,
  docx: async () => (await loaded(import('./documents/docx.ts'))).readDocx,
  pptx: async () => (await loaded(import('./documents/pptx.ts'))).readPptx,
  odt: readOdf,
  ods: readOdf,
  odp: readOdf,
  epub: async () => (await loaded(import('./documents/epub.ts'))).readEpub,
}
const OF_BYTES: Readers<Buffer> = {
  pdf: async () => (await loaded(import('./documents/pdf.ts'))).readPdf,
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
  if (text !== undefined) return (await OF_TEXT[kind]?.())?.(text, writer)
  const ofZip = zip && OF_ZIP[kind]
  if (ofZip !== undefined) return (await ofZip())(zip as Zip, writer)
  const ofBytes = OF_BYTES[kind]
  if (ofBytes !== undefined) return (await ofBytes())(bytes, writer)
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
