import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { type Id, readId } from '../core/id.ts'
import { SIZE } from '../core/limits.ts'
import { isExternalId } from '../core/text/external-id.ts'

/** The organization that a request names: `org_…`, or `ext:` and its external id. */
export type NamedOrganization = { id: Id<'organization'> } | { externalId: string }

/** As the documents and errors write it. */
export const ORGANIZATION_HEADER = 'Postern-Organization'

const EXTERNAL = 'ext:'

/** The text of the header; undefined where it was not sent. Several headers are one text with commas, which names nothing. */
function textOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers['postern-organization']
  return sent === undefined ? undefined : String(sent)
}

/** What `org_…` or `ext:…` names; undefined for any other text. */
export function readOrganizationName(text: string): NamedOrganization | undefined {
  if (text.startsWith(EXTERNAL)) {
    const externalId = text.slice(EXTERNAL.length)
    return isExternalId(externalId) ? { externalId } : undefined
  }
  const id = readId('organization', text)
  return id === undefined ? undefined : { id }
}

/**
 * The organization for which a key of the installation acts.
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
 * Checks that a request with any other credential names that credential's organization, or none: a client that means another
 * one is refused, and does not act in the wrong one.
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
