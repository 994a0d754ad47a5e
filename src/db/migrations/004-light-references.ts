import type { Dialect } from '../engine/engine.ts'

export const name = 'events and deliveries without a look at each thing that they belong to'

/**
 * Who publishes has just read the webhooks, and holds the event or writes it as well: on PostgreSQL a look at each of them,
 * and a lock on it, for each row cost more than to write the row.
 */
export function statements({ unchecked }: Dialect): string[] {
  return [
    ...unchecked({ table: 'event', column: 'organization_id', parent: 'organization' }),
    ...unchecked({ table: 'delivery', column: 'organization_id' }),
    ...unchecked({ table: 'delivery', column: 'webhook_id', parent: 'webhook' }),
    ...unchecked({ table: 'delivery', column: 'event_id', parent: 'event' }),
  ]
}
