import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import { checkSchema } from './event-type-schema.ts'
import { checkData, type KnownType, refuseDeep } from './event-type-store.ts'
import { refuseCostly } from './schema-cost.ts'
import { refuseSlow } from './schema-timing.ts'
import { isSchema, MOST_LISTED, problemsOf } from './validators.ts'

/** Most types of one organization, and most characters of their schemas and examples together. */
const [MOST_TYPES, MOST_TEXT] = [500, 512 * 1024]

/**
 * Checks a type before it is stored: its schema is valid, checking data against it is cheap, and its example fits.
 * @throws ApiError VALIDATION_FAILED, or the code of the example's first error
 */
export function checkType(known: KnownType, hasExample: boolean): void {
  for (const member of ['schema', 'example'] as const) refuseDeep(known[member], member)
  checkSchema(known.schema)
  if (!isSchema(known.schema)) throw notASchema()
  refuseCostly(known.schema)
  try {
    problemsOf(known.owner ?? '', known.schema, {}, 0)
  } catch {
    throw notASchema()
  }
  refuseSlow(known.schema, (data) => problemsOf(known.owner ?? '', known.schema, data, MOST_LISTED + 1))
  if (hasExample) checkData(known, known.example, JSON.stringify(known.example).length, 'example')
}

function notASchema(): ApiError {
  return new ApiError('VALIDATION_FAILED', { field: 'schema', reason: 'not_a_schema' })
}

/**
 * Locks the organization's row, so that changes of its event types run one after the other. The end of the organization
 * locks that row before its types, too.
 */
export async function lockEventTypes(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  await lock(tx, tx.selectFrom('organization').select('id').where('id', '=', organizationId)).execute()
}

/**
 * Checks that a type fits into the limits of its organization.
 * @throws ApiError FORBIDDEN
 */
export async function refuseBeyondLimits(
  tx: Tx,
  organizationId: Id<'organization'>,
  known: KnownType,
): Promise<void> {
  // Concurrent requests wait here for each other, so that each counts the earlier ones' types.
  await lockEventTypes(tx, organizationId)
  const { count, text } = await tx
    .selectFrom('event_type')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | string | null>(fn('length', ['schema'])).as('text'),
      fn.sum<number | string | null>(fn('length', ['example'])).as('examples'),
    ])
    .where('organization_id', '=', organizationId)
    .where('name', '!=', known.type)
    .executeTakeFirstOrThrow()
    .then((row) => ({ count: Number(row.count), text: Number(row.text ?? 0) + Number(row.examples ?? 0) }))
  if (count >= MOST_TYPES)
    throw new ApiError('FORBIDDEN', { reason: 'too_many_event_types', limit: MOST_TYPES })
  const own = JSON.stringify(known.schema).length + JSON.stringify(known.example).length
  if (text + own > MOST_TEXT)
    throw new ApiError('FORBIDDEN', { reason: 'event_types_too_large', limit: MOST_TEXT })
}
