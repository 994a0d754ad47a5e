import type { Dialect } from '../engine/engine.ts'

export const name = 'open problems'

/** What fails is found by indexes that hold nothing else, so that what goes well never writes into them. */
export function statements({ integer }: Dialect): string[] {
  return [
    `alter table webhook add column status_at ${integer}`,
    `alter table lane add column probe_at ${integer}`,
    `alter table lane add column failing_at ${integer}`,
    `alter table lane add column cause text`,
    `create index lane_failing on lane (webhook_id) where failing_at is not null`,
    `create index webhook_disabled on webhook (id) where status = 'disabled'`,
    `create index delivery_failed on delivery (webhook_id, id) where status = 'failed' and sample = 0`,
    `create index file_failed on file (organization_id, begun_at, id) where status = 'failed'`,
    `create index file_failed_at on file (begun_at) where status = 'failed'`,
    `create index document_failed on document (organization_id, updated_at, id) where status = 'failed'`,
    `create index document_failed_at on document (updated_at) where status = 'failed'`,
    `create index connection_broken on connection (organization_id, id) where status <> 'active'`,
    `create index mail_failed on mail (share, id) where status = 'failed'`,
    `create index run_waiting on run (organization_id, id) where status = 'waiting'`,
  ]
}
