import type { Clock, Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The length of a window, and the bytes sent in one: a notification has room for twice as much. */
const [WINDOW, MOST]: [Millis, number] = [100, 4_000]
/** The least room in bytes that is used: each piece has a head of some hundred bytes. */
const LEAST = 400

/** One notification that was sent. */
interface Sent {
  bytes: number
  /** Whether the offer is sent completely. */
  isWhole: boolean
}

/** Sends at most `room` bytes of an offer; undefined where it has nothing left to send. */
type Tell = (room: number) => Sent | undefined

/** Limits what a process tells the others of the runs of organizations that are watched. */
export interface Pace {
  /** Sends something as soon as there is room. The last offer counts for each `key`. */
  offer(organizationId: Id<'organization'>, key: string, tell: Tell): void
  /** Sends the offer under `key` now if this window has room for it, and drops it otherwise. */
  flush(organizationId: Id<'organization'>, key: string): void
  /** Stops sending. */
  stop(): void
}

/**
 * All processes receive every notification, so each process sends little in a window. Organizations with offers get equal parts
 * of a window; those that got none go first in the next one.
 */
export function createPace(clock: Clock): Pace {
  const waiting = new Map<Id<'organization'>, Map<string, Tell>>()
  let left = MOST
  let closeWindow: (() => void) | undefined

  function open(): void {
    left = MOST
    closeWindow = clock.after(WINDOW, () => {
      closeWindow = undefined
      if (waiting.size > 0) open()
    })
    const owners = [...waiting.keys()]
    for (const [index, owner] of owners.entries()) {
      const share = Math.max(LEAST, Math.floor(left / (owners.length - index)))
      if (left < LEAST) break
      tellOf(owner, Math.min(share, left))
    }
  }

  /** Sends the offers of an organization one after the other; those that do not fit wait behind the other organizations. */
  function tellOf(owner: Id<'organization'>, share: number): void {
    const offers = waiting.get(owner) ?? new Map<string, Tell>()
    waiting.delete(owner)
    let room = share
    for (const [key, tell] of [...offers]) {
      if (room < LEAST) break
      offers.delete(key)
      const sent = tell(room)
      room -= sent?.bytes ?? 0
      if (sent?.isWhole === false) offers.set(key, tell)
    }
    left -= share - room
    if (offers.size > 0) waiting.set(owner, offers)
  }

  return {
    offer(organizationId, key, tell) {
      const offers = waiting.get(organizationId) ?? new Map<string, Tell>()
      waiting.set(organizationId, offers)
      offers.set(key, tell)
      if (closeWindow === undefined) open()
    },
    flush(organizationId, key) {
      const offers = waiting.get(organizationId)
      const tell = offers?.get(key)
      if (offers === undefined || tell === undefined) return
      offers.delete(key)
      if (offers.size === 0) waiting.delete(organizationId)
      // Half of it: another organization's step may end within the same window.
      if (left / 2 >= LEAST) left -= tell(Math.floor(left / 2))?.bytes ?? 0
    },
    stop() {
      closeWindow?.()
      waiting.clear()
    },
  }
}
