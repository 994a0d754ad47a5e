import { DAY, MINUTE, type Millis, SECOND } from '../../core/clock.ts'

/** The waits of specification 8; the last one repeats until the horizon (decisions: webhooks, schedule). */
export const WAITS: readonly Millis[] = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE]

/** An attempt may start until 24 hours after the delivery was first due (specification 8); `horizonOf` extends it. */
export const HORIZON: Millis = DAY

/** The horizon in the row of a delivery, and the moments from which a delivery has its 24 hours anew. */
interface Due {
  horizon: Millis
  /** When its webhook was last active again; null: never. */
  resumedAt: Millis | null
  /** When its first attempt begins, where it waited for the `maxPerSecond` of its webhook or for a client until then. */
  awaitedAt?: Millis | undefined
}

/** The last moment at which an attempt of a delivery may start. */
export function horizonOf({ horizon, resumedAt, awaitedAt }: Due): Millis {
  const since = [resumedAt, awaitedAt].flatMap((moment) => moment ?? [])
  return Math.max(horizon, ...since.map((moment) => moment + HORIZON))
}
