import type { Dialect } from '../engine/engine.ts'

export const name = 'waits of runs for files, and who approves'

export function statements({ table }: Dialect): string[] {
  return [
    `create table run_wait (
      run_id text primary key references run (id) on delete cascade,
      file_id text not null
    )${table}`,
    'create index run_wait_file on run_wait (file_id)',
    'alter table run add column file_notes text',
    'alter table step add column approvers text',
  ]
}
