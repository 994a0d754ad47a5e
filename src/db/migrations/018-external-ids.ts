import type { Dialect } from '../engine/engine.ts'

/** Ids that a platform gives to organizations. An organization of an earlier version has none. */
export function statements({ uniqueIndex }: Dialect): string[] {
  return [`alter table organization add column external_id text`, uniqueIndex('organization', 'external_id')]
}
