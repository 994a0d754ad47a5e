/** One row of a process for all that it does, where each of its queues had one. An upgrade begins with every process stopped. */
export function statements(): string[] {
  return [`delete from worker where queue <> 'delivery'`, 'alter table worker drop column queue']
}
