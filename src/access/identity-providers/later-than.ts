import type { Millis } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'

/**
 * The moment of a change of an identity provider: it has one of its own, by which a setup link tells a change by an administrator from
 * its own, also where the clock stands or was set back.
 * @param before the row; undefined: the provider is made
 */
export const laterThan = (
  before: Pick<Tables['identity_provider'], 'updated_at'> | undefined,
  now: Millis,
): Millis => Math.max(now, (before?.updated_at ?? 0) + 1)
