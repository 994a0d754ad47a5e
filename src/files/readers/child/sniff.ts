import { extname } from 'node:path/posix'
import { loadLibrary } from './common/load-library.ts'
import { type Assignment, type Kind, MEDIA_TYPES, type Warning } from './common/messages.ts'
import { isOldContainer, kindOfOldContainer } from './container/cfb.ts'
import { kindOfBrokenZip, kindOfZip } from './container/kinds.ts'
import type { Zip } from './container/zip.ts'
import { decode } from './texts/decode.ts'

/** The kind of a file, with its text or zip directory where they were read to detect it. */
export interface Found {
  kind: Kind
  text?: string
  zip?: Zip
  /** Warnings about the decoding of its text. */
  warnings?: Warning[]
}

/** Called with the kind of a file before an error is thrown for its content. */
type Tell = (kind: Kind) => void

/** The kind of a text by its extension; without a known one, by its media type. */
const TEXT_BY_NAME: Record<string, Kind> = {
  '.txt': 'text',
  '.text': 'text',
  '.log': 'text',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.htm': 'html',
  '.html': 'html',
  '.xhtml': 'html',
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
  '.xml': 'xml',
  '.svg': 'xml',
}
/** The extensions of mail files, for files whose header lines are not sufficient. */
const MAIL_BY_NAME: Record<string, Kind> = {
  '.eml': 'mail',
  '.mht': 'mail',
  '.mhtml': 'mail',
  '.mbox': 'mailbox',
}
const MAIL_BY_MEDIA_TYPE: Record<string, Kind> = {
  'message/rfc822': 'mail',
  'application/mbox': 'mailbox',
}
const TEXT_BY_MEDIA_TYPE: Record<string, Kind> = {
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'json',
  'application/x-ndjson': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'image/svg+xml': 'xml',
}
/** The intended kind of a zip or an unknown file by its extension. It only selects the code of a failure. */
const MEANT_BY_NAME: Record<string, Kind> = {
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
  '.xltx': 'xlsx',
  '.xls': 'spreadsheet',
  '.xlsb': 'spreadsheet',
  '.docx': 'docx',
  '.pptx': 'pptx',
  '.odt': 'odt',
  '.ods': 'ods',
  '.odp': 'odp',
  '.epub': 'epub',
}
const MEANT = new Set(Object.values(MEANT_BY_NAME))
/** The signature of an entry, or of the end of an empty zip: `PK` alone may begin a text. */
const ZIPS = ['PK\x03\x04', 'PK\x05\x06'].map((begin) => Buffer.from(begin))
const PDF = Buffer.from('%PDF-')
/** PDF readers accept this many bytes before the signature. A text that mentions the signature lacks `startxref`. */
const PDF_WITHIN = 1_024
const PDF_END = Buffer.from('startxref')
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype html|<html[\s>])/is
/** The beginning of an HTML fragment, which some programs export as a spreadsheet. */
const PART_OF_HTML = /^\s*<(?:head|body|table|meta|style|title)[\s>]/i
const MARKUP_WITHIN = 2_048
/** Extensions of files that may be markup: HTML exported as a spreadsheet, and flat OpenDocument. */
const MEANT_AS_MARKUP = new Set(['.xls', '.fodt', '.fods', '.fodp'])
const MARKUP = /^\s*<(?:\?xml|!doctype|html|head|body|table|meta|style)[\s>]/i
/** The beginning of a flat OpenDocument file with its type. */
const FLAT =
  /^[\s\S]{0,1000}<office:document\s[^>]{0,8000}office:mimetype="application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const FLAT_KINDS: Record<string, Kind> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }
const FLAT_WITHIN = 10_000
const XML = /^\s*<\?xml\s/
const RTF = Buffer.from('{\\rtf')
/** Signatures of unsupported formats, regardless of the file's name. */
const OTHERS = [
  '89504e470d0a1a0a',
  'ffd8ff',
  '47494638',
  '1f8b08',
  '377abcaf271c',
  '526172211a07',
  '425a68',
  'fd377a585a00',
  '7f454c46',
  '49492a00',
  '4d4d002a',
  '00000100',
  '52494646',
  '53514c69746520666f726d61742033',
].map((hex) => Buffer.from(hex, 'hex'))
/** Header names of a mail. Both of `MIME_HEAD`, or one of `WRITERS` and two of `ENVELOPES`, identify one. */
const MIME_HEAD = ['mime-version', 'content-type']
const WRITERS = ['from', 'received', 'return-path']
const ENVELOPES = ['message-id', 'date', 'subject', 'to']
const HEAD = 64 * 1024
const HEADER_LINE = /^([!-9;-~]{1,76}):/

