import type { Dialect } from '../engine/engine.ts'

/** The tables of `jobs/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Workers and their leases: a worker is alive until `alive_until`. The rows also say how lanes are divided among them.
    `create table worker (
      id text primary key,
      queue text not null,
      alive_until ${integer} not null,
      retired ${integer} not null default 0,
      process text,
      seen text,
      divides text,
      draining text
    )${table}`,
    // Durable jobs of the kinds that have no table of their own. `payload`, `result` and `progress` are JSON. `organization_id` is
    // null where no organization has caused the job.
    `create table job (
      id text primary key,
      kind text not null,
      organization_id text references organization (id) on delete cascade,
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
