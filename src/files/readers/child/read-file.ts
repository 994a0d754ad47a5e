import { loadLibrary } from './common/load-library.ts'
import {
  type Assignment,
  type Kind,
  LONGEST_DETAIL,
  type Message,
  MOST_WARNINGS,
  type Warning,
} from './common/messages.ts'
import { Refusal, refusalOf } from './common/refusal.ts'
import { createWriter, cutAt, TextLimitReached, type Writer, withoutControls } from './common/writer.ts'
import type { Zip } from './container/zip.ts'
import { type Found, sniff } from './sniff.ts'
import { readJson, readMarkdown, readPlainText } from './texts/text.ts'

type Send = (message: Message) => void
type Warn = (warning: Warning) => void
type Read<Content> = (content: Content, writer: Writer, warn: Warn) => Promise<void> | void
/** Loads the reader of each kind. */
type Readers<Content> = Partial<Record<Kind, () => Read<Content> | Promise<Read<Content>>>>

const readFlat = async () => {
  const { readFlatOdf } = await loadLibrary(import('./documents/odf.ts'))
  const { contentOf } = await loadLibrary(import('./container/xml.ts'))
  return (text: string, writer: Writer) => readFlatOdf(contentOf(text), writer)
}
const readOdf = async () => (await loadLibrary(import('./documents/odf.ts'))).readOdf

const OF_TEXT: Readers<string> = {
  text: () => readPlainText,
  markdown: () => readMarkdown,
  json: () => readJson,
  csv: async () => (await loadLibrary(import('./texts/csv.ts'))).readCsv,
  html: async () => {
    const { readHtml } = await loadLibrary(import('./texts/html.ts'))
    return (text, writer) => readHtml(text, writer)
  },
  xml: async () => (await loadLibrary(import('./texts/xml.ts'))).readXml,
  odt: readFlat,
  ods: readFlat,
  odp: readFlat,
}
const OF_ZIP: Readers<Zip> = {
  xlsx: async () => (await loadLibrary(import('./xlsx/xlsx.ts'))).readXlsx,
  docx: async () => (await loadLibrary(import('./documents/docx.ts'))).readDocx,
  pptx: async () => (await loadLibrary(import('./documents/pptx.ts'))).readPptx,
  odt: readOdf,
  ods: readOdf,
  odp: readOdf,
  epub: async () => (await loadLibrary(import('./documents/epub.ts'))).readEpub,
}
const OF_BYTES: Readers<Buffer> = {
  pdf: async () => (await loadLibrary(import('./documents/pdf.ts'))).readPdf,
  mail: async () => (await loadLibrary(import('./texts/mail.ts'))).readMail,
  mailbox: async () => (await loadLibrary(import('./texts/mail.ts'))).readMailbox,
}

/**
 * Reads one file: sends its kind, then its text and warnings, then the end or a refusal. It never throws.
 */
export async function readFile(bytes: Buffer, assignment: Assignment, send: Send): Promise<void> {
  let isKindSent = false
  function sendKind(kind: Kind): void {
    if (isKindSent) return
    isKindSent = true
    send({ is: 'kind', kind })
  }
  try {
    const found = await sniff(bytes, assignment, sendKind)
    sendKind(found.kind)
    send({ is: 'end', isTruncated: await readText(bytes, found, send) })
  } catch (error) {
    sendKind('unknown')
    send({ is: 'refused', ...refusalOf(error) })
  }
}

async function readKind(
  bytes: Buffer,
  { kind, text, zip }: Found,
  writer: Writer,
  warn: Warn,
): Promise<void> {
  if (text !== undefined) return (await OF_TEXT[kind]?.())?.(text, writer, warn)
  const ofZip = zip && OF_ZIP[kind]
  if (ofZip !== undefined) return (await ofZip())(zip as Zip, writer, warn)
  const ofBytes = OF_BYTES[kind]
  if (ofBytes !== undefined) return (await ofBytes())(bytes, writer, warn)
  throw new Refusal('unsupported', 'nothing here reads files of this kind')
}

/** @returns whether the text was truncated */
async function readText(bytes: Buffer, found: Found, send: Send): Promise<boolean> {
  const writer = createWriter((pieces) => send({ is: 'pieces', pieces }))
  let warned = 0
  function warn(warning: Warning): void {
    warned += 1
    if (warned <= MOST_WARNINGS) send({ is: 'warned', ...warning, detail: toDetail(warning.detail) })
  }
  for (const warning of found.warnings ?? []) warn(warning)
  let isTruncated = false
  try {
    await readKind(bytes, found, writer, warn)
  } catch (error) {
    if (!(error instanceof TextLimitReached)) throw error
    isTruncated = true
  }
  if (!writer.end()) throw new Refusal('no_text', 'there is no text in it')
  return isTruncated
}

/** Cleans and cuts a detail, because names in it come from the file. */
function toDetail(text: string): string {
  const clean = withoutControls(text.toWellFormed()).replace(/\s+/g, ' ')
  return clean.slice(0, cutAt(clean, LONGEST_DETAIL))
}
