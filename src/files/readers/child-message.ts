import {
  type Fault,
  LONGEST_DETAIL,
  type Location,
  MEDIA_TYPES,
  type Message,
  type TextPiece,
  type WarningCode,
} from './child/common/messages.ts'

/** The faults that a child may report. */
export const FAULTS: Record<Fault, true> = {
  corrupt: true,
  encrypted: true,
  too_large: true,
  unsupported: true,
  encoding: true,
  no_text: true,
  timeout: true,
}
/** The warnings that a child may report. */
export const WARNING_CODES: Record<WarningCode, true> = {
  charset_guessed: true,
  charset_not_followed: true,
  attachments_not_read: true,
  pages_without_text: true,
}
const LONGEST_WORD = LONGEST_DETAIL

/** Validates a message of a child, because a file may have taken over its parser. @returns undefined for an invalid message */
export function parseMessage(message: unknown): Message | undefined {
  if (!isObject(message)) return undefined
  switch (message.is) {
    case 'kind':
      return isKey(MEDIA_TYPES, message.kind) ? { is: 'kind', kind: message.kind } : undefined
    case 'pieces': {
      const pieces = Array.isArray(message.pieces) ? message.pieces.map(parsePiece) : [undefined]
      return pieces.every((piece) => piece !== undefined) ? { is: 'pieces', pieces } : undefined
    }
    case 'warned': {
      const { code, detail } = message
      return isKey(WARNING_CODES, code) && isWord(detail) ? { is: 'warned', code, detail } : undefined
    }
    case 'end':
      return typeof message.isTruncated === 'boolean'
        ? { is: 'end', isTruncated: message.isTruncated }
        : undefined
    case 'refused': {
      const { reason, detail } = message
      return isKey(FAULTS, reason) && isWord(detail) ? { is: 'refused', reason, detail } : undefined
    }
    default:
      return undefined
  }
}

/** Copies only the known members of a piece. */
function parsePiece(piece: unknown): TextPiece | undefined {
  if (!isObject(piece) || typeof piece.text !== 'string' || !isObject(piece.location)) return undefined
  const { page, sheet, heading } = piece.location
  const location: Location = {}
  if (page !== undefined) {
    if (!Number.isSafeInteger(page) || Number(page) < 1) return undefined
    location.page = Number(page)
  }
  if (sheet !== undefined) {
    if (!isWord(sheet)) return undefined
    location.sheet = sheet
  }
  if (heading !== undefined) {
    if (!isWord(heading)) return undefined
    location.heading = heading
  }
  return { text: piece.text.toWellFormed().replaceAll('\0', ''), location }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isKey<Key extends string>(table: Record<Key, unknown>, value: unknown): value is Key {
  return typeof value === 'string' && Object.hasOwn(table, value)
}

function isWord(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= LONGEST_WORD && value.isWellFormed() && !value.includes('\0')
  )
}
