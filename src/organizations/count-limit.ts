import type { SelectQueryBuilder } from 'kysely'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { lockOrganization } from './organizations.ts'

interface CountLimit<Of extends keyof Tables> {
  /** The rows of the organization that count, without columns. */
  rows: SelectQueryBuilder<Tables, Of, object>
  most: number | ((organization: Tables['organization']) => number)
  reason: `too_many_${string}`
}

/**
 * Refuses a row beyond the limit of an organization. The organization stays locked until `tx` ends, so that each of several concurrent
 * requests counts the rows of the earlier ones.
 * @throws ApiError FORBIDDEN with `reason` and the limit; UNAUTHORIZED where the organization was deleted, because a new row would never
 * be removed
 */
export async function refuseBeyond<Of extends keyof Tables>(
  tx: Tx,
  organizationId: Id<'organization'>,
  { rows, most, reason }: CountLimit<Of>,
): Promise<void> {
  const organization = await lockOrganization(tx, organizationId)
  if (organization === undefined) throw new ApiError('UNAUTHORIZED', {})
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const limit = typeof most === 'number' ? most : most(organization)
  if (Number(count) >= limit) throw new ApiError('FORBIDDEN', { reason, limit })
}
