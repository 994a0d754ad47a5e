import { type Clock, type Millis, pause, SECOND, stopwatch } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { createLoop, type Loop } from '../../core/loop.ts'

/** What the fan-out asks of its store. */
export interface FanOutStore {
  /** The next organization after one, in a ring, that has deliveries to be written. */
  next(after: string): Promise<Id<'organization'> | undefined>
  /**
   * Writes the next deliveries of an organization, and how far it has come, in one commit; after it the worker has them.
   * @returns how many; undefined when there are none, or another process writes them just now
   */
  step(organizationId: Id<'organization'>, now: Millis): Promise<number | undefined>
}

interface FanOutDeps {
  store: FanOutStore
  clock: Clock
  log: { error(data: object, message: string): void }
  /** The pause after a step, for other work; `took` is the duration of the step. */
  rest?: (took: Millis) => Promise<void>
}

/** The interval in which steps that another process left are found. */
const POLL: Millis = 2 * SECOND
/** The longest pause after a step; a pause lasts as long as its step. */
const LONGEST_REST: Millis = 100

/**
 * Writes the deliveries that were too many for the commit of their event, in steps. Each step writes the position of its
 * publication as well, so that a crash neither loses nor repeats a delivery, and on PostgreSQL any process may write the next step.
 * When the process stops, the loop ends after the step under way; the next start, or another process, writes the remaining steps.
 */
export function createFanOut({ store, clock, log, rest = restAsLong }: FanOutDeps): Loop {
  /** The organization of the last step. */
  let last = ''

  /** Makes one step of each organization in turn, until a round has written nothing. */
  async function takeTurns(isOver: () => boolean): Promise<void> {
    const idle = new Set<Id<'organization'>>()
    while (!isOver()) {
      const organizationId = await store.next(last)
      if (organizationId === undefined || idle.has(organizationId)) return
      last = organizationId
      const took = stopwatch()
      const written = await store.step(organizationId, clock.now()).catch((error: unknown) => {
        log.error({ err: error, organizationId }, 'fan-out')
        return undefined
      })
      if (written === undefined) idle.add(organizationId)
      else idle.clear()
      await rest(took())
    }
  }

  return createLoop({ clock, every: POLL, run: takeTurns, log, name: 'fan-out' })
}

function restAsLong(took: Millis): Promise<void> {
  return pause(Math.min(took, LONGEST_REST))
}
