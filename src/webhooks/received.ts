import type { FastifyRequest } from 'fastify'

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

/** The `data` of a `webhook.received` event: a JSON body as JSON, any other as text, or base64 where it is none. */
export function receivedData(call: InboundCall): object {
  return {
    method: call.method,
    query: call.query,
    headers: call.headers,
    contentType: call.contentType,
    body: bodyOf(call),
  }
}

function bodyOf({ contentType, body }: InboundCall): unknown {
  const bytes = Buffer.from(body)
  const text = bytes.toString('utf8')
  if (/^application\/([\w.+-]*\+)?json\b/i.test(contentType ?? '')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return Buffer.from(text, 'utf8').equals(bytes) ? text : bytes.toString('base64')
}
