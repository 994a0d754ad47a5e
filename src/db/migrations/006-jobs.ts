import type { Dialect } from '../engine/engine.ts'

export const name = 'jobs in rows'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table job (
      id text primary key,
      kind text not null,
      organization_id text not null references organization (id) on delete cascade,
      lane_id text not null,
      cap ${integer} not null,
      payload text not null,
      status text not null check (status in ('pending', 'done', 'failed', 'cancelled')),
      reason text,
      result text,
      progress text,
      attempts ${integer} not null,
      begun ${integer} not null,
      due_at ${integer},
      horizon_at ${integer} not null,
      claim_id text,
      cancel_at ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index job_due on job (kind, lane_id, due_at, id) where status = 'pending' and claim_id is null`,
    `create index job_claim on job (claim_id) where claim_id is not null`,
    `create index job_organization on job (organization_id, id)`,
  ]
}
