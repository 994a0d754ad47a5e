import type { Dialect } from '../engine/engine.ts'

export const name = 'owners of webhooks'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table shard (
      queue text not null,
      number ${integer} not null,
      owner text,
      generation ${integer} not null,
      primary key (queue, number)
    )${table}`,
    `alter table worker add column retired ${integer} not null default 0`,
  ]
}
