import type { FastifyRequest } from 'fastify'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lockShared } from '../../db/locking.ts'
import { createOrganization } from '../../organizations/organizations.ts'
import type { AccessDeps } from '../deps.ts'

/** Characters of the longest name of an organization. */
const LONGEST_NAME = 100

/**
 * Creates the organization of an external id in one transaction, unless a concurrent request has created it. Its name is the external id,
 * or its own id where another organization has that name or it is too long.
 * @throws ApiError RATE_LIMITED; UNAUTHORIZED where the key has ended; ENTITY_NOT_FOUND where the key may no longer make organizations
 */
export async function makeOrganization(
  { config, database, limiter }: Pick<AccessDeps, 'config' | 'database' | 'limiter'>,
  { id: actorId }: { id: Id<'platformKey'> },
  externalId: string,
  request: FastifyRequest,
): Promise<void> {
  await limiter.take(actorId, 'organizationsPerPlatformKey', request.now)
  await database.tx(async (tx) => {
    const wanted = { plan: config.plans.default, externalId, actorId }
    const names = externalId.length > LONGEST_NAME ? [{}] : [{ name: externalId }, {}]
    for (const name of names) {
      const made = await createOrganization(tx, trailOf(request), { ...wanted, ...name })
      if (made !== undefined || (await isTaken(tx, externalId))) break
    }
    // The key is locked last, because all transactions lock the organization before the key.
    await mustStillMake(tx, actorId, request)
  })
}

/** Locks the key, so that it cannot end during this transaction; its cached check may be five seconds old. */
async function mustStillMake(tx: Tx, id: Id<'platformKey'>, { now }: FastifyRequest): Promise<void> {
  const row = await lockShared(
    tx,
    tx.selectFrom('platform_key').select(['may_create_organizations', 'expires_at']).where('id', '=', id),
  ).executeTakeFirst()
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now))
    throw new ApiError('UNAUTHORIZED', {})
  if (row.may_create_organizations === 0) throw new ApiError('ENTITY_NOT_FOUND', {})
}

async function isTaken(tx: Tx, externalId: string): Promise<boolean> {
  const other = tx.selectFrom('organization').select('id').where('external_id', '=', externalId)
  return (await other.executeTakeFirst()) !== undefined
}
