import { ApiError, type ErrorCode } from '../core/errors.ts'
import { withQuery } from '../http/schema/return-url.ts'

/** What a browser is sent back with when nothing came of a flow: the codes that there are, in words for its person. */
export type Descriptions = Partial<Record<ErrorCode, string>>

/** Passes on what a browser can be sent back with; anything else is ours to answer for. */
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
