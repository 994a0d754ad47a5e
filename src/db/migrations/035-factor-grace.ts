import type { Dialect } from '../engine/engine.ts'

/** How long a member has to add the second factor that is required; null: no time. */
export function statements({ integer }: Dialect): string[] {
  return [`alter table organization add column second_factor_grace ${integer}`]
}
