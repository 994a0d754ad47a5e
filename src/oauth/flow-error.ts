import { ApiError, type ErrorCode } from '../core/errors.ts'
import { BusyError } from '../db/engine/engine.ts'
import { tooBusy } from '../http/error-response.ts'
import { withQuery } from '../http/schema/return-url.ts'

/** The error codes with which a flow redirects a browser, each with a sentence for the person. */
export type ErrorDescriptions = Partial<Record<ErrorCode, string>>

/**
 * Returns an error with one of these codes; rethrows any other error. A flow that ended because the database was busy is `RATE_LIMITED`: the
 * person begins another one.
 */
export function flowErrorOf(descriptions: ErrorDescriptions): (error: unknown) => ApiError {
  return (thrown) => {
    const error = thrown instanceof BusyError ? tooBusy(thrown) : thrown
    if (!(error instanceof ApiError)) throw error
    const refusal: ApiError = error
    if (descriptions[refusal.code] === undefined) throw refusal
    return refusal
  }
}

/** The return URL with an error in its query. */
export function withFlowError(url: string, { code }: ApiError, descriptions: ErrorDescriptions): string {
  return withQuery(url, { error: code, error_description: descriptions[code] ?? '' })
}
