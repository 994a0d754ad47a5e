import type { Dialect } from '../engine/engine.ts'

export const name = 'ends of answers'

export function statements({ integer }: Dialect): string[] {
  return [
    'alter table step add column finish_reason text',
    'alter table step add column retry text',
    `alter table step add column retry_at ${integer}`,
    'alter table step add column provider_message text',
    'alter table run add column finish_reason text',
    `alter table run add column resumed_seq ${integer} not null default 0`,
    'alter table message add column finish_reason text',
  ]
}
