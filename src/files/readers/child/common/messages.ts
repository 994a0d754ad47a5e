/** What a file turned out to be. */
export type Kind =
  | 'text'
  | 'markdown'
  | 'csv'
  | 'html'
  | 'json'
  | 'xlsx'
  | 'docx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'epub'
  | 'pdf'
  | 'xml'
  /** A message, and a folder of messages. */
  | 'mail'
  | 'mailbox'
  | 'rtf'
  /** A spreadsheet of another kind than can be read: `.xls`, `.xlsb`. */
  | 'spreadsheet'
  | 'unknown'

/** The media type of each kind, as a file has it once it has been looked into. */
export const MEDIA_TYPES: Record<Kind, string> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
  pdf: 'application/pdf',
  xml: 'application/xml',
  mail: 'message/rfc822',
  mailbox: 'application/mbox',
  rtf: 'application/rtf',
  spreadsheet: 'application/vnd.ms-excel',
  unknown: 'application/octet-stream',
}

/** Why the text of a file cannot be had, where the file is at fault. */
export type Fault =
  | 'corrupt'
  | 'encrypted'
  | 'too_large'
  | 'unsupported'
  | 'encoding'
  | 'no_text'
  /** Found out from outside only. */
  | 'timeout'

/** What a reader of the text ought to know of how it was read. */
export type WarningCode =
  /** Nothing said how its letters are written; `detail` is what was found by its bytes. */
  | 'charset_guessed'
  /** It was said how its letters are written (`detail`), and they are not. */
  | 'charset_not_followed'
  /** `detail` names them. */
  | 'attachments_not_read'
  /** `detail` has their numbers: pictures, as a rule. */
  | 'pages_without_text'

export interface Warning {
  code: WarningCode
  detail: string
}

/** Characters of a detail. */
export const LONGEST_DETAIL = 200
/** Warnings of one file. */
export const MOST_WARNINGS = 8

/** Where in a file a text stands. */
export interface Location {
  /** Of a PDF a page, of slides one of them; from 1. */
  page?: number
  sheet?: string
  /** The one above it. */
  heading?: string
}

/** A part of a file's text. All of them in their order, put together with nothing between, are the text. */
export interface TextPiece {
  text: string
  location: Location
}

/** What a child is given before the bytes, on a line of its own. */
export interface Assignment {
  name: string
  mediaType: string
  sizeBytes: number
}

/** What a child says: first what kind of file it is, then its text and what is to be known of it, last how it ended. */
export type Message =
  | { is: 'kind'; kind: Kind }
  | { is: 'pieces'; pieces: TextPiece[] }
  | ({ is: 'warned' } & Warning)
  | { is: 'end'; isTruncated: boolean }
  | { is: 'refused'; reason: Fault; detail: string }

/** Characters of a file's text; what is beyond them is cut off. */
export const MOST_CHARACTERS = 32 * 1024 * 1024
