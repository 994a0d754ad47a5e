import { ApiError } from '../../../core/errors.ts'
import type { Id } from '../../../core/id.ts'

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

/** How a status reads where it is the reason. */
const BY_STATUS: Record<number, string> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
}

export function reasonOfStatus(status: number): string {
  return BY_STATUS[status] ?? `status_${status}`
}

/** What a caller is told: what it was, and when to try once more. */
export function unavailable(id: Id<'mcpServer'>, reason: string): ApiError<'MCP_CLIENT_UNAVAILABLE'> {
  return new ApiError('MCP_CLIENT_UNAVAILABLE', { serverId: id, reason, retryAfterSeconds: RETRY_AFTER })
}
