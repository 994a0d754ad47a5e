import type { Millis } from '../core/clock.ts'
import { newId } from '../core/id.ts'
import { preparedInsert } from '../db/prepared.ts'
import type { Tables } from '../db/tables.ts'
import { HORIZON } from './retry.ts'

/** Delivery rows are written with one statement a batch, wherever they come from. */
export const insertDeliveries = preparedInsert('delivery', [
  'id',
  'organization_id',
  'webhook_id',
  'event_id',
  'event_type',
  'status',
  'reason',
  'attempts',
  'due_at',
  'horizon_at',
  'claim_id',
  'created_at',
  'updated_at',
])

/**
 * A delivery of the same event to the same webhook, with a schedule of its own that begins now.
 * @param order the moment by which its id is ordered among others
 */
export function again(source: Tables['delivery'], now: Millis, order = now): Tables['delivery'] {
  return {
    ...source,
    id: newId('delivery', order),
    status: 'pending',
    reason: null,
    attempts: 0,
    due_at: now,
    horizon_at: now + HORIZON,
    claim_id: null,
    created_at: now,
    updated_at: now,
  }
}
