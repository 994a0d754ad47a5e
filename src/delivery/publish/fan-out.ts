import { type Clock, type Millis, pause, repeat, SECOND, stopwatch } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Database, type Tx } from '../../db/database.ts'
import { insertDeliveries } from '../store/delivery-row.ts'
import { findBodies, nextOrganization, takeStep } from './fan-out-store.ts'
import { type Fresh, type Handover, handOver, newDelivery } from './publish.ts'

/**
 * Writes the deliveries that were too many for the commit of their event, in steps. How far each publication has come
 * is written with each step, so that a crash neither loses nor repeats any, and on PostgreSQL any process goes on.
 */
export interface FanOut {
  /** There may be some to write. */
  nudge(): void
  start(): void
  /** Ends after the step under way; the rest waits for the next start, or another process. */
  stop(): Promise<void>
}

interface FanOutDeps {
  database: Database
  handover: Handover
  clock: Clock
  log: { error(data: object, message: string): void }
}

/** What another process has left is found this soon. */
const LOOK: Millis = 2 * SECOND
/** After a step others have their turn for as long as it took, at most this long. */
const LONGEST_REST: Millis = 100

export function createFanOut({ database, handover, clock, log }: FanOutDeps): FanOut {
  let isRunning = false
  let isDue = false
  let working: Promise<void> | undefined
  let cancel = () => {}
  /** Whose turn it was last. */
  let last = ''

  function nudge(): void {
    isDue = true
    if (!isRunning) return
    working ??= workWhileDue()
      .catch((error: unknown) => log.error({ err: error }, 'fan-out'))
      .finally(() => {
        working = undefined
      })
  }

  async function workWhileDue(): Promise<void> {
    while (isDue && isRunning) {
      isDue = false
      await takeTurns()
    }
  }

  /** A step of each organization in turn, until a whole round has written nothing. */
  async function takeTurns(): Promise<void> {
    const idle = new Set<Id<'organization'>>()
    while (isRunning) {
      const organizationId = await nextOrganization(database.db, last)
      if (organizationId === undefined || idle.has(organizationId)) return
      last = organizationId
      const took = stopwatch()
      const hasWritten = await step(organizationId).catch((error: unknown) => {
        log.error({ err: error, organizationId }, 'fan-out')
        return false
      })
      if (hasWritten) idle.clear()
      else idle.add(organizationId)
      await pause(Math.min(took(), LONGEST_REST))
    }
  }

  function step(organizationId: Id<'organization'>): Promise<boolean> {
    return database.tx(async (tx) => {
      const fresh = await write(tx, organizationId)
      if (fresh === undefined) return false
      afterCommit(tx, () => handOver(handover, fresh))
      return true
    })
  }

  async function write(tx: Tx, organizationId: Id<'organization'>): Promise<Fresh[] | undefined> {
    const pairs = await takeStep(tx, database, organizationId)
    if (pairs === undefined) return undefined
    const now = clock.now()
    const written = pairs.map(({ event, webhook }) => ({
      delivery: newDelivery(event, webhook, handover, now),
      hops: event.hops,
      subscriber: { status: webhook.status, maxInFlight: webhook.max_in_flight },
    }))
    const claimed = written.flatMap(({ delivery }) => (delivery.claim_id === null ? [] : [delivery.event_id]))
    const bodyOf = await findBodies(tx, [...new Set(claimed)])
    await insertDeliveries(
      tx,
      written.map(({ delivery }) => delivery),
    )
    return written.map(({ hops, ...one }) => {
      const body = bodyOf.get(one.delivery.event_id) ?? new Uint8Array()
      return { ...one, event: { body, hops } }
    })
  }

  return {
    nudge,
    start() {
      isRunning = true
      cancel = repeat(clock, LOOK, nudge)
      nudge()
    },
    async stop() {
      isRunning = false
      cancel()
      await working
    },
  }
}
