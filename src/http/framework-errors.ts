import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'

/** Reasons in the catalogue for Fastify's errors about bodies (decisions: conventions). */
const BODY_PROBLEMS: Record<string, string> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'empty',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_not_supported',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'content_length_mismatch',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_TYPE: 'media_type_not_supported',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'media_type_not_supported',
}

/** Statuses that become ENTITY_NOT_FOUND; an unreadable path counts as not found too. */
const NOT_FOUND_STATUSES = new Set([403, 404, 405, 410, 414])

/** Reasons for all other statuses of a refused request, which share one code of the catalogue. */
const REASONS: Record<number, string> = {
  408: 'too_slow',
  412: 'precondition_failed',
  413: 'too_large',
  416: 'range_not_satisfiable',
  417: 'expectation_not_supported',
  431: 'headers_too_large',
}

/** The status with which Node would answer each error of its parser. */
const STATUS_OF_PARSER: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The error of the catalogue for a status of Node or Fastify. */
function errorOfStatus(status: number, code = ''): ApiError {
  const ofBody = BODY_PROBLEMS[code]
  if (ofBody !== undefined) return new ApiError('VALIDATION_FAILED', { field: 'body', reason: ofBody })
  if (NOT_FOUND_STATUSES.has(status) || code === 'FST_ERR_BAD_URL')
    return new ApiError('ENTITY_NOT_FOUND', {})
  return new ApiError('VALIDATION_FAILED', {
    field: 'request',
    reason: REASONS[status] ?? 'malformed_request',
  })
}

/**
 * The error of the catalogue for an exception by which Fastify or its parsers refuse a request; undefined for any other
 * exception, such as one of a client library with another server's status.
 */
export function fromFrameworkError(thrown: unknown): ApiError | undefined {
  const { code = '', statusCode = 500 } = (thrown ?? {}) as { code?: unknown; statusCode?: number }
  if (statusCode < 400 || statusCode >= 500) return undefined
  const isFastify = typeof code === 'string' && code.startsWith('FST_')
  if (isFastify) return errorOfStatus(statusCode, String(code))
  // secure-json-parse refuses `__proto__` with a plain 400.
  return thrown instanceof SyntaxError
    ? new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
    : undefined
}

/**
 * A request without `Host`, or with two, names no host (RFC 9112 3.2).
 * @throws ApiError VALIDATION_FAILED
 */
export function requireHostHeader({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): void {
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

/** Logs a refusal. @returns the whole answer in wire format, for a request that reaches no route */
type RawAnswer = (error: ApiError, request: Partial<IncomingMessage>, socket: Socket) => string

/** How long a connection is still read after a refusal, so that a reset does not discard the answer. */
const LINGER: Millis = 2 * SECOND

/**
 * Answers requests that Node refuses before Fastify gets them; Node's own answer has an empty body, or closes the
 * connection without one. Fastify's `clientErrorHandler` must do nothing.
 */
export function answerClientErrors(server: HttpServer, clock: Clock, toAnswer: RawAnswer): void {
  const newest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    newest.set(request.socket, { request, response })
  })
  server.on('checkExpectation', (request: IncomingMessage) =>
    end(request.socket, errorOfStatus(417), request),
  )
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    end(socket, new ApiError('ENTITY_NOT_FOUND', { method: 'CONNECT' }), request),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refused = errorOfStatus(STATUS_OF_PARSER[error.code ?? ''] ?? 400)
    const { request, response } = newest.get(socket) ?? {}
    if (response === undefined || response.writableFinished) return end(socket, refused, {})
    // An earlier request on the connection is complete and gets its answer first.
    if (request?.complete) return void response.once('finish', () => end(socket, refused, {}))
    // An answer is half sent: the client would read a second one as a part of it.
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
