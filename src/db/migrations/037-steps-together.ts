import type { Dialect } from '../engine/engine.ts'

export const name = 'steps that were begun together'

/** Until here only approvals were: those that stand one after the other. */
export function statements({ integer }: Dialect): string[] {
  return [
    `alter table step add column first_seq ${integer}`,
    `update step set first_seq = (
      select max(before.seq) + 1 from step as before
      where before.run_id = step.run_id and before.seq < step.seq and before.kind <> 'approval'
    ) where kind = 'approval'`,
  ]
}
