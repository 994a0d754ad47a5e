import type { Dialect } from '../engine/engine.ts'

export const name = 'how destinations were reached'

/** What was tried before keeps its attempts as they were recorded. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    ...['delivery', 'attempt'].flatMap((each) =>
      ['failure', 'reach'].map((column) => `alter table ${each} add column ${column} text`),
    ),
    `alter table webhook add column url_version ${integer} not null default 0`,
    `create table webhook_url (
      webhook_id text not null references webhook (id) on delete cascade,
      version ${integer} not null,
      url text not null,
      primary key (webhook_id, version)
    )${table}`,
  ]
}
