import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { isDeeper } from '../http/validation.ts'
import { DEEPEST_DATA } from './depth.ts'

/** A call of an external system, as it came. */
export interface InboundCall {
  method: string
  query: Record<string, unknown>
  headers: Record<string, string>
  contentType: string | null
  body: Uint8Array
}

/** What lets the caller in elsewhere is not for the webhook's receiver (decisions 3: inbound). */
const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

export function readCall(request: FastifyRequest): InboundCall {
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

/** The `data` of a `webhook.received` event. */
export function receivedData(call: InboundCall): object {
  return {
    method: call.method,
    query: call.query,
    headers: call.headers,
    contentType: call.contentType,
    body: bodyOf(call),
  }
}

/** A JSON body as JSON, any other as text, bytes that are no text as base64. */
function bodyOf({ contentType, body }: InboundCall): unknown {
  const bytes = Buffer.from(body)
  if (!isUtf8(bytes)) return bytes.toString('base64')
  const text = bytes.toString('utf8')
  if (!/^application\/([\w.+-]*\+)?json\b/i.test(contentType ?? '')) return text
  const value = parse(text)
  return value === undefined || isDeeper(value, DEEPEST_DATA) ? text : value
}

/** undefined where the text is no JSON, which has no such value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
