import type { Dialect } from '../engine/engine.ts'

/** Webhooks whose deliveries clients fetch. */
export function statements({ integer }: Dialect): string[] {
  return [
    // The name by which clients ask for its deliveries; null for a webhook that is called. Such a webhook is stored as paused.
    `alter table webhook add column listener text`,
    // When a client asked last, to within half a minute.
    `alter table webhook add column listened_at ${integer}`,
    `create unique index webhook_listener on webhook (organization_id, listener)
      where listener is not null and status <> 'deleted'`,
  ]
}
