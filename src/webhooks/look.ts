import type { Clock, Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { DeliveryStore } from './deliveries.ts'
import type { InHand } from './in-hand.ts'
import type { Lease } from './lease.ts'

interface LookDeps {
  clock: Clock
  store: DeliveryStore
  lease: Lease
  inHand: InHand
  /** Whether this worker may look just now. */
  mayLook: () => boolean
  /** Is told when a webhook's first delivery that nobody has claimed is due. */
  notice: (webhookId: Id<'webhook'>, dueAt: Millis) => void
  /** Starts what may start. */
  moveOn: () => void
  /** Keeps an eye on work that nobody waits for. */
  track: (work: Promise<void>) => void
}

/**
 * Finds what crashed workers left, what other processes wrote, and what this one lost sight of; then moves replays on.
 * One look at a time: two would take each other's deliveries for lost ones.
 * @returns looks; while a look is under way, another follows it
 */
export function createLook(deps: LookDeps): () => Promise<void> {
  const { clock, store, lease, inHand, mayLook, notice, moveOn, track } = deps
  let looking: Promise<void> | undefined
  let lookAgain = false

  function look(): Promise<void> {
    if (looking !== undefined) {
      lookAgain = true
      return looking
    }
    looking = lookOnce().finally(() => {
      looking = undefined
      if (lookAgain && mayLook()) track(look())
      lookAgain = false
    })
    return looking
  }

  async function lookOnce(): Promise<void> {
    if (!mayLook()) return
    await store.freeDead(lease.name, clock.now())
    await freeStrays()
    for (const { webhookId, dueAt } of await store.nextDue()) notice(webhookId, dueAt)
    moveOn()
    while (mayLook()) {
      const { webhooks } = await store.stepReplays(clock.now())
      if (webhooks.length === 0) return
      for (const webhookId of webhooks) notice(webhookId, clock.now())
      moveOn()
    }
  }

  async function freeStrays(): Promise<void> {
    const claimer = lease.name
    inHand.beginLook()
    const claimed = await store.claimedBy(claimer)
    if (claimer !== lease.name) return
    const strays = inHand.strays(claimed, clock.now())
    if (strays.length === 0) return
    await store.release(
      claimer,
      strays.map((id) => ({ id })),
    )
  }

  return look
}
