import type { Clock } from '../core/clock.ts'
import { createSemaphore, type FairLimiter } from '../core/fair-limiter.ts'
import { type AskForTexts, createTextServers, NameError } from './name-servers.ts'

/** Look-ups of one owner in flight, and how many further ones wait. */
export const MOST_TEXTS_UNDER_WAY = 4
const MOST_WAITING = 100

/**
 * The TXT records of a name, without a cache, so that a newly published one is found at once.
 * @param owner the organization whose share the look-up uses
 * @throws NameError where the name servers do not answer, or more look-ups wait than can finish in time
 */
export type LookUpTexts = (name: string, owner: string) => Promise<string[]>

export function createTextResolver({
  clock,
  ask = createTextServers(clock),
}: {
  clock: Clock
  ask?: AskForTexts
}): LookUpTexts {
  const shares = new Map<string, FairLimiter<void>>()
  return async (name, owner) => {
    const share = shares.get(owner) ?? createSemaphore(MOST_TEXTS_UNDER_WAY)
    shares.set(owner, share)
    if (share.waiting >= MOST_WAITING) throw new NameError(`too many names wait before ${name}`)
    try {
      return await share.use(undefined, () => ask(name))
    } finally {
      if (share.busy === 0 && share.waiting === 0) shares.delete(owner)
    }
  }
}
