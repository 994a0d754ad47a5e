import type { Dialect } from '../engine/engine.ts'

/** Columns that name who did or owns something, by account or API key. The ledger is append-only and keeps its ids. */
const ACTORS = {
  agent: 'created_by',
  agent_version: 'created_by',
  api_key: 'created_by',
  audit: 'actor_id',
  checkout: 'created_by',
  connection: 'created_by',
  connection_state: 'actor_id',
  conversation: 'owner_id',
  document: 'created_by',
  file: 'created_by',
  invitation: 'inviter_id',
  knowledge_base: 'created_by',
  mcp_server: 'created_by',
  publisher: 'actor_id',
  run: 'owner_id',
  step: 'decided_by',
}

/** Tables that also record the API key by which the actor acted. */
const WITH_KEY = ['api_key', 'audit', 'connection', 'connection_state', 'invitation']

/** Service accounts, secrets of rotated keys, and sessions ended for one organization. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // What API keys belong to. `key_id` is the API key with which a row was made; null for a person.
    `create table service_account (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      description text,
      owner_id text references account (id) on delete set null,
      created_by text,
      key_id text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      last_used_at ${integer}
    )${table}`,
    `create index service_account_organization on service_account (organization_id, id)`,
    `create index service_account_owner on service_account (owner_id) where owner_id is not null`,
    // An API key becomes the key of a service account with the same UUID, its name, and its maker as the member to ask.
    `insert into service_account
        (id, organization_id, name, owner_id, created_by, created_at, updated_at, last_used_at)
      select 'svc_' || substr(id, 5), organization_id, name,
        (select account_id from membership
          where membership.organization_id = api_key.organization_id and membership.account_id = api_key.created_by),
        created_by, created_at, created_at, last_used_at
      from api_key`,
    `alter table api_key add column service_account_id text references service_account (id) on delete cascade`,
    `update api_key set service_account_id = 'svc_' || substr(id, 5)`,
    `create index api_key_service_account on api_key (service_account_id)`,
    `create index api_key_creator on api_key (created_by)`,
    `alter table api_key add column description text`,
    // JSON list of networks from which the key may come; null: any.
    `alter table api_key add column allowed_addresses text`,
    // Who made the present secret, where that is not the first one.
    `alter table api_key add column rotated_by text`,
    `alter table api_key add column rotated_with text`,
    `alter table api_key add column rotated_at ${integer}`,
    // Earlier secrets of rotated keys, by the hash of the secret.
    `create table api_key_secret (
      key_hash text primary key,
      organization_id text not null references organization (id) on delete cascade,
      api_key_id text not null references api_key (id) on delete cascade,
      hint text not null,
      created_by text,
      key_id text,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      last_used_at ${integer}
    )${table}`,
    `create index api_key_secret_key on api_key_secret (api_key_id)`,
    // Sessions that an administrator has ended for one organization.
    `create table session_exclusion (
      session_id text not null references session (id) on delete cascade,
      organization_id text not null references organization (id) on delete cascade,
      created_at ${integer} not null,
      primary key (session_id, organization_id)
    )${table}`,
    `create index session_exclusion_organization on session_exclusion (organization_id)`,
    ...WITH_KEY.map((name) => `alter table ${name} add column key_id text`),
    ...Object.entries(ACTORS).map(([name, column]) => {
      const withKey = WITH_KEY.includes(name) ? `, key_id = ${column}` : ''
      return `update ${name} set ${column} = 'svc_' || substr(${column}, 5)${withKey} where substr(${column}, 1, 4) = 'key_'`
    }),
    `update service_account set created_by = 'svc_' || substr(created_by, 5), key_id = created_by
      where substr(created_by, 1, 4) = 'key_'`,
    // Stored changes name the earlier owners, so they are deleted and readers read the current state.
    `delete from stream_change`,
    `update stream set floor = last`,
  ]
}
