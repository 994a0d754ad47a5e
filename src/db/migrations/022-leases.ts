/**
 * Leaves one lease per process instead of one per queue. All processes must be stopped during this upgrade.
 */
export function statements(): string[] {
  return [`delete from worker where queue <> 'delivery'`, 'alter table worker drop column queue']
}
