import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'

/** How what Fastify says of a body reads in the catalogue, which has no code for it (decisions: conventions). */
const BODY_PROBLEMS: Record<string, string> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'empty',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_not_supported',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'content_length_mismatch',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_TYPE: 'media_type_not_supported',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'media_type_not_supported',
}

/** Statuses that mean: there is nothing here. Nor is there at a path that cannot be read. */
const NOTHING_HERE = new Set([403, 404, 405, 410, 414])

/** Every other status that HTTP has for a request that is refused as such; the catalogue has one code for them. */
const REASONS: Record<number, string> = {
  408: 'too_slow',
  412: 'precondition_failed',
  413: 'too_large',
  416: 'range_not_satisfiable',
  417: 'expectation_not_supported',
  431: 'headers_too_large',
}

/** The status that Node would answer what its parser refuses with. */
const STATUS_OF_PARSER: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The one rule for what is refused by the server's own tools: its status says what it is in the catalogue. */
function refusal(status: number, code = ''): ApiError {
  const ofBody = BODY_PROBLEMS[code]
  if (ofBody !== undefined) return new ApiError('VALIDATION_FAILED', { field: 'body', reason: ofBody })
  if (NOTHING_HERE.has(status) || code === 'FST_ERR_BAD_URL') return new ApiError('ENTITY_NOT_FOUND', {})
  return new ApiError('VALIDATION_FAILED', {
    field: 'request',
    reason: REASONS[status] ?? 'malformed_request',
  })
}

/**
 * What a tool of ours threw to refuse a request, as an error of the catalogue; undefined for what may be
 * any other error, such as one of a client library that carries the status of another server's answer.
 */
export function toRefusal(thrown: unknown): ApiError | undefined {
  const { code = '', statusCode = 500 } = (thrown ?? {}) as { code?: unknown; statusCode?: number }
  if (statusCode < 400 || statusCode >= 500) return undefined
  const isFastify = typeof code === 'string' && code.startsWith('FST_')
  if (isFastify) return refusal(statusCode, String(code))
  // secure-json-parse refuses `__proto__` with a plain 400.
  return thrown instanceof SyntaxError
    ? new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
    : undefined
}

/**
 * Without `Host`, or with two, it is not clear which host a request is for (RFC 9112 3.2).
 * @throws ApiError VALIDATION_FAILED
 */
export function mustNameHost({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): void {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  const isOld = httpVersionMajor === 1 && httpVersionMinor === 0
  if (hosts > 1 || (hosts === 0 && !isOld))
    throw new ApiError('VALIDATION_FAILED', {
      field: 'Host',
      reason: hosts === 0 ? 'missing' : 'more_than_one',
    })
}

/** Tells of a refusal, and writes the whole answer to what no route will see. */
type RawAnswer = (error: ApiError, request: Partial<IncomingMessage>, socket: Socket) => string

/** How long a connection is still listened to after its refusal, so that the answer is not lost in a reset. */
const LINGER: Millis = 2 * SECOND

/**
 * Answers what Node refuses before there is a request of ours: by itself it would say so with an empty body,
 * or close the connection without a word. Fastify must be told to leave `clientError` alone.
 */
export function answerRefusals(server: HttpServer, clock: Clock, toAnswer: RawAnswer): void {
  const newest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    newest.set(request.socket, { request, response })
  })
  server.on('checkExpectation', (request: IncomingMessage) => end(request.socket, refusal(417), request))
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    end(socket, new ApiError('ENTITY_NOT_FOUND', { method: 'CONNECT' }), request),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refused = refusal(STATUS_OF_PARSER[error.code ?? ''] ?? 400)
    const { request, response } = newest.get(socket) ?? {}
    if (response === undefined || response.writableFinished) return end(socket, refused, {})
    // What came before is whole, and hears its own answer first.
    if (request?.complete) return void response.once('finish', () => end(socket, refused, {}))
    // Half an answer is on its way: one more within it would be read as a part of it.
    if (response.headersSent) return void socket.destroy()
    end(socket, refused, request ?? {})
  })

  function end(socket: Socket, error: ApiError, request: Partial<IncomingMessage>): void {
    if (!socket.writable) return void socket.destroy()
    socket.end(toAnswer(error, request, socket))
    socket.resume()
    const cancel = clock.after(LINGER, () => socket.destroy())
    socket.once('close', cancel)
  }
}
