import { ApiError } from '../../core/errors.ts'
import type { Signal } from '../../core/signal.ts'
import type { Authenticator, Standing } from '../../http/principal.ts'
import { bearerOf, endOfToken } from '../read-credential.ts'

/**
 * Asks for the rights of a request once more, by what asked for them when it came.
 * @param forgotten is raised when rights have ended or changed
 */
export function createStanding(authenticate: Authenticator, forgotten: Signal): Standing {
  return {
    async whoNow(request, now) {
      try {
        // The same request at another moment.
        return await authenticate(Object.create(request, { now: { value: now } }), 'member')
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return undefined
        throw error
      }
    },
    endOf({ headers }) {
      const bearer = bearerOf(headers)
      return bearer === undefined ? undefined : endOfToken(bearer)
    },
    onChange: forgotten.listen,
  }
}
