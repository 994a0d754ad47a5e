import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type Details, type ErrorCode } from '../core/errors.ts'
import { BusyError } from '../db/engine/engine.ts'
import { challengeOf } from './challenge.ts'
import { fromFrameworkError } from './framework-errors.ts'
import { issuesOf } from './schema/validation.ts'
import { isScim, SCIM_CODE, SCIM_TYPE, scimErrorBody, scimStatus } from './scim-error.ts'

/** `Retry-After` of a request that was refused because the server was busy. */
const BUSY_SECONDS = 5

/** The path of the interactive page (specification 4). */
export const DOCS_PATH = '/api/docs'

/** Answers a browser at an unknown address with a page; returns undefined for programs, which get the error. */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined

/**
 * Converts anything thrown to an answer of the catalogue, as the only place that does. Only unexpected errors are
 * logged as errors.
 */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { baseUrl, unknownPage }: { baseUrl: string; unknownPage?: UnknownPage | undefined },
): void {
  const error = toApiError(thrown, request)
  request.errorCode = error.code
  if (error.cause !== undefined) request.log.error({ err: error.cause }, 'unexpected error')
  const body = errorBody(error, request.id, baseUrl)
  void reply.code(error.status).headers(headersOf(error, request, baseUrl))
  if (isScim(request.url)) {
    const status = scimStatus(error, request.url)
    const said = scimErrorBody(error, status)
    request.scimError = said
    void reply.header(SCIM_CODE, error.code)
    void reply.code(status).type(`${SCIM_TYPE}; charset=utf-8`).serializer(JSON.stringify).send(said)
    return
  }
  if (isUnknownPath(error) && unknownPage?.(request, reply) !== undefined) return
  if (request.headers.accept?.includes('application/problem+json')) {
    // The same facts in the format of RFC 9457.
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

/** Reason phrases of answers that are sent before a request object exists. */
const PHRASES: Record<number, string> = { 400: 'Bad Request', 404: 'Not Found' }

/** The whole answer in wire format, for a request that reaches no hook or handler. */
export function rawAnswer(
  error: ApiError,
  requestId: string,
  headers: Record<string, string>,
  baseUrl: string,
): string {
  const body = JSON.stringify({ error: errorBody(error, requestId, baseUrl) })
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${PHRASES[error.status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`
}

/** The `error` member of every error answer (decisions: conventions). */
export function errorBody(error: ApiError, requestId: string, baseUrl: string) {
  const { code, message, details } = error
  return { code, message, details, requestId, docUrl: `${baseUrl}/v1/errors/${code}` }
}

/**
 * The error of an unknown path, or of a method that the path does not have (decisions: conventions).
 * @param allowed the methods of the path; empty where the path is unknown
 */
export function unknownPath({ method, url }: FastifyRequest, allowed: string[] = []): ApiError {
  const path = url.split('?', 1)[0]?.slice(0, 256)
  return new ApiError('ENTITY_NOT_FOUND', { method, path, ...(allowed.length === 0 ? {} : { allowed }) })
}

/** Whether an error comes from `unknownPath`, not from a missing resource. */
function isUnknownPath({ code, details }: ApiError): boolean {
  return code === 'ENTITY_NOT_FOUND' && 'path' in details
}

function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof BusyError && thrown.isUntouched) return tooBusy(thrown)
  const { validation, validationContext } = (thrown ?? {}) as Partial<FastifyError>
  const issues = validation === undefined ? [] : issuesOf(validation, validationContext)
  const [first] = issues
  if (first !== undefined) {
    const { code, message: _message, ...details } = first
    const isEmpty = validationContext === 'body' && request.body === undefined
    const reason = isEmpty ? { reason: 'empty' } : {}
    return new ApiError(code, { ...details, ...reason, issues } as Details<ErrorCode>)
  }
  const refused = fromFrameworkError(thrown)
  if (refused?.code === 'ENTITY_NOT_FOUND') return unknownPath(request)
  return (
    refused ?? new ApiError('PROCESSING_FAILED', {}, { cause: thrown ?? new Error('nothing was thrown') })
  )
}

/**
 * The server is busy, and a later request may succeed. A caller above its share is no server fault and is not logged as
 * one.
 */
export function tooBusy(error: BusyError): ApiError<'RATE_LIMITED'> {
  return new ApiError(
    'RATE_LIMITED',
    { retryAfterSeconds: BUSY_SECONDS },
    error.isUsedUp ? { cause: error } : {},
  )
}

/**
 * RFC 9110: Allow (10.2.1), Retry-After in seconds (10.2.3), a challenge where another credential is needed (11.6.1).
 */
function headersOf(error: ApiError, request: FastifyRequest, baseUrl: string): Record<string, string> {
  const challenge = challengeOf(error, request, baseUrl)
  if (challenge !== undefined) return { 'www-authenticate': challenge }
  const { retryAfterSeconds, allowed } = error.details as { retryAfterSeconds?: number; allowed?: string[] }
  if (allowed !== undefined && error.code === 'ENTITY_NOT_FOUND') return { allow: allowed.join(', ') }
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
}
