import type { Dialect } from '../engine/engine.ts'

/** The table of `audit/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // The audit log: one row for each organization or account that reads the entry. `details` is JSON.
    `create table audit (
      id text primary key,
      organization_id text references organization (id) on delete cascade,
      account_id text references account (id) on delete set null,
      actor_id text,
      action text not null,
      target_id text,
      details text not null,
      ip text not null,
      user_agent text not null,
      request_id text not null,
      created_at ${integer} not null
    )${table}`,
    `create index audit_organization on audit (organization_id, id)`,
    `create index audit_action on audit (organization_id, action, id)`,
    `create index audit_account on audit (account_id, id)`,
  ]
}
