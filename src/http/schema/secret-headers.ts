import { ApiError } from '../../core/errors.ts'
import { anyCase, documented } from './public-schema.ts'
import { Type } from './type.ts'

const MOST_HEADERS = 20

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Headers of requests that Postern makes, as a caller sets them: they are written, and never shown.
 * @param own matches the names, in lower case, that nobody may set
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
 * Headers by their names in lower case. No error holds a value.
 * @param own as of `SecretHeaders`
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
