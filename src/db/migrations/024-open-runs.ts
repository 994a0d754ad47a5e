export const name = 'open runs'

/** Each run that is accepted counts those of its organization that have not ended: without those that have, however many. */
export function statements(): string[] {
  return [`create index run_open on run (organization_id) where status in ('queued', 'running', 'waiting')`]
}
