import { ApiError } from '../../../core/errors.ts'
import type { Id } from '../../../core/id.ts'
import type { CallError } from '../../../net/call.ts'

/** After how many seconds a server may be asked once more. */
const RETRY_AFTER = 5

/** Why a server could not be used; for programs, in snake_case. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  readonly reason: string
  /** Whether the server may have done what it was asked for. */
  readonly mayHaveActed: boolean
  constructor(reason: string, { mayHaveActed, cause }: { mayHaveActed: boolean; cause?: unknown }) {
    super(`the MCP server is unavailable: ${reason}`, { cause })
    this.reason = reason
    this.mayHaveActed = mayHaveActed
  }
}

/** The outcome of the requests to a server, which errors of the client do not tell. */
export interface Traffic {
  /** Status of the last answer to a message. */
  status: number | undefined
  /** Whether it comes event by event. */
  isStream: boolean
  /** Why the last request had no whole answer. */
  failure: CallError | ServerFailure | undefined
  /** Whether the last message may have reached the server. */
  mayHaveArrived: boolean
}

/** How a status reads where it is the reason. */
const BY_STATUS: Record<number, string> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
}

function reasonOfStatus(status: number): string {
  return BY_STATUS[status] ?? `status_${status}`
}

/** A server that refuses a request has not done what it asks for; one that fails at it may have. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** What is known of a use of a session that has failed. */
interface Circumstances {
  traffic: Traffic
  isConnected: boolean
  isCancelled: boolean
  isLate: boolean
  isLost: boolean
}

/** The reason where a tool asks for more than the arguments of its call (elicitation). */
export const INPUT_REQUIRED = 'input_required'

function asksForInput(error: unknown): boolean {
  const { data } = (error ?? {}) as { data?: { resultType?: unknown } }
  return typeof data === 'object' && data !== null && data.resultType === INPUT_REQUIRED
}

/** What went wrong with a server, in words for programs. */
export async function toFailure(
  error: unknown,
  { traffic, isConnected, isCancelled, isLate, isLost }: Circumstances,
): Promise<ServerFailure> {
  const { status, failure } = traffic
  const mayHaveActed = isConnected && traffic.mayHaveArrived && !isRefusal(status)
  const fail = (reason: string) => new ServerFailure(reason, { mayHaveActed, cause: error })
  if (error instanceof ServerFailure) return error
  if (isCancelled) return fail('cancelled')
  if (isLate) return fail('timeout')
  if (failure !== undefined) return fail(failure.reason)
  if (status !== undefined && status >= 400) return fail(reasonOfStatus(status))
  const { ProtocolError, UrlElicitationRequiredError } = await import('@modelcontextprotocol/client')
  // The tool waits for an answer of a person, and has not acted before.
  if (error instanceof UrlElicitationRequiredError || asksForInput(error))
    return new ServerFailure(INPUT_REQUIRED, { mayHaveActed: false, cause: error })
  if (error instanceof ProtocolError)
    return new ServerFailure('protocol_error', { mayHaveActed: false, cause: error })
  return fail(isLost ? 'cut_short' : 'bad_protocol')
}

/**
 * Whether a server refused a request because it no longer knows the session: by 404, as the protocol says, or by 400 with a
 * text that answers no message, as many servers do.
 */
export function isForgotten(error: unknown, { status, failure }: Traffic): boolean {
  if (failure !== undefined) return false
  if (status === 404) return true
  const { text } = ((error as { data?: unknown } | null)?.data ?? {}) as { text?: unknown }
  if (status !== 400 || typeof text !== 'string') return false
  try {
    const said: unknown = JSON.parse(text)
    return (
      typeof said === 'object' && said !== null && 'error' in said && (said as { id?: unknown }).id == null
    )
  } catch {
    return false
  }
}

/** The error for the caller: the reason, and when to try again. */
export function unavailable(id: Id<'mcpServer'>, reason: string): ApiError<'MCP_CLIENT_UNAVAILABLE'> {
  return new ApiError('MCP_CLIENT_UNAVAILABLE', { serverId: id, reason, retryAfterSeconds: RETRY_AFTER })
}
