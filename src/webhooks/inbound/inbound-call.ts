import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { foreignCoding } from '../../http/body/body-text.ts'
import { findAmbiguity } from '../../http/body/json-text.ts'
import { isCountable } from '../../http/body/scan-json.ts'
import { isDeeper } from '../../http/schema/validation.ts'
import { DEEPEST_DATA } from '../events/event-type-store.ts'

/** A call of an external system. */
export interface InboundCall {
  method: string
  query: Record<string, unknown>
  headers: Record<string, string>
  contentType: string | null
  body: Uint8Array
}

/** Credentials of the caller are not passed on to the webhook's receiver (decisions: webhooks, inbound). */
const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

/** Bytes that escapes may add to a short text; text is more readable than base64. */
const FEW_ESCAPES = 16 * 1024

export function readInboundCall(request: FastifyRequest): InboundCall {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || SECRET_HEADERS.includes(name) ? [] : [[name, String(value)] as const],
  )
  return {
    method: request.method,
    query: request.query as Record<string, unknown>,
    headers: Object.fromEntries(headers),
    contentType: request.headers['content-type'] ?? null,
    body: Buffer.isBuffer(request.body) ? request.body : new Uint8Array(),
  }
}

/**
 * The `data` of a `webhook.received` event, and its JSON text. `bodyText` has the exact body, or `bodyBase64` where the
 * body is no text or is shorter in base64; `body` has it in the form that `bodyEncoding` names.
 */
export function inboundEventData(call: InboundCall): { data: object; text: string } {
  const { method, query, headers, contentType, body } = call
  const bytes = Buffer.from(body)
  const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined
  const base64 = text === undefined || isShorterAsBase64(text, bytes.length)
  const exact = base64 ? { bodyBase64: bytes.toString('base64') } : { bodyText: text }
  const json = text === undefined || foreignCoding(headers) ? undefined : jsonOf(contentType, text)
  const bodyEncoding = json !== undefined ? 'json' : base64 ? 'base64' : 'text'
  const data = { method, query, headers, contentType, bodyEncoding, ...exact }
  // A JSON body is inserted unchanged: parsing and serializing could change numbers.
  const value = json ?? JSON.stringify(Object.values(exact)[0])
  return { data, text: `${JSON.stringify(data).slice(0, -1)},"body":${value}}` }
}

/** Whether escaping would make a text longer than base64: receivers have limits. */
function isShorterAsBase64(text: string, bytes: number): boolean {
  const longest = Math.max(4 * Math.ceil(bytes / 3), bytes + FEW_ESCAPES)
  return Buffer.byteLength(JSON.stringify(text)) > longest
}

/** The text of a body that is declared as JSON and that all parsers read alike; undefined for any other. */
function jsonOf(contentType: string | null, text: string): string | undefined {
  if (!/^application\/([\w.+-]*\+)?json\b/i.test(contentType ?? '')) return undefined
  if (!isCountable(text)) return undefined
  try {
    const isFine = !isDeeper(JSON.parse(text), DEEPEST_DATA) && findAmbiguity(text) === undefined
    return isFine ? text : undefined
  } catch {
    return undefined
  }
}
