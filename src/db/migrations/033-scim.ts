import type { Dialect } from '../engine/engine.ts'

/** Users and groups that directories of organizations provision by SCIM. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table scim_user (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      account_id text references account (id) on delete set null,
      external_id text,
      user_name text not null,
      user_name_key text not null,
      display_name text,
      display_name_key text,
      given_name text,
      family_name text,
      formatted_name text,
      email text not null,
      email_type text,
      email_primary ${integer},
      active ${integer} not null,
      role_given ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create unique index scim_user_order on scim_user (organization_id, id)`,
    `create unique index scim_user_name on scim_user (organization_id, user_name_key)`,
    `create unique index scim_user_email on scim_user (organization_id, email)`,
    `create unique index scim_user_account on scim_user (account_id, organization_id)`,
    `create index scim_user_external on scim_user (organization_id, external_id)`,
    `create index scim_user_display on scim_user (organization_id, display_name_key)`,
    `create index scim_user_address on scim_user (email)`,
    `create table scim_group (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      external_id text,
      display_name text not null,
      display_name_key text not null,
      role text,
      role_id text references role (id),
      priority ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create unique index scim_group_order on scim_group (organization_id, id)`,
    `create index scim_group_external on scim_group (organization_id, external_id)`,
    `create index scim_group_display on scim_group (organization_id, display_name_key)`,
    `create index scim_group_role on scim_group (role_id)`,
    `create table scim_group_member (
      group_id text not null references scim_group (id) on delete cascade,
      user_id text not null references scim_user (id) on delete cascade,
      organization_id text not null,
      primary key (group_id, user_id)
    )${table}`,
    `create index scim_group_member_user on scim_group_member (user_id)`,
    `create index scim_group_member_owner on scim_group_member (organization_id)`,
    `create table scim_setting (
      organization_id text primary key references organization (id) on delete cascade,
      end_keys ${integer} not null
    )${table}`,
  ]
}
