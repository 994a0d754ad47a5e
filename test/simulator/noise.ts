import { MINUTE } from '#src/core/clock.ts'
import type { JobLimits } from '#src/jobs/lanes/job-shares.ts'
import type { Webhook } from './store.ts'
import type { World } from './world.ts'

/**
 * In every twentieth seed one organization is noisy: many webhooks that answer slowly, far too few places for them, and names that
 * are slow to look up. The deliveries of another organization must not be delayed by it.
 */
export const isNoisy = (seed: number) => seed % 20 === 10

/** Its webhooks. */
export const NOISY_WEBHOOKS = 40
/** The limits of a process in such a seed. */
export const FEW: Partial<JobLimits> = { inFlight: 9, queued: 60, queuedBytes: 400, bytesInFlight: 2_000 }

const TIMES = [MINUTE, 6 * MINUTE, 10 * MINUTE]
const EACH = 3

/** Publishes more than the webhooks take, again and again. */
export function makeNoise(world: World, webhooks: Webhook[], publish: (webhook: Webhook) => void): void {
  for (const moment of TIMES)
    world.after(moment, () => {
      for (let round = 0; round < EACH; round += 1) for (const webhook of webhooks) publish(webhook)
    })
}
