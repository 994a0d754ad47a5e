import type { ConnectionProvider } from '../../config/providers-file.ts'
import { ApiError } from '../../core/errors.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { FREE_NAMES, FreeObject, FreeValue } from '../../http/schema/free-value.ts'
import { anyCase, documented } from '../../http/schema/public-schema.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { CallRequest } from '../../net/call.ts'
import { DESTINATION_PATTERN, LONGEST_URL, readDestination } from '../../net/destination.ts'

/** Largest request in bytes, including the members beside `body`. */
export const LARGEST_FETCH_REQUEST = 2 * 1024 * 1024

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Headers that the connection, the client or a proxy sets, and similar names. */
const OWN_HEADERS =
  /^(?:authorization|cookie2?|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|expect|accept-encoding|forwarded|via)$|^(?:proxy|sec|x-forwarded|x-real)-/

/**
 * Headers that change the request or the form of the answer: the token could not be found in a partial or transcoded
 * echo.
 */
const CHANGING_HEADERS =
  /^(?:range|if-range|x-(?:[\w-]+-)?range|accept-charset|x-(?:http-)?method(?:-override)?)$/

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/** The same rule in JSON Schema, for names in any case. */
const NAMES = {
  ...FREE_NAMES,
  propertyNames: {
    pattern: anyCase(HEADER_NAME),
    not: {
      anyOf: [
        FREE_NAMES.propertyNames.not,
        { pattern: anyCase(OWN_HEADERS) },
        { pattern: anyCase(CHANGING_HEADERS) },
      ],
    },
  },
}
const BASE64 = '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$'
/** The combinations of members, in JSON Schema. */
const TOGETHER = {
  not: {
    anyOf: [
      { required: ['body'], properties: { method: { enum: ['GET', 'HEAD'] } } },
      {
        required: ['bodyEncoding'],
        properties: { bodyEncoding: { const: 'base64' } },
        not: { required: ['body'], properties: { body: { type: 'string', pattern: BASE64 } } },
      },
    ],
  },
}

/** The body of a fetch: a request to a provider's API. */
export const FetchBody = strict(
  {
    method: Type.Unsafe<(typeof METHODS)[number]>(Type.String({ enum: METHODS })),
    url: Type.String({
      minLength: 1,
      maxLength: LONGEST_URL,
      description: "An absolute URL on one of the provider's `apiHosts`.",
      examples: ['https://api.example.com/v1/items'],
      ...documented({ pattern: DESTINATION_PATTERN }),
    }),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({ maxLength: 8_192, ...documented({ pattern: HEADER_VALUE.source }) }),
        { maxProperties: 50, ...documented(NAMES) },
      ),
    ),
    body: Type.Optional(
      Type.Union([Type.String({ maxLength: LARGEST_FETCH_REQUEST }), FreeObject, Type.Array(FreeValue)], {
        description: 'A text that is sent unchanged, or an object or list that is sent as JSON.',
      }),
    ),
    bodyEncoding: Type.Optional(
      Type.Unsafe<'text' | 'base64'>(
        Type.String({ enum: ['text', 'base64'], description: 'The encoding of a text in `body`.' }),
      ),
    ),
  },
  documented(TOGETHER),
)

type FetchRequest = Static<typeof FetchBody>

/**
 * Checks the URL that receives a token: https, exactly one of the provider's hosts and ports, no credentials, and
 * nothing that two parsers could read differently.
 * @throws ApiError VALIDATION_FAILED
 */
export function checkTarget({ apiHosts }: ConnectionProvider, text: string): URL {
  const url = readDestination(text)
  const reason =
    typeof url === 'string'
      ? url
      : url.protocol !== 'https:' && !isLocalhost(url.hostname)
        ? 'not_https'
        : apiHosts.includes(url.host)
          ? undefined
          : 'host_not_allowed'
  if (typeof url === 'string' || reason !== undefined)
    throw new ApiError('VALIDATION_FAILED', {
      field: 'url',
      value: text.slice(0, 256),
      reason: String(reason),
    })
  url.hash = ''
  return url
}

/**
 * The outgoing request without the token.
 * @throws ApiError VALIDATION_FAILED for headers that a caller may not set, and for an invalid body
 */
export function toRequest({ method, headers = {}, body, bodyEncoding }: FetchRequest): CallRequest {
  const sent: Record<string, string> = {}
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase()
    const field = `headers.${written.slice(0, 100)}`
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      throw new ApiError('VALIDATION_FAILED', { field, reason: 'malformed' })
    if (OWN_HEADERS.test(name) || CHANGING_HEADERS.test(name))
      throw new ApiError('VALIDATION_FAILED', { field, reason: 'not_allowed' })
    if (Object.hasOwn(sent, name)) throw new ApiError('VALIDATION_FAILED', { field, reason: 'twice' })
    sent[name] = value
  }
  const bytes = toBytes(body, bodyEncoding)
  if (bytes !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'not_with_this_method' })
  if (typeof body === 'object') sent['content-type'] ??= 'application/json'
  return { method, headers: sent, body: bytes ?? null }
}

/** @throws ApiError VALIDATION_FAILED for invalid base64 */
function toBytes(body: FetchRequest['body'], encoding: FetchRequest['bodyEncoding']): Buffer | undefined {
  if (encoding === 'base64') {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'base64') : undefined
    // Node drops invalid characters silently.
    if (bytes !== undefined && bytes.toString('base64') === body) return bytes
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'not_base64' })
  }
  if (body === undefined) return undefined
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
