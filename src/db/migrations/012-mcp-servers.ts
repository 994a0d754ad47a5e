import type { Dialect } from '../engine/engine.ts'

export const name = 'mcp-servers'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table mcp_server (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      name text not null,
      url text not null,
      headers text,
      header_names text not null,
      connection_id text,
      required ${integer} not null,
      listed text,
      accepted text,
      version ${integer} not null,
      failure text,
      checked_at ${integer},
      created_by text not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      unique (organization_id, name)
    )${table}`,
  ]
}
