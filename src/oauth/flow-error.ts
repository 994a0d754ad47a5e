import { ApiError, type ErrorCode } from '../core/errors.ts'
import { withQuery } from '../http/schema/return-url.ts'

/** The error codes with which a flow redirects a browser, each with a sentence for the person. */
export type ErrorDescriptions = Partial<Record<ErrorCode, string>>

/** Returns an error with one of these codes; rethrows any other error. */
export function flowErrorOf(descriptions: ErrorDescriptions): (error: unknown) => ApiError {
  return (error) => {
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
