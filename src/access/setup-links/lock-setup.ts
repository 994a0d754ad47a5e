import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { hashToken } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { isPending } from '../../db/plausible-time.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { bindingOf } from '../../http/cookies.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { type Purpose, purposesOf, type SetupLink } from './setup-link-wire.ts'

/** The longest time until the end of a link. */
const MOST = LIFETIME.setupLink + LIFETIME.lenience

/** The condition that a link has not expired. */
export const isOpen = (now: Millis) => isPending('setup_link.expires_at', now, MOST)

/** A link that a browser has opened, and its organization. */
export interface Setup {
  link: SetupLink
  organization: Pick<Tables['organization'], 'id' | 'name'>
}

/**
 * The link that the browser of a request has opened.
 * @param purpose the required purpose of the link
 * @throws ApiError UNAUTHORIZED where the browser has no open link, or the organization is disabled; FORBIDDEN `another_purpose`
 */
export async function findSetup(
  db: Db,
  request: FastifyRequest,
  cookie: string,
  purpose?: Purpose,
): Promise<Setup> {
  const binding = bindingOf(request, cookie)
  if (binding === undefined) throw new ApiError('UNAUTHORIZED', {})
  const link = await db
    .selectFrom('setup_link')
    .selectAll()
    .where('cookie_hash', '=', hashToken(binding))
    .where('status', '=', 'opened')
    .where(isOpen(request.now))
    .executeTakeFirst()
  const organization =
    link &&
    (await db
      .selectFrom('organization')
      .select(['id', 'name'])
      .where('id', '=', link.organization_id)
      .where('disabled_at', 'is', null)
      .where('deleted_at', 'is', null)
      .executeTakeFirst())
  if (link === undefined || organization === undefined) throw new ApiError('UNAUTHORIZED', {})
  if (purpose !== undefined) mustBeFor(link, purpose)
  return { link, organization }
}

function mustBeFor(link: SetupLink, purpose: Purpose): void {
  if (!purposesOf(link).includes(purpose)) throw new ApiError('FORBIDDEN', { reason: 'another_purpose' })
}

/**
 * Locks the organization, the right of the link's maker and the link, so that a transaction that ends the right or the link runs later
 * and also ends the rows of this one.
 * @returns the link as read under the lock
 * @throws ApiError UNAUTHORIZED where it has ended
 */
export async function lockSetup(
  tx: Tx,
  { id, organization_id }: Pick<SetupLink, 'id' | 'organization_id'>,
  now: Millis,
): Promise<SetupLink> {
  const organization = await lockOrganization(tx, organization_id)
  await holdRightOfMaker(tx, id, now)
  const link = await lock(
    tx,
    tx
      .selectFrom('setup_link')
      .selectAll()
      .where('id', '=', id)
      .where('status', '=', 'opened')
      .where(isOpen(now)),
  ).executeTakeFirst()
  if (organization === undefined || organization.disabled_at !== null || link === undefined)
    throw new ApiError('UNAUTHORIZED', {})
  return link
}

/**
 * Locks the right of a link's maker. It is locked before the link, in the order of the transactions that end a right.
 * @throws ApiError UNAUTHORIZED where the right has ended
 */
async function holdRightOfMaker(tx: Tx, id: SetupLink['id'], now: Millis): Promise<void> {
  const made = await tx
    .selectFrom('setup_link')
    .select(['organization_id as organizationId', 'created_by as actorId', 'key_id as keyId'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (made === undefined) throw new ApiError('UNAUTHORIZED', {})
  const { actorId } = made
  if (actorId === null) return
  await mustStillHave(tx, { ...made, actorId }, 'sign_in:write', now).catch((error: unknown) => {
    throw error instanceof ApiError ? new ApiError('UNAUTHORIZED', {}) : error
  })
}
