import { ApiError } from '../../core/errors.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { documented } from '../../http/schema/public-schema.ts'
import { SecretHeaders } from '../../http/schema/secret-headers.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema } from '../../http/schema/validation.ts'
import { DESTINATION_PATTERN, LONGEST_URL, readDestination } from '../../net/destination.ts'

/** Headers that the protocol, the connection or proxies set. */
export const OWN_HEADERS =
  /^(?:accept|accept-encoding|connection|content-length|content-type|cookie2?|expect|forwarded|host|idempotency-key|keep-alive|last-event-id|te|trailer|transfer-encoding|upgrade|user-agent|via)$|^(?:mcp|proxy|sec|x-forwarded|x-real)-/

/** The members of requests that register or change a server. */
export const Fields = {
  name: Type.String({
    pattern: '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$',
    maxLength: 32,
    description: 'The prefix of its tools: `{name}__{tool}`. Unique among the organization’s servers.',
    examples: ['crm'],
  }),
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_URL,
    description: 'Where it speaks the protocol over Streamable HTTP.',
    examples: ['https://mcp.acme.test/mcp'],
    ...documented({ pattern: DESTINATION_PATTERN, not: { pattern: '#' } }),
  }),
  headers: SecretHeaders(OWN_HEADERS, 'Sent with every request, `Authorization` for example; never shown.'),
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
  // The text before an `@` may contain a password.
  const value = reason === 'credentials' ? {} : { value: text.slice(0, 256) }
  throw new ApiError('VALIDATION_FAILED', { field: 'url', ...value, reason })
}
