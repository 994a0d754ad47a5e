import { type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { HORIZON } from '#src/delivery/attempt/schedule.ts'
import type { DeliveryWorker } from '#src/delivery/delivery-worker.ts'
import type { Bug } from './bugs.ts'
import type { Power } from './power.ts'
import type { Process, Weather } from './process.ts'
import { again, newestOf, orderAfter, pairOf } from './replays.ts'
import type { Report } from './simulate.ts'
import { bodyOf, type Disk, type NewId, type Row, type Webhook } from './store.ts'
import type { Watch } from './watch.ts'
import type { Dice, World } from './world.ts'

interface PublishingDeps {
  world: World
  dice: Dice
  weather: Weather
  power: Power
  disk: Disk
  newId: NewId
  watch: Watch
  report: Report
  /** Deliveries that a destination has taken in. */
  taken: Set<Id<'delivery'>>
  broken: (message: string) => Error
  bug: Bug | undefined
  /** Tells all other processes. */
  tell: (from: Process, what: (other: DeliveryWorker) => void) => void
}

/** Publishes and retries, and records the answers. */
export interface Publishing {
  /** Publishes an event, to one webhook or to its random subscribers. */
  publish(process: Process, only?: Webhook): void
  /** Retries a delivery of any status by hand. */
  retry(process: Process): void
  /** Checks that acknowledged deliveries exist, in a promised state. */
  inspect(): void
}

/** The longest wait for a requested attempt in calm weather: two attempts under way, then the requested one. */
const PATIENCE: Millis = 100 * SECOND

export function createPublishing(deps: PublishingDeps): Publishing {
  const { world, dice, weather, power, disk, newId, watch, report, taken, broken, bug, tell } = deps
  /** With the attempts on record when it was looked at last; -1 before. */
  const acknowledged = new Map<Id<'delivery'>, number>()
  const ended: Id<'delivery'>[] = []

  function born(webhook: Webhook, eventId: Id<'event'>, now: Millis): Row {
    return {
      id: newId('delivery', now),
      laneId: webhook.id,
      organizationId: webhook.organizationId,
      eventId,
      attempts: 0,
      dueAt: now,
      horizon: now + HORIZON,
      cap: webhook.maxInFlight,
      perSecond: webhook.maxPerSecond,
      body: bodyOf(eventId),
      bytes: bodyOf(eventId).length,
      hops: 0,
      status: 'pending',
      reason: null,
      due: now,
      claim: null,
      recorded: [],
      updatedAt: now,
      sample: false,
      madeOf: null,
    }
  }

  /** One way to the disk and back, during which the process may crash and the answer get lost. */
  function commit(process: Process, write: () => void, then: () => void): void {
    const { cuts } = power
    const isThere = () => process.isAlive && power.isOn && power.cuts === cuts
    world.after(dice.between(0, weather.latency), () => {
      if (!isThere()) return
      power.flush()
      write()
      world.after(dice.between(0, weather.latency), () => {
        if (isThere() && !dice.chance(weather.lostAnswer)) then()
      })
    })
  }

  return {
    /** As publish.ts does it: rows and claims in one commit, the handover after it, the answer last. */
    publish(process, only) {
      const now = world.now()
      const published = world.elapsed()
      const eventId = newId('event', now)
      const rows = [...disk.webhooks.values()]
        .filter((webhook) =>
          only === undefined
            ? webhook.status !== 'deleted' && dice.chance(webhook.appetite)
            : webhook === only,
        )
        .map((webhook) => {
          const row = born(webhook, eventId, now)
          if (webhook.status === 'active') row.claim = process.worker.claimFor(row) ?? null
          return row
        })
      report.deliveries += rows.length
      const acknowledge = () => {
        for (const { id } of rows) acknowledged.set(id, -1)
      }
      if (bug === 'acknowledged before the commit') acknowledge()
      commit(
        process,
        () => {
          for (const row of rows) {
            disk.rows.set(row.id, { ...row })
            watch.writes(row, published)
          }
          power.tempt()
          if (bug !== 'acknowledged before the flush') return
          power.relax(() => {
            for (const { id } of rows) disk.rows.delete(id)
          })
        },
        () => {
          acknowledge()
          for (const row of rows) watch.takes(row)
          process.worker.accept(
            rows.flatMap((row) => (row.claim === null ? [] : [{ job: { ...row }, claimer: row.claim }])),
            rows.flatMap((row) => (row.claim === null ? [row.laneId] : [])),
          )
        },
      )
    },

    /** As delivery-routes.ts does it. */
    retry(process) {
      const rows = [...disk.rows.values()].filter((row) => disk.webhooks.get(row.laneId)?.appetite !== 0)
      if (rows.length === 0) return
      const { id, laneId } = dice.pick(rows)
      let retried: Row | undefined
      commit(
        process,
        () => {
          const row = disk.rows.get(id)
          const webhook = disk.webhooks.get(laneId)
          if (row === undefined || webhook?.status === 'deleted') return
          watch.retries(row)
          const now = world.now()
          if (row.status !== 'pending') {
            const order = orderAfter(newestOf(disk.rows.values()).get(pairOf(row)), now)
            retried = again(row, newId('delivery', order), now)
            disk.rows.set(retried.id, retried)
            watch.retries(retried)
          } else if (row.claim === null) {
            row.due = now
            row.updatedAt = now
            // A copy of the present state: the attempt may begin before the caller has its answer.
            retried = { ...row }
          }
        },
        () => {
          if (retried === undefined) return
          world.note(`${process.name} is asked for ${retried.id.slice(-6)} at once`)
          const { id: first } = retried
          watch.hurries(retried, PATIENCE)
          process.worker.tryNow(laneId, first)
          if (!process.worker.isOwner(laneId)) tell(process, (other) => other.tryNow(laneId, first))
        },
      )
    },

    inspect() {
      for (const [id, seen] of acknowledged) {
        const row = disk.rows.get(id)
        if (row === undefined) throw broken(`${id} was acknowledged and is lost`)
        if (row.status === 'pending' && row.recorded.length === seen) continue
        if (row.status === 'failed' && row.reason === null) throw broken(`${id} failed without a reason`)
        if (row.status === 'delivered' && !taken.has(id))
          throw broken(`${id} is delivered, and its destination never took it`)
        if (row.status === 'failed' && (row.reason === 'http_401' || row.reason === 'http_403'))
          throw broken(`${id} is refused by a receiver that holds a live secret`)
        if (row.recorded.length === seen) continue
        acknowledged.set(id, row.recorded.length)
        if (new Set(row.recorded).size !== row.recorded.length)
          throw broken(`${id} has two records of one attempt`)
        // Ended deliveries do not change, so only open ones are checked again.
        if (row.status !== 'pending') ended.push(id)
      }
      for (const id of ended.splice(0)) acknowledged.delete(id)
    },
  }
}
