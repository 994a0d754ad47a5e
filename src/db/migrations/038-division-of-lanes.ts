export const name = 'lanes are divided among workers'

/** Every worker sends; who owns the order of a lane follows from the rows of the workers. */
export function statements(): string[] {
  return [
    'drop table shard',
    'drop index webhook_shard',
    'alter table webhook drop column shard',
    'alter table worker add column seen text',
    'alter table worker add column divides text',
    'alter table worker add column draining text',
  ]
}
