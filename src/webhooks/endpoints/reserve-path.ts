import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'

/** Most paths that an organization keeps without a webhook: other organizations cannot use them. */
const MOST_UNUSED = 1_000

/**
 * Reserves an inbound path for an organization, permanently: external systems may call it long after its webhook is
 * deleted or renamed, and their calls must not reach another organization. The organization may reuse it.
 * @throws ApiError DUPLICATE where it belongs to another organization; FORBIDDEN `too_many_endpoint_paths` where the
 * organization keeps too many unused ones
 */
export async function reservePath(
  tx: Tx,
  organizationId: Id<'organization'>,
  path: string | null | undefined,
  now: Millis,
): Promise<void> {
  if (path === null || path === undefined) return
  const claimed = await tx
    .insertInto('endpoint_path')
    .values({ path, organization_id: organizationId, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('path')
    .executeTakeFirst()
  if (claimed !== undefined) return refuseTooMany(tx, organizationId)
  const mine = await tx
    .selectFrom('endpoint_path')
    .select('path')
    .where('path', '=', path)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (mine === undefined) throw new ApiError('DUPLICATE', { field: 'endpointPath', value: path })
}

async function refuseTooMany(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const { count } = await tx
    .selectFrom('endpoint_path')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook')
            .select('webhook.id')
            .whereRef('webhook.endpoint_path', '=', 'endpoint_path.path'),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  // The count includes the path that was reserved above.
  if (Number(count) > MOST_UNUSED)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_endpoint_paths', limit: MOST_UNUSED })
}
