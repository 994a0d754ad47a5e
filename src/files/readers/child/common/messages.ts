/** The detected kind of a file. */
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
  /** A mail, and a mailbox file of mails. */
  | 'mail'
  | 'mailbox'
  | 'rtf'
  /** An unsupported spreadsheet: `.xls`, `.xlsb`. */
  | 'spreadsheet'
  | 'unknown'

/** The media type of each kind, which a file gets when it is processed. */
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

/** Why a file has no text, for causes in the file. */
export type Fault =
  | 'corrupt'
  | 'encrypted'
  | 'too_large'
  | 'unsupported'
  | 'encoding'
  | 'no_text'
  /** Detected by the parent only. */
  | 'timeout'

/** Warnings about the reading of a text. */
export type WarningCode =
  /** No charset was declared; `detail` is the one that was detected. */
  | 'charset_guessed'
  /** The bytes are not in the declared charset (`detail`). */
  | 'charset_not_followed'
  /** `detail` lists their names. */
  | 'attachments_not_read'
  /** `detail` lists the page numbers; such pages are mostly images. */
  | 'pages_without_text'

export interface Warning {
  code: WarningCode
  detail: string
}

/** Characters of a detail. */
export const LONGEST_DETAIL = 200
/** Warnings of one file. */
export const MOST_WARNINGS = 8

/** The place of a text in a file. */
export interface Location {
  /** The page of a PDF, or the number of a slide; from 1. */
  page?: number
  sheet?: string
  /** The heading above the text. */
  heading?: string
}

/** A part of a file's text. The concatenation of all parts is the text. */
export interface TextPiece {
  text: string
  location: Location
}

/** The header of a child's input: a line of JSON before the bytes. */
export interface Assignment {
  name: string
  mediaType: string
  /** The charset that was declared for a text; null without one. */
  charset: string | null
  sizeBytes: number
}

/** The messages of a child, in this order: the kind of the file, its text and warnings, the end or the refusal. */
export type Message =
  | { is: 'kind'; kind: Kind }
  | { is: 'pieces'; pieces: TextPiece[] }
  | ({ is: 'warned' } & Warning)
  | { is: 'end'; isTruncated: boolean }
  | { is: 'refused'; reason: Fault; detail: string }

/** Characters of a file's text at most; longer texts are truncated. */
export const MOST_CHARACTERS = 32 * 1024 * 1024
