import { type Clock, type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { Send } from '#src/delivery/attempt/send.ts'
import { createResolver } from '#src/net/resolver.ts'
import type { Bug } from './bugs.ts'
import type { World } from './world.ts'

/** Look-ups of one organization under way at once: fewer than the noisy one has attempts. */
const FEW = 2
/** How long the name servers of the noisy one take. */
const SLOW: Millis = 4 * SECOND

/** The organization whose names are slow to look up. */
export interface SlowNames {
  organizationId: Id<'organization'>
  /** Ends the run: a promise was broken. */
  broken: (message: string) => Error
}

/**
 * Sends with a look-up before it, by the real resolver. Only the names of one organization are slow, so a look-up of another
 * that waits has waited for these.
 */
export function withNames(
  send: Send,
  { organizationId: noisy, broken }: SlowNames,
  parts: { world: World; clock: Clock; wait: (delay: Millis) => Promise<unknown>; bug: Bug | undefined },
): Send {
  const { world, clock, wait, bug } = parts
  const resolve = createResolver({
    clock,
    most: FEW,
    hosts: () => undefined,
    async ask(name) {
      await wait(name.startsWith('slow') ? SLOW : 0)
      return { addresses: [], lifetime: 0 }
    },
  })
  return async (target, letter) => {
    const { organizationId, deliveryId } = letter
    const isSlow = organizationId === noisy
    const begun = world.elapsed()
    const owner = bug === 'one share of names' ? 'all' : organizationId
    const known = resolve(`${isSlow ? 'slow' : 'quick'}-${deliveryId}.test`, owner)
    // Its own attempts do not wait for it here: how long they take is said by its destinations.
    if (isSlow) known.catch(() => {})
    else await known
    if (!isSlow && world.elapsed() !== begun) throw broken(`${deliveryId} waits for the names of another`)
    return send(target, letter)
  }
}
