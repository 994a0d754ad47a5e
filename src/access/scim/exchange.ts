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

/** The record of a directory's request and its answer. */
export type Exchange = Omit<Tables['scim_exchange'], 'organization_id'> & { owner: Owner }

/** UTF-16 units of a detail, which may name a member of the body. */
const LONGEST_DETAIL = 500

/**
 * Makes the record of a request: without body, credential and values of attributes.
 * @param answeredAt the time in the id, which orders exchanges by their answers
 * @returns undefined for a request without a credential of an organization
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
  // PostgreSQL refuses other text, and a refused row would lose the rows of other organizations in the same write.
  return detail.slice(0, LONGEST_DETAIL).toWellFormed().replaceAll('\0', '')
}

/**
 * The owner of an exchange. A request with an unknown path or an expired key is refused before it has a caller; its organization is found
 * by the key.
 */
function ownerOf({ principal, headers }: FastifyRequest): Owner | undefined {
  if (principal !== undefined && 'organizationId' in principal) {
    const { organizationId } = principal
    // The organization may not exist, because the request may be refused before it is made.
    return principal.kind === 'platformKey' && principal.make !== undefined ? undefined : { organizationId }
  }
  const bearer = bearerOf(headers)
  return bearer !== undefined && isKeyText('psk', bearer) ? { keyHash: hashToken(bearer) } : undefined
}
