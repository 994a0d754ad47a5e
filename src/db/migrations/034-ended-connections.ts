import type { Dialect } from '../engine/engine.ts'

export const name = 'tokens of connections that have ended, until their provider has revoked them'

export function statements({ table, integer }: Dialect): string[] {
  return [
    `create table ended_connection (
      id text primary key,
      organization_id text not null references organization (id),
      provider text not null,
      tokens text not null,
      created_at ${integer} not null
    )${table}`,
  ]
}
