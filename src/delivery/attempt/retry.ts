import { DAY, MINUTE, type Millis, SECOND } from '../../core/clock.ts'

/** The waits of specification 8; the last one repeats until the horizon (decisions: webhooks, schedule). */
export const WAITS: readonly Millis[] = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE]

/** An attempt may start until 24 hours after the delivery was first due (specification 8); `horizonFloor` and `horizonOf` extend it. */
export const HORIZON: Millis = DAY
