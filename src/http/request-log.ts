import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../core/errors.ts'
import type { Principal } from './principal.ts'

/** Query parameters whose values are logged; any other could be a secret, or a misspelt one. */
const SHOWN_QUERY = new Set(['limit', 'status', 'action', 'type', 'eventType', 'since', 'until', 'window'])

/** A request's address without values that must not be logged. */
function loggedPath(url: string): string {
  const [path = '', ...query] = url.split(/[?&]/)
  const shown = query.map((pair) => {
    const [name = '', value] = pair.split('=', 2)
    if (SHOWN_QUERY.has(name)) return pair
    return value === undefined ? '[redacted]' : `${name}=[redacted]`
  })
  return (shown.length === 0 ? path : `${path}?${shown.join('&')}`).slice(0, 300)
}

/** Logs a finished request, in one line. */
export function logRequest(request: FastifyRequest, route: string, status: number, durationMs: number): void {
  request.log.info(
    {
      method: request.method,
      path: loggedPath(request.url),
      route,
      status,
      ...(request.errorCode === undefined ? {} : { code: request.errorCode }),
      durationMs: Math.round(durationMs * 100) / 100,
      ip: request.ip,
      ...describePrincipal(request.principal),
      ...(request.span && { trace_id: request.span.traceId, span_id: request.span.spanId }),
    },
    'request',
  )
}

/** The facts about a request that reached no route. */
export interface Refused {
  id: string
  method?: string | undefined
  url?: string | undefined
  ip?: string | undefined
}

/** Logs a request that reached no route. */
export function logRefusal(
  log: FastifyBaseLogger,
  { id, method, url, ip }: Refused,
  status: number,
  code: ErrorCode | undefined,
): void {
  const path = url === undefined ? undefined : loggedPath(url)
  log.info({ requestId: id, method, path, route: '(unknown)', status, code, ip }, 'request')
}

/** @param principal undefined where the request ended before authentication */
function describePrincipal(principal: Principal | undefined): Record<string, string> {
  if (principal === undefined || principal.kind === 'nobody') return {}
  if (principal.kind === 'operator' || principal.kind === 'installation') return {}
  if (principal.kind === 'session') return { accountId: principal.accountId }
  const { actorId, keyId, organizationId } = principal
  return { actorId, ...(keyId === null ? {} : { keyId }), organizationId }
}
