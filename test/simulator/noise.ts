import { MINUTE } from '#src/core/clock.ts'
import type { Limits } from '#src/jobs/turns/room.ts'
import type { Webhook } from './store.ts'
import type { World } from './world.ts'

/**
 * In every twentieth seed one organization is at its worst: many webhooks that answer well and slowly, for all of which
 * there are far too few places, and whose names are slow to look up. Another one, which has nothing else, must not notice.
 */
export const isNoisy = (seed: number) => seed % 20 === 10

/** Its webhooks. */
export const NOISY_WEBHOOKS = 40
/** What one process may have in hand then. */
export const FEW: Limits = { places: 9, jobs: 60, waitingBytes: 400, flyingBytes: 2_000 }

const TIMES = [MINUTE, 6 * MINUTE, 10 * MINUTE]
const EACH = 3

/** Publishes more than the webhooks take, again and again. */
export function makeNoise(world: World, webhooks: Webhook[], publish: (webhook: Webhook) => void): void {
  for (const moment of TIMES)
    world.after(moment, () => {
      for (let round = 0; round < EACH; round += 1) for (const webhook of webhooks) publish(webhook)
    })
}
