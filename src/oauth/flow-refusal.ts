import { ApiError, type ErrorCode } from '../core/errors.ts'
import { withQuery } from '../http/schema/return-url.ts'

/** The errors with which a browser is sent back from a flow: each code, with a sentence for the person. */
export type Descriptions = Partial<Record<ErrorCode, string>>

/** An error with one of these codes; any other error is rethrown. */
export function refusalOf(descriptions: Descriptions): (error: unknown) => ApiError {
  return (error) => {
    if (!(error instanceof ApiError)) throw error
    const refusal: ApiError = error
    if (descriptions[refusal.code] === undefined) throw refusal
    return refusal
  }
}

/** The URL to which the browser is sent back with a refusal. */
export function withRefusal(url: string, { code }: ApiError, descriptions: Descriptions): string {
  return withQuery(url, { error: code, error_description: descriptions[code] ?? '' })
}
