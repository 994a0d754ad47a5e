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
 * Makes the organization of an external id in one transaction, unless another request has just made it. It is named by its
 * external id, or by its own id where another one has that name or the name would be too long.
 * @throws ApiError RATE_LIMITED; UNAUTHORIZED where the key has ended; ENTITY_NOT_FOUND where it may not make one any more
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
    // Last, as everywhere: the organization before the key.
    await mustStillMake(tx, actorId, request)
  })
}

/** Holds the key, so that it ends after this transaction: the verdict about it may be five seconds old. */
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
