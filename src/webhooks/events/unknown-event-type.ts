import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { nearestNames } from '../../core/text/nearest-names.ts'
import type { Db, Tx } from '../../db/database.ts'
import { builtInTypes } from './event-type-store.ts'

/** Most errors of a batch that name similar types: each comparison costs time. */
const MOST_COMPARED = 10

/** Makes the error of an unregistered event type; `details.nearest` has similar names. */
type Unknown = (field: string, type: string) => Promise<ApiError<'VALIDATION_FAILED'>>

/**
 * Creates the error function; the organization's names are read once, with the first unknown type.
 * @param isFor the use of the type: platform events can be subscribed to, but not published
 */
export function unknownEventTypes(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  isFor: 'publishing' | 'subscribing',
): Unknown {
  let names: Promise<string[]> | undefined
  let compared = 0
  return async (field, type) => {
    compared += 1
    const details = { field, value: type, reason: 'unknown_event_type' }
    if (compared > MOST_COMPARED) return new ApiError('VALIDATION_FAILED', details)
    names ??= namesOf(db, organizationId, isFor)
    return new ApiError('VALIDATION_FAILED', { ...details, nearest: nearestNames(type, await names, 3) })
  }
}

async function namesOf(
  db: Db | Tx,
  organizationId: Id<'organization'>,
  isFor: 'publishing' | 'subscribing',
): Promise<string[]> {
  const own = await db
    .selectFrom('event_type')
    .select('name')
    .where('organization_id', '=', organizationId)
    .execute()
  const builtIn = builtInTypes().filter(({ isOwnFact }) => isFor === 'subscribing' || !isOwnFact)
  return [...own.map(({ name }) => name), ...builtIn.map(({ type }) => type)]
}
