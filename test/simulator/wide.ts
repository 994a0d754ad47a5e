import type { Millis } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { pairsOf } from './fan-outs.ts'
import type { Power } from './power.ts'
import type { Process, Weather } from './process.ts'
import { pairOf } from './replays.ts'
import type { Report } from './simulate.ts'
import type { Disk, NewId, Row, Webhook } from './store.ts'
import type { Watch } from './watch.ts'
import type { Dice, World } from './world.ts'

/**
 * In every tenth seed one organization publishes events with too many deliveries for one commit: the commit notes the rest, and
 * any process writes it in steps.
 */
export const isWide = (seed: number) => seed % 10 === 2

/** Its webhooks, and deliveries that one step writes. */
export const [WIDE_WEBHOOKS, WIDE_STEP] = [9, 5]
const MOST_EVENTS = 4

interface WideDeps {
  world: World
  dice: Dice
  weather: Weather
  power: Power
  disk: Disk
  newId: NewId
  report: Report
  watch: Watch
  webhooks: Webhook[]
  broken: (message: string) => Error
}

/** Publishes to many webhooks, and records the answers. */
export interface Wide {
  publish(process: Process): void
  /** A delivery was written in a step … */
  writes(id: Id<'delivery'>): void
  /** … and handed over. */
  takes(id: Id<'delivery'>): void
  /** Each pair of an event and a webhook that was answered for has one delivery, or is still to get one. */
  inspect(): void
  /** Checks that all deliveries are written. */
  ends(): void
}

const nameOf = (eventId: Id<'event'>, laneId: Id<'webhook'>) => pairOf({ eventId, laneId } as Row)

export function createWide(deps: WideDeps): Wide {
  const { world, dice, weather, power, disk, newId, report, watch, webhooks, broken } = deps
  const published = new Map<Id<'event'>, Millis>()
  /** Pairs that were answered for and are not in the table. */
  const owed = new Map<string, Id<'webhook'>>()
  const there = new Set<string>()
  let isInspected = true

  return {
    /** As publish.ts does it where none of the deliveries has room in the commit. */
    publish(process) {
      const now = world.now()
      const audience = webhooks.filter(({ status }) => status !== 'deleted').map(({ id }) => id)
      if (audience.length === 0) return
      const events = Array.from({ length: dice.between(1, MOST_EVENTS) }, () => newId('event', now))
      for (const id of events) published.set(id, world.elapsed())
      const id = newId('fanOut', now)
      const organizationId = (webhooks[0] as Webhook).organizationId
      const { cuts } = power
      const isThere = () => process.isAlive && power.isOn && power.cuts === cuts
      world.after(dice.between(0, weather.latency), () => {
        if (!isThere()) return
        power.flush()
        disk.fanOuts.set(id, {
          id,
          organizationId,
          publishedAt: now,
          events,
          webhooks: audience,
          position: 0,
        })
        world.after(dice.between(0, weather.latency), () => {
          if (!isThere() || dice.chance(weather.lostAnswer)) return
          for (const eventId of events)
            for (const laneId of audience) {
              const name = nameOf(eventId, laneId)
              if (!there.has(name)) owed.set(name, laneId)
            }
          isInspected = false
          process.fanOut?.wake()
        })
      })
    },
    writes(id) {
      const row = disk.rows.get(id) as Row
      const name = pairOf(row)
      if (there.has(name)) broken(`${row.id} is the second delivery of one event to its webhook`)
      there.add(name)
      owed.delete(name)
      report.stepped += 1
      isInspected = false
      watch.writes(row, published.get(row.eventId) ?? world.elapsed())
    },
    takes(id) {
      const row = disk.rows.get(id)
      if (row !== undefined) watch.takes(row)
    },
    inspect() {
      if (isInspected) return
      isInspected = true
      const noted = new Set(
        disk.fanOuts.values().flatMap((one) => pairsOf(one).map((pair) => nameOf(...pair))),
      )
      for (const [name, laneId] of owed) {
        if (noted.has(name)) continue
        owed.delete(name)
        if (disk.webhooks.get(laneId)?.status !== 'deleted')
          broken(`${name} was acknowledged, and nothing is left that would write it`)
      }
    },
    ends() {
      for (const { id } of disk.fanOuts.values()) broken(`${id} is still to be written`)
    },
  }
}
