import type { Dialect } from '../engine/engine.ts'

export const name = 'warnings of files'

export function statements(_: Dialect): string[] {
  return ['alter table file add column warnings text']
}
