import { ApiError, type ErrorCode } from '../../core/errors.ts'
import type { PlanBook } from '../../core/plans.ts'
import type { Signal } from '../../core/signal.ts'
import { type Authenticator, admit, callerOf, type RightsCheck } from '../../http/principal.ts'
import { bearerOf, endOfToken } from '../read-credential.ts'

/** Errors that mean a refusal of the request; after any other error its rights are unknown. */
const REFUSALS: ErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'MODULE_NOT_ENABLED', 'ENTITY_NOT_FOUND']

/**
 * Checks the rights of a request again, with the functions that checked them at its arrival.
 * @param forgotten a signal that is raised when rights have ended or changed
 */
export function createRightsCheck(
  authenticate: Authenticator,
  book: PlanBook,
  forgotten: Signal,
): RightsCheck {
  return {
    async whoNow(request, now) {
      try {
        // The same request at another moment.
        const principal = await authenticate(Object.create(request, { now: { value: now } }), 'caller')
        admit(principal, request.routeOptions.config.access, book)
        const { organizationId } = callerOf({ principal })
        // The external id may now belong to another organization.
        return organizationId === callerOf(request).organizationId ? principal : undefined
      } catch (error) {
        if (error instanceof ApiError && REFUSALS.includes(error.code)) return undefined
        throw error
      }
    },
    endOf({ headers, principal }) {
      if ('expiresAt' in principal) return principal.expiresAt ?? undefined
      const bearer = bearerOf(headers)
      return bearer === undefined ? undefined : endOfToken(bearer)
    },
    onChange: forgotten.listen,
  }
}
