import { extname } from 'node:path/posix'
import { loadLibrary } from './common/load-library.ts'
import { type Assignment, type Kind, MEDIA_TYPES, type Warning } from './common/messages.ts'
import { isOldContainer, kindOfOldContainer } from './container/cfb.ts'
import { kindOfBrokenZip, kindOfZip } from './container/kinds.ts'
import type { Zip } from './container/zip.ts'
import { decode } from './texts/decode.ts'

/** The kind of a file, with its text or directory where these were read to find it. */
export interface Found {
  kind: Kind
  text?: string
  zip?: Zip
  /** Warnings about how its text was decoded. */
  warnings?: Warning[]
}

/** Called with the kind of a file as soon as it is known, even where the file turns out to be broken. */
type Tell = (kind: Kind) => void

/** Among texts the name decides; what it does not say, the media type may. */
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
/** Messages are known by their names where they are short of what else tells them. */
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
/** What a zip or an unknown file was meant to be: it decides which code its failure has, and nothing else. */
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
/** An entry, or the end of one that has none: two letters alone begin texts as well. */
const ZIPS = ['PK\x03\x04', 'PK\x05\x06'].map((begin) => Buffer.from(begin))
const PDF = Buffer.from('%PDF-')
/** Readers of PDF accept so much before it begins; a text that only speaks of it lacks what every PDF ends with. */
const PDF_WITHIN = 1_024
const PDF_END = Buffer.from('startxref')
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype html|<html[\s>])/is
/** Part of a page, as programs write it that call it a table or a book. */
const PART_OF_HTML = /^\s*<(?:head|body|table|meta|style|title)[\s>]/i
const MARKUP_WITHIN = 2_048
/** Pages that programs call books, and documents in one XML. */
const MEANT_AS_MARKUP = new Set(['.xls', '.fodt', '.fods', '.fodp'])
const MARKUP = /^\s*<(?:\?xml|!doctype|html|head|body|table|meta|style)[\s>]/i
/** A document in one XML, by its type; any other XML by its first line. */
const FLAT =
  /^[\s\S]{0,1000}<office:document\s[^>]{0,8000}office:mimetype="application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const FLAT_KINDS: Record<string, Kind> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }
const FLAT_WITHIN = 10_000
const XML = /^\s*<\?xml\s/
const RTF = Buffer.from('{\\rtf')
/** First bytes of formats that no reader takes, whatever the name of the file. */
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
/** What the lines are called that begin a message; these two, or some of each list, are of no other text. */
const MIME_HEAD = ['mime-version', 'content-type']
const WRITERS = ['from', 'received', 'return-path']
const ENVELOPES = ['message-id', 'date', 'subject', 'to']
const HEAD = 64 * 1024
const HEADER_LINE = /^([!-9;-~]{1,76}):/

/** Finds out by its content what a file is. @throws Refusal, Error where it is broken */
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

/** Recognises a mail message, or a folder of messages, by its first header lines. One such line is enough where the name says so, too. */
function mailOf(bytes: Buffer, { name, mediaType }: Assignment): Kind | undefined {
  const [essence] = splitMediaType(mediaType)
  const named = MAIL_BY_NAME[extname(name).toLowerCase()] ?? MAIL_BY_MEDIA_TYPE[essence]
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

/** What the lines are called that a message begins with; none where it begins with anything else. */
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
  const [essence] = splitMediaType(mediaType)
  return (
    MEANT_BY_NAME[extname(name).toLowerCase()] ?? [...MEANT].find((kind) => MEDIA_TYPES[kind] === essence)
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

async function sniffText(bytes: Buffer, { name, mediaType }: Assignment): Promise<Found | undefined> {
  const [essence, charset] = splitMediaType(mediaType)
  const extension = extname(name).toLowerCase()
  const named = TEXT_BY_NAME[extension] ?? TEXT_BY_MEDIA_TYPE[essence]
  const isSaidToBeText =
    named !== undefined ||
    essence.startsWith('text/') ||
    MEANT_AS_MARKUP.has(extension) ||
    MARKUP.test(bytes.toString('latin1', 0, MARKUP_WITHIN))
  const decoded = await decode(bytes, { isSaidToBeText, charset })
  if (decoded === undefined) return undefined
  const flat = FLAT.exec(decoded.text.slice(0, FLAT_WITHIN))?.[1]
  const kind = (flat === undefined ? undefined : FLAT_KINDS[flat]) ?? markupOf(decoded.text, named)
  return { kind: kind ?? named ?? 'text', ...decoded }
}

/** What is marked up is that whatever it is called; in Markdown a page may begin with some. */
function markupOf(text: string, named: Kind | undefined): Kind | undefined {
  const begin = text.slice(0, MARKUP_WITHIN)
  if (HTML.test(begin)) return 'html'
  if (named === 'markdown' || named === 'html') return undefined
  if (PART_OF_HTML.test(begin)) return 'html'
  return XML.test(begin) ? 'xml' : undefined
}

/** `Text/CSV; charset="latin1"` → `text/csv`, `latin1`. */
function splitMediaType(mediaType: string): [essence: string, charset: string | undefined] {
  const [essence = '', ...parameters] = mediaType.toLowerCase().split(';')
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w.:-]+)"?\s*$/.exec(one)?.[1]).find(Boolean)
  return [essence.trim(), charset]
}
