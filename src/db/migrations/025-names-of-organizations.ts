import type { Dialect } from '../engine/engine.ts'

export const name = 'names of organizations'

/**
 * What belongs to an organization is written while somebody else renames or deletes it: whoever has its credits or a job in
 * hand does so, and would wait for the one who waits for them.
 */
export function statements({ notReferable }: Dialect): string[] {
  return notReferable('organization', 'name')
}
