import { ApiError } from '../../core/errors.ts'
import { anyCase, documented } from './public-schema.ts'
import { Type } from './type.ts'

const MOST_HEADERS = 20

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Headers that a caller sets for outgoing requests; they are write-only.
 * @param own matches the lower-case names that callers may not set
 */
export const SecretHeaders = (own: RegExp, description: string) =>
  Type.Record(
    Type.String(),
    Type.String({
      minLength: 1,
      maxLength: 8_192,
      writeOnly: true,
      ...documented({ pattern: HEADER_VALUE.source }),
    }),
    {
      maxProperties: MOST_HEADERS,
      writeOnly: true,
      description,
      ...documented({ propertyNames: { pattern: anyCase(HEADER_NAME), not: { pattern: anyCase(own) } } }),
    },
  )

/**
 * Reads headers by lower-case name. No error contains a value.
 * @param own as in `SecretHeaders`
 * @throws ApiError VALIDATION_FAILED
 */
export function readSecretHeaders(given: Record<string, string>, own: RegExp): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase()
    const refuse = (reason: string) =>
      new ApiError('VALIDATION_FAILED', { field: `headers.${written.slice(0, 100)}`, reason })
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw refuse('malformed')
    if (own.test(name)) throw refuse('not_allowed')
    if (Object.hasOwn(headers, name)) throw refuse('twice')
    headers[name] = value
  }
  return headers
}
