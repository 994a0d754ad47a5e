import { extname } from 'node:path/posix'
import { decode } from './decode.ts'
import type { Assignment, Kind } from './messages.ts'

/** A file's kind, and for text what it says. */
export interface Found {
  kind: Kind
  mediaType: string
  text?: string
}

/** The media type of each kind that can be read. */
export const MEDIA_TYPES = {
  text: 'text/plain',
  markdown: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  pdf: 'application/pdf',
  unknown: 'application/octet-stream',
} as const satisfies Partial<Record<Kind, string>>

type TextKind = 'text' | 'markdown' | 'csv' | 'html' | 'json'

/** Among texts the name decides; what it does not say, the media type may. */
const BY_NAME: Record<string, TextKind> = {
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
const BY_MEDIA_TYPE: Record<string, TextKind> = {
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'json',
  'application/x-ndjson': 'json',
}
const PDF = Buffer.from('%PDF-')
/** Readers of PDF accept so much before it begins. */
const PDF_WITHIN = 1_024
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype html|<html[\s>])/is

/** Finds out by its content what a file is; name and media type decide among texts only. */
export function sniff(bytes: Buffer, { name, mediaType }: Assignment): Found {
  if (bytes.subarray(0, PDF_WITHIN).includes(PDF)) return found('pdf')
  const [essence = '', charset] = splitMediaType(mediaType)
  const named = BY_NAME[extname(name).toLowerCase()] ?? BY_MEDIA_TYPE[essence]
  const isSaidToBeText = named !== undefined || essence.startsWith('text/')
  const text = decode(bytes, { isSaidToBeText, charset, isHtml: named === 'html' })
  if (text === undefined) return found('unknown')
  const kind = named ?? (HTML.test(text.slice(0, 2_048)) ? 'html' : 'text')
  return { ...found(kind), text }
}

function found(kind: keyof typeof MEDIA_TYPES): Found {
  return { kind, mediaType: MEDIA_TYPES[kind] }
}

/** `Text/CSV; charset="latin1"` → `text/csv`, `latin1`. */
function splitMediaType(mediaType: string): [essence: string, charset: string | undefined] {
  const [essence = '', ...parameters] = mediaType.toLowerCase().split(';')
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w.:-]+)"?\s*$/.exec(one)?.[1]).find(Boolean)
  return [essence.trim(), charset]
}
