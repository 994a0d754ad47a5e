import type { Dialect } from '../engine/engine.ts'

/** Domains that organizations claim, and those that are proven. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table domain (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      token text not null,
      status text not null check (status in ('pending', 'verified', 'failing', 'lost')),
      reason text,
      job_id text,
      created_by text,
      created_at ${integer} not null,
      checked_at ${integer},
      verified_at ${integer},
      failing_since ${integer}
    )${table}`,
    `create unique index domain_name on domain (organization_id, name)`,
    `create index domain_wrong on domain (organization_id, id) where status in ('failing', 'lost')`,
    // The primary key allows one organization of the installation per domain.
    `create table proven_domain (
      name text primary key,
      domain_id text not null unique references domain (id) on delete cascade,
      organization_id text not null
    )${table}`,
  ]
}
