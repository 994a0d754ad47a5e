import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, CATALOGUE, type Details, type ErrorCode } from '../core/errors.ts'
import { issuesOf } from './validation.ts'

/** How Fastify's own complaints about a body read in the catalogue, which has no code for them (decisions 1). */
const BODY_PROBLEMS: Record<string, string> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'empty',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_not_supported',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'content_length_mismatch',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_TYPE: 'media_type_not_supported',
}

/** The only converter from anything thrown to an answer of the catalogue; only the unexpected is logged as an error. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): void {
  const error = toApiError(thrown)
  if (error.cause !== undefined) request.log.error({ err: error.cause }, 'unexpected error')
  const body = toWire(error, request.id, baseUrl)
  void reply.code(error.status).headers(headersOf(error))
  if (request.headers.accept?.includes('application/problem+json')) {
    // RFC 9457, with the same facts.
    void reply.type('application/problem+json').serializer(JSON.stringify).send({
      type: body.docUrl,
      title: error.code,
      status: error.status,
      detail: error.message,
      instance: request.id,
      error: body,
    })
    return
  }
  void reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send({ error: body })
}

/** The whole answer, as bytes, to what is no HTTP request: nothing of the server runs for it. */
export function unreadableRequest(
  problem: string,
  requestId: string,
  headers: Record<string, string>,
  baseUrl: string,
): string {
  const reason = problem === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request'
  const error = new ApiError('VALIDATION_FAILED', { field: 'request', reason })
  const body = JSON.stringify({ error: toWire(error, requestId, baseUrl) })
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} Bad Request\r\n${lines.join('')}\r\n${body}`
}

/** `error` as every answer carries it (decisions 1). */
function toWire(error: ApiError, requestId: string, baseUrl: string) {
  const { code, message, details } = error
  return { code, message, details, requestId, docUrl: `${baseUrl}/v1/errors/${code}` }
}

/** An unknown path and a known path with another method are one answer (decisions 1). */
export async function notFound(request: FastifyRequest): Promise<never> {
  throw new ApiError('ENTITY_NOT_FOUND', {
    method: request.method,
    path: request.url.split('?', 1)[0]?.slice(0, 256),
  })
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const error = thrown as FastifyError
  if (error?.validation) {
    const issues = issuesOf(error.validation, error.validationContext)
    const [first] = issues
    if (first !== undefined) {
      const { code, message: _message, ...details } = first
      return new ApiError(code, { ...details, issues } as Details<ErrorCode>)
    }
  }
  const reason = BODY_PROBLEMS[error?.code]
  if (reason !== undefined) return new ApiError('VALIDATION_FAILED', { field: 'body', reason })
  if (error?.code === 'FST_ERR_BAD_URL' || error?.code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new ApiError('ENTITY_NOT_FOUND', {})
  // secure-json-parse refuses `__proto__` with a plain 400.
  if (error instanceof SyntaxError && error.statusCode === 400) {
    return new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
  }
  return new ApiError('PROCESSING_FAILED', {}, { cause: thrown ?? new Error('nothing was thrown') })
}

/** RFC 9110: 10.2.3 Retry-After in seconds, 11.6.1 a challenge with every 401. */
function headersOf(error: ApiError): Record<string, string> {
  if (error.status === CATALOGUE.UNAUTHORIZED.status && error.code === 'UNAUTHORIZED')
    return { 'www-authenticate': 'Bearer' }
  const { retryAfterSeconds } = error.details as { retryAfterSeconds?: number }
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
}
