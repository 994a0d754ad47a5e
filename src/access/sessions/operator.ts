import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { ApiError } from '../../core/errors.ts'
import { equalInConstantTime } from '../../core/secret.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { unknownPath } from '../../http/error-response.ts'
import type { Principal } from '../../http/principal.ts'

/** Headers that proxies add. */
const FORWARDED = /^(?:x-forwarded|forwarded$|via$|x-real-ip$|x-client-ip$|cf-connecting-ip$|true-client-ip$)/

/**
 * A request with METRICS_TOKEN; where none is set, a request from this machine.
 * @throws ApiError UNAUTHORIZED
 */
export function authenticateOperator(
  request: FastifyRequest,
  bearer: string | undefined,
  config: Pick<Config, 'web' | 'http' | 'operations'>,
): Principal {
  const { metricsToken } = config.operations
  const isOperator =
    metricsToken === undefined
      ? isOnThisMachine(request, config)
      : equalInConstantTime(bearer ?? '', metricsToken)
  if (isOperator) return { kind: 'operator' }
  throw new ApiError('UNAUTHORIZED', {})
}

/**
 * A request with OPERATOR_TOKEN. The address is not checked, because requests of a proxy on this machine come from this machine.
 * @throws ApiError UNAUTHORIZED; ENTITY_NOT_FOUND, as for every unknown path, where none is set
 */
export function authenticateInstallation(
  request: FastifyRequest,
  bearer: string | undefined,
  { operations: { operatorToken } }: Pick<Config, 'operations'>,
): Principal {
  if (operatorToken === undefined) throw unknownPath(request)
  if (equalInConstantTime(bearer ?? '', operatorToken)) return { kind: 'installation' }
  throw new ApiError('UNAUTHORIZED', {})
}

/**
 * Whether a request comes from this machine without a proxy. Some local proxies leave no trace in requests, so the address is not enough:
 * the `BASE_URL` and the request's `Host` must also name this machine.
 */
function isOnThisMachine(
  { socket, headers }: FastifyRequest,
  { web: { baseUrl }, http: { trustProxy } }: Pick<Config, 'web' | 'http'>,
): boolean {
  if (trustProxy.length > 0 || !isLocalhost(new URL(baseUrl).hostname)) return false
  const host = URL.parse(`http://${headers.host ?? ''}`)
  return (
    /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') &&
    host !== null &&
    isLocalhost(host.hostname) &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  )
}
