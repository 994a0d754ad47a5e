import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { type Id, readId } from '../core/id.ts'
import { SIZE } from '../core/limits.ts'
import { isExternalId } from '../core/text/external-id.ts'

/** The organization that a request names: by `org_…`, or by `ext:` and its external id. */
export type NamedOrganization = { id: Id<'organization'> } | { externalId: string }

/** The spelling of the header in documents and errors. */
export const ORGANIZATION_HEADER = 'Postern-Organization'

const EXTERNAL = 'ext:'

/**
 * The text of the header; undefined where it is absent. Repeated headers arrive joined by commas, which is no valid
 * name.
 */
function textOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers['postern-organization']
  return sent === undefined ? undefined : String(sent)
}

/** Parses `org_…` or `ext:…`; undefined for any other text. */
export function readOrganizationName(text: string): NamedOrganization | undefined {
  if (text.startsWith(EXTERNAL)) {
    const externalId = text.slice(EXTERNAL.length)
    return isExternalId(externalId) ? { externalId } : undefined
  }
  const id = readId('organization', text)
  return id === undefined ? undefined : { id }
}

/**
 * The organization for which a platform key acts.
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED
 */
export function namedOrganization(request: Pick<FastifyRequest, 'headers'>): NamedOrganization {
  const text = textOf(request)
  if (text === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: ORGANIZATION_HEADER })
  const named = readOrganizationName(text)
  if (named !== undefined) return named
  throw new ApiError('VALIDATION_FAILED', {
    ...{ field: ORGANIZATION_HEADER, value: text.slice(0, SIZE.echoedValue), reason: 'not_an_organization' },
  })
}

/**
 * Checks that a request with another credential names the credential's organization or none, so that a client never
 * acts in the wrong one.
 * @param own the organization of the credential; undefined where it has none
 * @throws ApiError FORBIDDEN `another_organization`
 */
export function mustNameOwn(
  request: Pick<FastifyRequest, 'headers'>,
  own: { organizationId: Id<'organization'>; externalId: string | null } | undefined,
): void {
  const text = textOf(request)
  if (text === undefined) return
  const named = readOrganizationName(text)
  const isOwn =
    named !== undefined &&
    own !== undefined &&
    ('id' in named ? named.id === own.organizationId : named.externalId === own.externalId)
  if (!isOwn) throw new ApiError('FORBIDDEN', { field: ORGANIZATION_HEADER, reason: 'another_organization' })
}
