import { ApiError } from '../../../core/errors.ts'
import type { Id } from '../../../core/id.ts'
import type { CallError } from '../../../net/call.ts'

/** Seconds after which a request to a failed server may be repeated. */
const RETRY_AFTER = 5

/** A failure of a server, with its reason in snake_case for programs. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  readonly reason: string
  /** Whether the server may have executed the request. */
  readonly mayHaveActed: boolean
  constructor(reason: string, { mayHaveActed, cause }: { mayHaveActed: boolean; cause?: unknown }) {
    super(`the MCP server is unavailable: ${reason}`, { cause })
    this.reason = reason
    this.mayHaveActed = mayHaveActed
  }
}

/** Facts about requests to a server that the client's errors do not contain. */
export interface Traffic {
  /** The status of the last answer to a message. */
  status: number | undefined
  /** Whether the answer is a stream of events. */
  isStream: boolean
  /** Why the last request got no complete answer. */
  failure: CallError | ServerFailure | undefined
  /** Whether the last message may have reached the server. */
  mayHaveArrived: boolean
}

/** Reasons that name a status. */
const BY_STATUS: Record<number, string> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
}

function reasonOfStatus(status: number): string {
  return BY_STATUS[status] ?? `status_${status}`
}

/** Whether a status means that the server refused the request; a server that fails may have executed it. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** The facts about a failed use of a session. */
interface FailureContext {
  traffic: Traffic
  isConnected: boolean
  isCancelled: boolean
  isLate: boolean
  isLost: boolean
}

/** The reason where a tool requires input beyond its arguments (elicitation). */
export const INPUT_REQUIRED = 'input_required'

function asksForInput(error: unknown): boolean {
  const { data } = (error ?? {}) as { data?: { resultType?: unknown } }
  return typeof data === 'object' && data !== null && data.resultType === INPUT_REQUIRED
}

/** The failure of a server for an error of the client. */
export async function toServerFailure(
  error: unknown,
  { traffic, isConnected, isCancelled, isLate, isLost }: FailureContext,
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
  // The tool waits for a person's answer, and acts only after it.
  if (error instanceof UrlElicitationRequiredError || asksForInput(error))
    return new ServerFailure(INPUT_REQUIRED, { mayHaveActed: false, cause: error })
  if (error instanceof ProtocolError)
    return new ServerFailure('protocol_error', { mayHaveActed: false, cause: error })
  return fail(isLost ? 'cut_short' : 'bad_protocol')
}

/**
 * Whether a server refused a request because it has lost the session: by 404 as the protocol requires, or by 400 with a
 * text that answers no message, as many servers do.
 */
export function isSessionLost(error: unknown, { status, failure }: Traffic): boolean {
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

/** The caller's error: the reason, and when to retry. */
export function unavailable(id: Id<'mcpServer'>, reason: string): ApiError<'MCP_CLIENT_UNAVAILABLE'> {
  return new ApiError('MCP_CLIENT_UNAVAILABLE', { serverId: id, reason, retryAfterSeconds: RETRY_AFTER })
}
