import type { Dialect } from '../engine/engine.ts'

export const name = 'endpoint paths'

/** Whose each inbound path is, also after the webhook that had it has another or is deleted. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table endpoint_path (
      path text primary key,
      organization_id text not null,
      created_at ${integer} not null
    )${table}`,
    'create index endpoint_path_organization on endpoint_path (organization_id)',
    `insert into endpoint_path (path, organization_id, created_at)
      select endpoint_path, organization_id, updated_at from webhook where endpoint_path is not null`,
  ]
}
