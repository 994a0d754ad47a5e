import type { Dialect } from '../engine/engine.ts'

export const name = 'disabled organizations'

export function statements({ integer }: Dialect): string[] {
  return [
    `alter table organization add column disabled_at ${integer}`,
    // Few organizations have ended; those few are asked for once more, for what was on its way.
    `create index organization_disabled on organization (disabled_at) where disabled_at is not null`,
    `create index organization_deleted on organization (deleted_at) where deleted_at is not null`,
  ]
}
