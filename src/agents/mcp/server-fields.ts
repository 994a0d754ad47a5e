import { ApiError } from '../../core/errors.ts'
import { isLocalhost } from '../../core/text/web-address.ts'
import { anyCase, documented } from '../../http/schema/public-schema.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema } from '../../http/schema/validation.ts'
import { DESTINATION_PATTERN, LONGEST_URL, readDestination } from '../../net/destination.ts'

const MOST_HEADERS = 20

/** What the protocol, the connection or the proxies between say themselves. */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|connection|content-length|content-type|cookie2?|expect|forwarded|host|idempotency-key|keep-alive|last-event-id|te|trailer|transfer-encoding|upgrade|user-agent|via)$|^(?:mcp|proxy|sec|x-forwarded|x-real)-/
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

const HeaderValue = Type.String({
  minLength: 1,
  maxLength: 8_192,
  writeOnly: true,
  ...documented({ pattern: HEADER_VALUE.source }),
})

/** Members of the requests that register or change a server. */
export const Fields = {
  name: Type.String({
    pattern: '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$',
    maxLength: 32,
    description:
      'What its tools are called by: `{name}__{tool}`. Of the organization’s servers none has the same.',
    examples: ['crm'],
  }),
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    description: 'Where it speaks the protocol over Streamable HTTP.',
    examples: ['https://mcp.acme.test/mcp'],
    ...documented({ pattern: DESTINATION_PATTERN, not: { pattern: '#' } }),
  }),
  headers: Type.Record(Type.String(), HeaderValue, {
    maxProperties: MOST_HEADERS,
    writeOnly: true,
    description: 'Sent with every request, `Authorization` for example; never shown.',
    ...documented({
      propertyNames: { pattern: anyCase(HEADER_NAME), not: { pattern: anyCase(OWN_HEADERS) } },
    }),
  }),
  connectionId: IdSchema('connection'),
  required: Type.Boolean({
    description:
      'Whether a run that may use it fails without it; otherwise the model reads that it is unavailable.',
  }),
}

/** @throws ApiError VALIDATION_FAILED */
export function checkServerUrl(text: string, hasSecrets: boolean): void {
  const url = readDestination(text)
  const reason =
    typeof url === 'string'
      ? url
      : url.hash !== ''
        ? 'fragment'
        : hasSecrets && url.protocol !== 'https:' && !isLocalhost(url.hostname)
          ? 'not_https'
          : undefined
  if (reason === undefined) return
  // What stands before an `@` may be a password.
  const value = reason === 'credentials' ? {} : { value: text.slice(0, 256) }
  throw new ApiError('VALIDATION_FAILED', { field: 'url', ...value, reason })
}

/**
 * Headers by their names in lower case. No error holds a value.
 * @throws ApiError VALIDATION_FAILED
 */
export function readHeaders(given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase()
    const refuse = (reason: string) =>
      new ApiError('VALIDATION_FAILED', { field: `headers.${written.slice(0, 100)}`, reason })
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw refuse('malformed')
    if (OWN_HEADERS.test(name)) throw refuse('not_allowed')
    if (Object.hasOwn(headers, name)) throw refuse('twice')
    headers[name] = value
  }
  return headers
}
