import type { Clock, Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The length of a window in milliseconds, and the bytes sent in one; a notification has room for twice as much. */
const [WINDOW, MOST]: [Millis, number] = [100, 4_000]
/** Room in bytes below which nothing is sent: each piece has a head of some hundred bytes. */
const LEAST = 400

/** The result of sending a notification. */
interface Sent {
  bytes: number
  /** Whether the offer has nothing left to send. */
  isWhole: boolean
}

/** Sends at most `room` bytes of an offer; undefined where it has nothing left to send. */
type SendPiece = (room: number) => Sent | undefined

/** Limits the bytes that a process sends to others about watched runs. */
export interface OutputRate {
  /** Sends an offer as soon as there is room. A later offer with the same `key` replaces it. */
  offer(organizationId: Id<'organization'>, key: string, send: SendPiece): void
  /** Sends the offer under `key` now if this window has room for it, and drops it otherwise. */
  flush(organizationId: Id<'organization'>, key: string): void
  /** Stops sending. */
  stop(): void
}

/**
 * Every process receives every notification, so each sends little per window. Organizations with offers get equal parts
 * of a window; organizations that got none go first in the next one.
 */
export function createOutputRate(clock: Clock): OutputRate {
  const waiting = new Map<Id<'organization'>, Map<string, SendPiece>>()
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
      sendOffers(owner, Math.min(share, left))
    }
  }

  /** Sends the offers of an organization in order; the remaining ones wait behind other organizations. */
  function sendOffers(owner: Id<'organization'>, share: number): void {
    const offers = waiting.get(owner) ?? new Map<string, SendPiece>()
    waiting.delete(owner)
    let room = share
    for (const [key, send] of [...offers]) {
      if (room < LEAST) break
      offers.delete(key)
      const sent = send(room)
      room -= sent?.bytes ?? 0
      if (sent?.isWhole === false) offers.set(key, send)
    }
    left -= share - room
    if (offers.size > 0) waiting.set(owner, offers)
  }

  return {
    offer(organizationId, key, send) {
      const offers = waiting.get(organizationId) ?? new Map<string, SendPiece>()
      waiting.set(organizationId, offers)
      offers.set(key, send)
      if (closeWindow === undefined) open()
    },
    flush(organizationId, key) {
      const offers = waiting.get(organizationId)
      const send = offers?.get(key)
      if (offers === undefined || send === undefined) return
      offers.delete(key)
      if (offers.size === 0) waiting.delete(organizationId)
      // Half of the room: another organization's step may end within the same window.
      if (left / 2 >= LEAST) left -= send(Math.floor(left / 2))?.bytes ?? 0
    },
    stop() {
      closeWindow?.()
      waiting.clear()
    },
  }
}
