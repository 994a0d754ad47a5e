import type { Dialect } from '../engine/engine.ts'

/** Roles that organizations make of permissions, for memberships and invitations. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // `permissions` is a JSON list of names.
    `create table role (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      description text,
      permissions text not null,
      created_by text,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    // No foreign key can refer to a partial index, so a rename waits for no new membership.
    `create unique index role_name on role (organization_id, name) where name <> ''`,
    // The column `role` is 'member' where this one is set.
    `alter table membership add column role_id text references role (id)`,
    `create index membership_role on membership (role_id) where role_id is not null`,
    // Not a reference: an invitation that is over keeps the id of a role that was deleted since.
    `alter table invitation add column role_id text`,
    `create index invitation_role on invitation (role_id) where role_id is not null and status = 'pending'`,
  ]
}
