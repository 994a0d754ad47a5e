import type { FastifyRequest } from 'fastify'
import { repeatable } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/id.ts'
import { isKeyText } from '../../core/key-text.ts'
import { hashToken } from '../../core/secret.ts'
import {
  type NamedOrganization,
  namedOrganization,
  ORGANIZATION_HEADER,
} from '../../http/organization-header.ts'
import { isPermission } from '../../http/permissions.ts'
import { type Access, mustHave, type Principal } from '../../http/principal.ts'
import type { PlatformCredential } from '../credential-cache.ts'
import type { AccessDeps } from '../deps.ts'
import { mustComeFrom } from '../keys/authenticate-key.ts'
import { findPlatformKey } from './find-platform-key.ts'
import { makeOrganization } from './make-organization.ts'
import { findPlatformCaller, ROLE } from './platform-caller.ts'

type PlatformDeps = Pick<AccessDeps, 'config' | 'database' | 'limiter' | 'credentials'>

/**
 * The caller of a platform key: the key itself, for the organization that the request names.
 * @returns undefined for a wrong checksum, which needs no query, and for a key that is unknown or has ended
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED for the name; FORBIDDEN before the name is looked up, so that a key without
 * the permission of a route cannot find out which organizations exist; ENTITY_NOT_FOUND; UNAUTHORIZED `organization_disabled`; FORBIDDEN
 * `address_not_allowed`
 */
export async function authenticatePlatformKey(
  deps: PlatformDeps,
  key: string,
  request: FastifyRequest,
  access: Access,
): Promise<Principal | undefined> {
  if (!isKeyText('ppk', key)) return undefined
  const { database, credentials } = deps
  const { now, method, routeOptions } = request
  const hash = hashToken(key)
  const known = await credentials.platformKey(hash, now, () => findPlatformKey(database, hash, request))
  if (known === undefined || (known.expiresAt !== null && known.expiresAt <= now)) return undefined
  mustComeFrom(known, request.ip)
  const named = namedOrganization(request)
  if (isPermission(access)) mustHave({ role: ROLE, permissions: known.permissions }, access)
  const name = 'id' in named ? named.id : `ext:${named.externalId}`
  const find = () =>
    credentials.whose(`${hash} ${name}`, now, () => findPlatformCaller(database, known, named))
  const principal = await find()
  if (principal !== undefined) return principal
  const isUnknown = new ApiError('ENTITY_NOT_FOUND', { field: ORGANIZATION_HEADER, value: name })
  // Other methods, and paths with an id, need existing resources, and a new organization has none.
  const isForNew = method === 'POST' && !routeOptions.url?.includes('/:')
  if ('id' in named || !isForNew || !known.mayCreateOrganizations) throw isUnknown
  return beforeItIsMade(deps, known, named, request, async () => {
    // A repeated request finds the organization.
    await repeatable(() => makeOrganization(deps, known, named.externalId, request))
    const made = await find()
    if (made === undefined) throw isUnknown
    return made
  })
}

/** The caller for an organization that does not exist yet: after all checks of the request `make` creates it, with the default plan. */
function beforeItIsMade(
  { config }: Pick<PlatformDeps, 'config'>,
  { id, keyHash, permissions, expiresAt }: PlatformCredential,
  { externalId }: Extract<NamedOrganization, { externalId: string }>,
  { now }: FastifyRequest,
  make: () => Promise<Principal>,
): Principal {
  return {
    ...{ kind: 'platformKey', actorId: id, keyId: null, keyHash, role: ROLE, permissions, expiresAt, make },
    ...{ organizationId: newId('organization', now), externalId },
    ...{ plan: config.plans.default, flags: {} },
  }
}
