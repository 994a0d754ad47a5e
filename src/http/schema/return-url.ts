import { ApiError } from '../../core/errors.ts'
import { originsPattern } from './public-schema.ts'
import { Type } from './type.ts'

/** Where a browser is to be sent afterwards, as a caller names it. */
export const returnUrlSchema = (allowedOrigins: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'An absolute URL on one of `ALLOWED_ORIGINS`.',
    ...originsPattern(allowedOrigins),
  })

/**
 * Checks where a browser is to be sent afterwards, if that was said. The text itself must begin with an allowed origin: what
 * two URL parsers could read differently (backslashes, credentials, control characters) is refused.
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

/** The URL with these query parameters. */
export function withQuery(url: string, parameters: Record<string, string>): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
  return target.href
}
