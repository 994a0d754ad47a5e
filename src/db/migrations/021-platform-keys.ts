import type { Dialect } from '../engine/engine.ts'

/** Keys of the installation, and their earlier secrets. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table platform_key (
      id text primary key,
      name text not null,
      scopes text,
      may_create_organizations ${integer} not null,
      allowed_addresses text,
      key_hash text not null unique,
      hint text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      rotated_at ${integer},
      last_used_at ${integer}
    )${table}`,
    `create table platform_key_secret (
      key_hash text primary key,
      platform_key_id text not null references platform_key (id) on delete cascade,
      hint text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index platform_key_secret_key on platform_key_secret (platform_key_id)`,
    // The end of a platform key ends its pending invitations in all organizations.
    `create index invitation_inviter on invitation (inviter_id) where status = 'pending'`,
  ]
}