/** Detects the kind of a file by its content. @throws Refusal, Error where the file is damaged */
export async function sniff(bytes: Buffer, assignment: Assignment, tell: Tell): Promise<Found> {
  const meant = meantBy(assignment)
  if (isPdf(bytes)) return { kind: 'pdf' }
  if (isOldContainer(bytes)) return { kind: oldKind(kindOfOldContainer(bytes), meant) }
  if (ZIPS.some((begin) => begins(bytes, begin))) return sniffZip(bytes, meant, tell)
  const unread = { kind: meant === 'xlsx' ? ('spreadsheet' as const) : ('unknown' as const) }
  if (OTHERS.some((begin) => begins(bytes, begin))) return unread
  if (begins(bytes, RTF)) return { kind: 'rtf' }
  const mail = mailOf(bytes, assignment)
  if (mail !== undefined) return { kind: mail }
  return (await sniffText(bytes, assignment)) ?? unread
}

function begins(bytes: Buffer, begin: Buffer): boolean {
  return bytes.subarray(0, begin.length).equals(begin)
}

/** Detects a mail or a mailbox by its first header lines. One header line is sufficient where the name or media type agrees. */
function mailOf(bytes: Buffer, { name, mediaType }: Assignment): Kind | undefined {
  const named = MAIL_BY_NAME[extname(name).toLowerCase()] ?? MAIL_BY_MEDIA_TYPE[mediaType]
  const lines = bytes.toString('latin1', 0, HEAD).split(/\r?\n/)
  const isMailbox = lines[0]?.startsWith('From ') === true
  const names = headersOf(isMailbox ? lines.slice(1) : lines)
  const has = (one: string) => names.has(one)
  const isMail =
    MIME_HEAD.every(has) ||
    (WRITERS.some(has) && ENVELOPES.filter(has).length > 1) ||
    (named && names.size > 0)
  if (!isMail) return undefined
  return isMailbox ? 'mailbox' : 'mail'
}

/** The names of the leading header lines; empty where any other line comes first. */
function headersOf(lines: string[]): Set<string> {
  const names = new Set<string>()
  for (const line of lines) {
    if (line === '') return names
    if (names.size > 0 && /^[ \t]/.test(line)) continue
    const name = HEADER_LINE.exec(line)?.[1]
    if (name === undefined) return new Set()
    names.add(name.toLowerCase())
  }
  return names
}

function isPdf(bytes: Buffer): boolean {
  const at = bytes.subarray(0, PDF_WITHIN).indexOf(PDF)
  return at === 0 || (at > 0 && bytes.includes(PDF_END))
}

function meantBy({ name, mediaType }: Assignment): Kind | undefined {
  return (
    MEANT_BY_NAME[extname(name).toLowerCase()] ?? [...MEANT].find((kind) => MEDIA_TYPES[kind] === mediaType)
  )
}

function oldKind(kind: Kind, meant: Kind | undefined): Kind {
  return meant === 'xlsx' || meant === 'spreadsheet' ? 'spreadsheet' : kind
}

async function sniffZip(bytes: Buffer, meant: Kind | undefined, tell: Tell): Promise<Found> {
  const { openZip } = await loadLibrary(import('./container/zip.ts'))
  try {
    const zip = await openZip(bytes)
    return { kind: (await kindOfZip(zip)) ?? meant ?? 'unknown', zip }
  } catch (error) {
    tell(kindOfBrokenZip(bytes) ?? meant ?? 'unknown')
    throw error
  }
}

async function sniffText(
  bytes: Buffer,
  { name, mediaType, charset }: Assignment,
): Promise<Found | undefined> {
  const extension = extname(name).toLowerCase()
  const named = TEXT_BY_NAME[extension] ?? TEXT_BY_MEDIA_TYPE[mediaType]
  const isDeclaredText =
    named !== undefined ||
    mediaType.startsWith('text/') ||
    MEANT_AS_MARKUP.has(extension) ||
    MARKUP.test(bytes.toString('latin1', 0, MARKUP_WITHIN))
  const decoded = await decode(bytes, { isDeclaredText, charset: charset ?? undefined })
  if (decoded === undefined) return undefined
  const flat = FLAT.exec(decoded.text.slice(0, FLAT_WITHIN))?.[1]
  const kind = (flat === undefined ? undefined : FLAT_KINDS[flat]) ?? markupOf(decoded.text, named)
  return { kind: kind ?? named ?? 'text', ...decoded }
}

/** Detects markup regardless of the file's name, except that Markdown may begin with HTML. */
function markupOf(text: string, named: Kind | undefined): Kind | undefined {
  const begin = text.slice(0, MARKUP_WITHIN)
  if (HTML.test(begin)) return 'html'
  if (named === 'markdown' || named === 'html') return undefined
  if (PART_OF_HTML.test(begin)) return 'html'
  return XML.test(begin) ? 'xml' : undefined
}
