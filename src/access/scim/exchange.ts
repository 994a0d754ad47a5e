import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { isKeyText } from '../../core/key-text.ts'
import { hashToken } from '../../core/secret.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { bearerOf } from '../read-credential.ts'
import { resourceIn, shownUrl } from './exchange-path.ts'

/** The organization of an exchange, or the hash of the API key by which it is found. */
type Owner = { organizationId: Id<'organization'> } | { keyHash: string }

/** A request of a directory and its answer, as they are recorded. */
export type Exchange = Omit<Tables['scim_exchange'], 'organization_id'> & { owner: Owner }

/** UTF-16 units of a detail, which may name a member of the body. */
const LONGEST_DETAIL = 500

/**
 * What is recorded of a request and its answer: no body, no credential, and no value of an attribute.
 * @param answeredAt orders exchanges, as others may have arrived and been answered meanwhile
 * @returns undefined where the request has no credential of an organization
 */
export function readExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
  answeredAt: Millis,
): Exchange | undefined {
  const owner = ownerOf(request)
  if (owner === undefined) return undefined
  const { method, url, query, now, errorCode, scimError } = request
  const created = reply.statusCode === 201 ? resourceIn(String(reply.getHeader('location'))) : undefined
  return {
    owner,
    id: newId('scimExchange', answeredAt),
    method,
    path: shownUrl(url, query as Record<string, unknown>),
    status: reply.statusCode,
    code: errorCode ?? null,
    scim_type: scimError?.scimType ?? null,
    detail: scimError === undefined ? null : storable(scimError.detail),
    resource_id: created ?? resourceIn(url) ?? null,
    duration: Math.round(durationMs),
    created_at: now,
  }
}

function storable(detail: string): string {
  // PostgreSQL takes no other text, and a row that it refuses takes those of other organizations with it.
  return detail.slice(0, LONGEST_DETAIL).toWellFormed().replaceAll('\0', '')
}

/**
 * Whose record an exchange is in. A request at an unknown path, or with a key that has expired, is refused without a caller: it is in
 * the record of the organization that has the key.
 */
function ownerOf({ principal, headers }: FastifyRequest): Owner | undefined {
  if (principal !== undefined && 'organizationId' in principal) {
    const { organizationId } = principal
    // A request that is refused before its handler makes no organization.
    return principal.kind === 'platformKey' && principal.make !== undefined ? undefined : { organizationId }
  }
  const bearer = bearerOf(headers)
  return bearer !== undefined && isKeyText('psk', bearer) ? { keyHash: hashToken(bearer) } : undefined
}
