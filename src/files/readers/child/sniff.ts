import { extname } from 'node:path/posix'
import { loaded } from './common/loaded.ts'
import { type Assignment, type Kind, MEDIA_TYPES } from './common/messages.ts'
import { isOldContainer, kindOfOldContainer } from './container/cfb.ts'
import { kindOfBrokenZip, kindOfZip } from './container/kinds.ts'
import type { Zip } from './container/zip.ts'
import { decode } from './texts/decode.ts'

/** A file's kind, and what is known of it by then. */
export interface Found {
  kind: Kind
  text?: string
  zip?: Zip
}

/** Is told the kind of a file as soon as it is known, also of one that turns out to be broken. */
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
}
const TEXT_BY_MEDIA_TYPE: Record<string, Kind> = {
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'json',
  'application/x-ndjson': 'json',
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
const HTML_WITHIN = 2_048

/** Finds out by its content what a file is. @throws Refusal, Error where it is broken */
export async function sniff(bytes: Buffer, assignment: Assignment, tell: Tell): Promise<Found> {
  const meant = meantBy(assignment)
  if (isPdf(bytes)) return { kind: 'pdf' }
  if (isOldContainer(bytes)) return { kind: oldKind(kindOfOldContainer(bytes), meant) }
  if (ZIPS.some((begin) => bytes.subarray(0, begin.length).equals(begin))) return sniffZip(bytes, meant, tell)
  return sniffText(bytes, assignment) ?? { kind: meant === 'xlsx' ? 'spreadsheet' : 'unknown' }
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
  const { openZip } = await loaded(import('./container/zip.ts'))
  try {
    const zip = await openZip(bytes)
    return { kind: (await kindOfZip(zip)) ?? meant ?? 'unknown', zip }
  } catch (error) {
    tell(kindOfBrokenZip(bytes) ?? meant ?? 'unknown')
    throw error
  }
}

function sniffText(bytes: Buffer, { name, mediaType }: Assignment): Found | undefined {
  const [essence, charset] = splitMediaType(mediaType)
  const named = TEXT_BY_NAME[extname(name).toLowerCase()] ?? TEXT_BY_MEDIA_TYPE[essence]
  const isSaidToBeText = named !== undefined || essence.startsWith('text/')
  const text = decode(bytes, { isSaidToBeText, charset, isHtml: named === 'html' })
  if (text === undefined) return undefined
  return { kind: named ?? (HTML.test(text.slice(0, HTML_WITHIN)) ? 'html' : 'text'), text }
}

/** `Text/CSV; charset="latin1"` → `text/csv`, `latin1`. */
function splitMediaType(mediaType: string): [essence: string, charset: string | undefined] {
  const [essence = '', ...parameters] = mediaType.toLowerCase().split(';')
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w.:-]+)"?\s*$/.exec(one)?.[1]).find(Boolean)
  return [essence.trim(), charset]
}
