import { ApiError } from '../../core/errors.ts'
import { originsPattern } from './public-schema.ts'
import { Type } from './type.ts'

/** The schema of the URL to which the browser returns. */
export const returnUrlSchema = (allowedOrigins: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'An absolute URL on one of `ALLOWED_ORIGINS`.',
    ...originsPattern(allowedOrigins),
  })

/**
 * Checks the URL to which the browser returns, if there is one. The text itself must begin with an allowed origin, and
 * texts that two URL parsers could read differently (backslashes, credentials, control characters) are refused.
 * @throws ApiError VALIDATION_FAILED
 */
export function checkReturnUrl<Text extends string | undefined>(
  text: Text,
  allowedOrigins: string[],
  field: string,
): Text {
  if (text === undefined) return text
  const parsed = /^[\x21-\x7e]+$/.test(text) && !text.includes('\\') ? URL.parse(text) : null
  const origin = allowedOrigins.find((candidate) => candidate === parsed?.origin)
  const rest = origin === undefined ? undefined : text.slice(origin.length)
  if (origin === undefined || !text.startsWith(origin) || !/^([/?#]|$)/.test(rest ?? 'x')) {
    throw new ApiError('VALIDATION_FAILED', {
      field,
      value: text.slice(0, 256),
      reason: 'origin_not_allowed',
    })
  }
  return text
}

/** Adds query parameters to a URL. */
export function withQuery(url: string, parameters: Record<string, string>): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
  return target.href
}
