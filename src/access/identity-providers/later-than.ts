import type { Millis } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'

/**
 * The time of a change of an identity provider. Each change has its own, even if the clock stands still or was set back, because a setup
 * link compares times to find changes by an administrator.
 * @param before the row; undefined: the provider is made
 */
export const laterThan = (
  before: Pick<Tables['identity_provider'], 'updated_at'> | undefined,
  now: Millis,
): Millis => Math.max(now, (before?.updated_at ?? 0) + 1)
