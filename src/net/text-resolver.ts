import type { Clock } from '../core/clock.ts'
import { createSemaphore, type FairLimiter } from '../core/fair-limiter.ts'
import { type AskForTexts, createTextServers, NameError } from './name-servers.ts'

/** Look-ups of one owner under way at once, and how many of its others wait. */
export const MOST_TEXTS_UNDER_WAY = 4
const MOST_WAITING = 100

/**
 * The texts of a name (TXT), asked of the name servers each time: who has just published one does not wait for what is remembered.
 * @param owner the organization in whose share the look-up is
 * @throws NameError where the name servers do not answer, or more wait than can be served in time
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
