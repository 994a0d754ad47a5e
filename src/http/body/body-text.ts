import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../core/errors.ts'

/** What is read here, by the names it goes by; ASCII is a part of it. */
const UTF_8 = new Set(['utf-8', 'utf8', 'us-ascii'])

/** A parameter of a media type (RFC 9110 5.6.6): its name, and its value as it stands, in quotes or not. */
const PARAMETER = /;[ \t]*([^=;\s]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^;]*)/g

/** Why bytes are no UTF-8 by what their headers say of them; undefined where nothing says so. */
export function foreignCoding(
  headers: IncomingHttpHeaders,
): 'charset_not_supported' | 'content_encoding_not_supported' | undefined {
  const { 'content-type': type = '', 'content-encoding': content, 'transfer-encoding': transfer } = headers
  if (!isOnly('identity', content) || !isOnly('chunked', transfer)) return 'content_encoding_not_supported'
  for (const [, name = '', value = ''] of type.matchAll(PARAMETER))
    if (name.toLowerCase() === 'charset' && !UTF_8.has(unquoted(value.trim()).toLowerCase()))
      return 'charset_not_supported'
  return undefined
}

function isOnly(coding: string, said: string | undefined): boolean {
  return said === undefined || said.trim().toLowerCase() === coding
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a body. RFC 8259 8.1: JSON is UTF-8. What is not would otherwise be replaced by U+FFFD, and two
 * passwords be one; and what says that it is something else might say something else.
 * @param malformed the reason to give for bytes that are no UTF-8
 * @throws ApiError VALIDATION_FAILED `field: "body"`
 */
export function readText(headers: IncomingHttpHeaders, bytes: Uint8Array, malformed: string): string {
  const foreign = foreignCoding(headers)
  if (foreign !== undefined) throw refused(foreign)
  try {
    return utf8.decode(bytes)
  } catch {
    throw refused(malformed)
  }
}

function refused(reason: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'body', reason })
}
