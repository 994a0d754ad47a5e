import { CallError } from './call.ts'

/** Codes of Node and undici with which a connection was never made. */
const NOT_CONNECTED = new Set([
  ...['NAME_NOT_RESOLVED', 'ENOTFOUND', 'EAI_AGAIN', 'ADDRESS_BLOCKED'],
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT'],
])

/** A certificate that is refused: the handshake comes before the request. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** Whether a call failed before a byte of its request was sent, so that the destination cannot have acted on it. */
export function neverSent(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  const { code = '', syscall } = (error.cause ?? {}) as { code?: string; syscall?: string }
  return NOT_CONNECTED.has(code) || TLS.test(code) || syscall === 'connect' || syscall === 'getaddrinfo'
}
