import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../core/errors.ts'

/** The charset names of the accepted encoding; ASCII is a subset of UTF-8. */
const UTF_8 = new Set(['utf-8', 'utf8', 'us-ascii'])

/** A parameter of a media type (RFC 9110 5.6.6): its name, and its value with or without quotes. */
const PARAMETER = /;[ \t]*([^=;\s]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^;]*)/g

/** The reason why headers declare bytes that are not UTF-8; undefined where they declare nothing else. */
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
 * Decodes a body as UTF-8 (RFC 8259 8.1). Invalid bytes are refused: decoding would replace them by U+FFFD and make two
 * passwords equal.
 * @param malformed the reason in the error for invalid bytes
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
