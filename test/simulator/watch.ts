import { HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { HORIZON } from '#src/delivery/attempt/retry.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/store/job.ts'
import { afterAttempt, type Breaker, CLOSED, RULES } from '#src/jobs/turns/breaker.ts'
import type { Character } from './destinations.ts'
import type { Process } from './process.ts'
import { isAsked, isWanted, newestOf, pairOf } from './replays.ts'
import type { Disk, Row, Webhook } from './store.ts'
import type { World } from './world.ts'

/** What a lane must be like, told from what its process was told. */
interface Lane {
  breaker: Breaker
  flying: number
  /** Attempts that went well since it was parked last; undefined while it never was. */
  won: number | undefined
  /** Whether its process owned it when that was looked at last. */
  isOwned: boolean
}

/** A clock that is set back makes one lease longer than another process takes it to be; after so long nobody does. */
const CLOCKS_AGREE: Millis = HOUR
/** In calm weather a delivery starts this soon after its moment. */
const PROMPT: Millis = 100
/** A lane that has been parked for so long is probed by its owner alone: all have read that, and what they had under way is over. */
const PROBED_ALONE: Millis = 2 * MINUTE
/** That a lane is parked is written again and again; what is older counts no more. */
const PARKED_FOR: Millis = MINUTE
/** Failures after which a lane is left to its owner. */
const LEFT_AFTER = 3
/** After so long all webhooks have the owners that they will have. */
const MOVED: Millis = 90 * SECOND
/** What waits when the storm ends is gone by then. */
const SETTLED: Millis = MINUTE
/** Once it is due it starts, or has failed, this long after its horizon at the latest, one attempt after the other. */
const LATEST = 10 * MINUTE

/** An attempt under way. */
interface Flight {
  process: string
  workerId: string
  id: Id<'delivery'>
}

interface WatchDeps {
  world: World
  disk: Disk
  characters: Map<Id<'webhook'>, Character>
  /** Ends the run: a promise was broken. */
  broken: (message: string) => Error
  onParked: () => void
  /** After the storm all that a crash left is in hand again within this time. */
  recovery: Millis
  /** Whether there are so few places that an organization may have a single one. */
  isCrowded: boolean
  /** Whether a process owns a webhook now. */
  isOwner: (process: string, laneId: Id<'webhook'>) => boolean
  /** What a process owned that has crashed is another's after so long. */
  takeover: Millis
  /** Whether a webhook's deliveries must start promptly: not those of an organization that uses its share up. */
  isPrompt: (webhook: Webhook) => boolean
  /** Whether nothing has happened yet that may change the order of deliveries: a clock that was set, an answer that was lost. */
  isOrdered: () => boolean
}

/** Looks at what processes do, and says when a promise is broken. */
export interface Watch {
  /** An attempt starts; again, where a crash has made that necessary. */
  starts(process: Pick<Process, 'name' | 'workerId'>, row: Row, webhook: Webhook, isAgain: boolean): void
  /** A process has crashed: nothing of it is under way any more. */
  crashes(process: string): void
  /** A process may own other webhooks than before: of those that it does not it has forgotten how they fail. */
  owns(process: string, isOwned: (laneId: Id<'webhook'>) => boolean): void
  /** A delivery was published, and is in the table since a moment. */
  writes(row: Row, published: Millis): void
  /** Webhooks are about to change their owners. */
  moves(): void
  /** An attempt is over. */
  lands(process: string, deliveryId: Id<'delivery'>): void
  /** A process is about to claim up to so many deliveries of a webhook. */
  asks(process: string, laneId: Id<'webhook'>, limit: number): void
  claims(jobs: DeliveryJob[], now: Millis): void
  /** A delivery was handed over where it was published. */
  takes(row: Row): void
  /** A process has heard that its results are in the table. */
  settles(process: Pick<Process, 'name' | 'worker'>, settlements: DeliverySettlement[]): void
  /** A person has asked for an attempt of a delivery, which is due by that from here on, whoever is told. */
  retries(row: Row): void
  /** The owner is told that a person expects an attempt of a delivery, and for how long. */
  hurries(row: Row, patience: Millis): void
  /** From here on nothing fails but destinations. */
  calms(): void
  /** All that can be told from the disk alone. */
  overdue(): void
  replays(): void
  /** Replays have made a step; before it these were the newest of their events. */
  steps(newest: Map<string, Row>): void
}

export function horizonOf({ horizon }: Row, { resumedAt }: Webhook): Millis {
  return Math.max(horizon, resumedAt === null ? 0 : resumedAt + HORIZON)
}

export function createWatch(deps: WatchDeps): Watch {
  const {
    world,
    disk,
    characters,
    broken,
    onParked,
    recovery,
    takeover,
    isCrowded,
    isPrompt,
    isOrdered,
    isOwner,
  } = deps
  const lanes = new Map<string, Lane>()
  /** Deliveries that were asked for, and when: they wait for no pause, nor under an owner that comes soon after. */
  const urgent = new Map<Id<'delivery'>, Millis>()
  /** Deliveries that were asked for, whether their owner was told or the process crashed before it could. */
  const retried = new Set<Id<'delivery'>>()
  const flights = new Map<Id<'webhook'>, Set<Flight>>()
  /** When deliveries were published, and when they were in the table. */
  const written = new Map<Id<'delivery'>, { published: Millis; at: Millis }>()
  const begun = new Set<Id<'delivery'>>()
  /** Webhooks whose deliveries were held or tried in another order for their destination. */
  const parked = new Set<Id<'webhook'>>()
  let movedAt = Number.NEGATIVE_INFINITY
  /** What the clocks said when a delivery was taken in hand: they may have been set back since. */
  const takenAt = new Map<Id<'delivery'>, Millis>()
  /** When a webhook was last well, by the clocks: that it is parked is not so any more. */
  const wellAt = new Map<Id<'webhook'>, Millis>()
  const settled = new WeakSet<DeliverySettlement>()
  let calmAt = Number.POSITIVE_INFINITY
  /** The same by what has passed, which nobody can set. */
  let calmedAt = Number.POSITIVE_INFINITY

  /** A process forgets how a webhook fails when that is another's. */
  function lookAgain(lane: Lane, isOwned: boolean): void {
    if (lane.isOwned && !isOwned) Object.assign(lane, { breaker: CLOSED, won: undefined })
    lane.isOwned = isOwned
  }

  function laneOf(process: string, laneId: Id<'webhook'>): Lane {
    const name = `${process} ${laneId}`
    const lane = lanes.get(name) ?? {
      breaker: CLOSED,
      flying: 0,
      won: undefined,
      isOwned: isOwner(process, laneId),
    }
    lanes.set(name, lane)
    return lane
  }

  function checkLane(process: string, row: Row, webhook: Webhook, now: Millis): void {
    const { breaker, flying, won } = laneOf(process, webhook.id)
    if (flying > webhook.maxInFlight)
      broken(`${flying} in flight to a webhook that takes ${webhook.maxInFlight}`)
    if (RULES.isParked(breaker)) {
      if (flying > 1) broken(`${flying} in flight from a parked lane`)
      // A clock that was set back has the pause pass at once, and then comes to it again.
      if (
        !isUrgent(row.id) &&
        world.steady() > 2 * MINUTE &&
        RULES.heldUntil(breaker, row, now) !== undefined
      )
        broken(`${row.id} is sent in a pause`)
    } else if (won !== undefined && flying > 1 + won) {
      broken(`${flying} in flight after ${won} went well since the lane was parked`)
    }
  }

  /** Nobody else of its webhook has waited since it became due; nor of its organization, where that has a single place. */
  function isAlone(row: Row, due: Millis): boolean {
    for (const other of disk.rows.values()) {
      const isBeside = isCrowded ? other.organizationId === row.organizationId : other.laneId === row.laneId
      if (!isBeside || other === row) continue
      if (other.status === 'pending' || other.updatedAt >= due) return false
    }
    return true
  }

  function flightsTo(laneId: Id<'webhook'>): Set<Flight> {
    const known = flights.get(laneId) ?? new Set<Flight>()
    flights.set(laneId, known)
    return known
  }

  /** All processes together make no more attempts at once than a webhook takes, beside those of a worker whose name is gone. */
  function checkCap(process: string, workerId: string, { id }: Row, webhook: Webhook): void {
    const theirs = flightsTo(webhook.id)
    const alive = [...theirs].filter((flight) => disk.workers.has(flight.workerId))
    if (alive.length > 0 && isProbedAlone(webhook.id) && !isUrgent(id))
      broken(`${id} is sent by ${workerId} while ${alive.length} are in flight to a webhook that is parked`)
    if (alive.length >= webhook.maxInFlight && world.steady() > CLOCKS_AGREE)
      broken(
        `${alive.length + 1} in flight to a webhook that takes ${webhook.maxInFlight}, over all processes`,
      )
    theirs.add({ process, workerId, id })
  }

  function isUrgent(id: Id<'delivery'>): boolean {
    // The attempt before it may take its longest.
    return world.elapsed() - (urgent.get(id) ?? Number.NEGATIVE_INFINITY) < 2 * takeover + MINUTE
  }

  /** Whether a webhook has been parked for so long that its owner alone may send to it. */
  function isProbedAlone(laneId: Id<'webhook'>): boolean {
    const lane = disk.lanes.get(laneId)
    const since = Math.max(calmedAt, movedAt) + takeover + PROBED_ALONE
    if (lane?.probedSince == null || world.elapsed() < since) return false
    const isWritten = world.now() - lane.savedAt < PARKED_FOR && (wellAt.get(laneId) ?? 0) < lane.savedAt
    return isWritten && world.now() - lane.probedSince > PROBED_ALONE
  }

  /** Of a webhook that takes one at a time, what was in the table before another was published is begun before it. */
  function checkOrder(row: Row, webhook: Webhook): void {
    const mine = written.get(row.id)
    if (webhook.maxInFlight !== 1 || !isOrdered() || parked.has(webhook.id) || retried.has(row.id)) return
    if (mine === undefined || row.attempts > 0) return
    for (const other of disk.rows.values()) {
      const its = written.get(other.id)
      if (other.laneId !== webhook.id || its === undefined || its.at >= mine.published) continue
      if (
        other.status === 'pending' &&
        other.attempts === 0 &&
        !begun.has(other.id) &&
        !retried.has(other.id)
      )
        broken(`${row.id} is begun before ${other.id}, which was in the table when it was published`)
    }
  }

  function checkPromptness(row: Row, webhook: Webhook, due: Millis, now: Millis): void {
    if (!isPrompt(webhook)) return
    // What was on its way to the disk in the storm may have come there late.
    if (row.updatedAt < calmAt || due < calmAt + takeover || now - due <= PROMPT) return
    // Nor what was between two owners.
    if (world.elapsed() - (now - due) < movedAt + MOVED) return
    // What the storm left comes first; then nothing is left.
    const isHealthy = characters.get(row.laneId) === 'healthy' && due > calmAt + takeover + SETTLED
    if (isHealthy && now - due > SECOND) broken(`${row.id} is sent ${now - due} ms late`)
    if (isAlone(row, due)) broken(`${row.id} is alone, and is sent ${now - due} ms late`)
  }

  /** One that answers at once leaves time for the last attempt of each, however many wait for it. */
  function checkMissed({ id, laneId, dueAt }: DeliveryJob): void {
    const isChanged = disk.webhooks.get(laneId)?.changedAt !== 0
    if (dueAt >= calmAt && !isChanged && characters.get(laneId) === 'refusing')
      broken(`${id} was due, and its horizon passed without an attempt`)
  }

  return {
    starts({ name: process, workerId }, row, webhook, isAgain) {
      const now = world.now()
      checkCap(process, workerId, row, webhook)
      if (!isAgain) checkOrder(row, webhook)
      begun.add(row.id)
      if (webhook.status !== 'active' && now > webhook.changedAt)
        broken(`${row.id} is sent while its webhook is ${webhook.status}`)
      if (now > horizonOf(row, webhook)) broken(`${row.id} is sent after its horizon`)
      const lane = laneOf(process, webhook.id)
      lane.flying += 1
      checkLane(process, row, webhook, now)
      if (row.due === null || isAgain) return
      const latest = Math.max(now, takenAt.get(row.id) ?? 0)
      if (latest < row.due) broken(`${row.id} is sent ${row.due - latest} ms before it is due`)
      checkPromptness(row, webhook, row.due, now)
    },
    lands(process, deliveryId) {
      const row = disk.rows.get(deliveryId)
      if (row === undefined) return
      laneOf(process, row.laneId).flying -= 1
      const theirs = flightsTo(row.laneId)
      for (const flight of theirs)
        if (flight.process === process && flight.id === deliveryId) {
          theirs.delete(flight)
          break
        }
    },
    asks(process, laneId, limit) {
      if (limit > 1 && RULES.isParked(laneOf(process, laneId).breaker))
        broken(`${limit} are to be claimed for a parked lane`)
    },
    claims(jobs, now) {
      for (const { id } of jobs) takenAt.set(id, now)
    },
    crashes(process) {
      for (const theirs of flights.values())
        for (const flight of theirs) if (flight.process === process) theirs.delete(flight)
    },
    owns(process, isOwned) {
      for (const [name, lane] of lanes) {
        const [of, laneId] = name.split(' ') as [string, Id<'webhook'>]
        if (of !== process) continue
        lookAgain(lane, isOwned(laneId))
      }
    },
    writes({ id }, published) {
      written.set(id, { published, at: world.elapsed() })
    },
    moves() {
      movedAt = world.elapsed()
    },
    takes({ id, dueAt }) {
      takenAt.set(id, dueAt)
    },
    settles({ name: process, worker }, settlements) {
      for (const settlement of settlements) {
        // Written again with others of its batch, whose writing failed: the engine hears of all of them once.
        if (settled.has(settlement)) continue
        settled.add(settlement)
        const { job, attempt, status } = settlement
        if (attempt === null) {
          checkMissed(job)
          continue
        }
        const lane = laneOf(process, job.laneId)
        lookAgain(lane, worker.isOwner(job.laneId))
        const isHealthy = attempt.outcome !== 'retry'
        if (isHealthy) wellAt.set(job.laneId, world.now())
        const wasParked = RULES.isParked(lane.breaker)
        lane.breaker = afterAttempt(lane.breaker, {
          id: job.id,
          isHealthy,
          isPending: status === 'pending',
          now: world.now(),
        })
        if (lane.breaker.failures >= LEFT_AFTER && !lane.isOwned)
          Object.assign(lane, { breaker: CLOSED, won: undefined })
        if (RULES.isParked(lane.breaker)) parked.add(job.laneId)
        if (!wasParked && RULES.isParked(lane.breaker)) onParked()
        if (isHealthy) lane.won = wasParked ? 1 : lane.won === undefined ? undefined : lane.won + 1
      }
    },
    retries({ id }) {
      retried.add(id)
    },
    hurries({ id, laneId, attempts, status }, patience) {
      urgent.set(id, world.elapsed())
      if (world.now() < calmAt + takeover || status !== 'pending') return
      world.after(patience, () => {
        const row = disk.rows.get(id)
        const isActive = disk.webhooks.get(laneId)?.status === 'active'
        if (isActive && row?.status === 'pending' && row.attempts === attempts)
          broken(`${id} was asked for by a person, and is not attempted`)
      })
    },
    calms() {
      // What has a later moment is of the calm, wherever the clocks were set before.
      calmAt = world.latest()
      calmedAt = world.elapsed()
    },
    overdue() {
      const now = world.now()
      for (const row of disk.rows.values()) {
        const webhook = disk.webhooks.get(row.laneId)
        if (webhook?.status !== 'active' || row.status !== 'pending') continue
        if (now > horizonOf(row, webhook) + LATEST)
          broken(`${row.id} is pending after its horizon, claimed by ${row.claim}`)
        const isHealthy = ['healthy', 'recovering'].includes(characters.get(row.laneId) ?? '')
        if (
          isHealthy &&
          row.claim === null &&
          world.elapsed() - calmedAt > recovery &&
          (row.due ?? 0) > now + HOUR
        )
          broken(`${row.id} waits for a moment of a clock that was wrong`)
        // A crashed process's claims wait for its lease, and what a recovering one has failed for its next moment.
        if (isHealthy && now - calmAt > recovery && now - (row.due ?? 0) > MINUTE)
          broken(`${row.id} to a destination that is well is still pending, claimed by ${row.claim}`)
      }
    },
    steps(newest) {
      for (const row of disk.rows.values()) {
        const before = newest.get(pairOf(row))
        if (row.madeOf === null || before === undefined || row.id <= before.id) continue
        const replay = disk.replays.get(row.madeOf.replay)
        if (replay && !isWanted(replay, before))
          broken(`${row.id} is made again, and ${before.id} is ${before.status}`)
        newest.set(pairOf(row), row)
      }
    },
    replays() {
      const made = new Set<string>()
      for (const { id, madeOf } of disk.rows.values()) {
        if (madeOf === null) continue
        const source = disk.rows.get(madeOf.source)
        const replay = disk.replays.get(madeOf.replay)
        const name = `${madeOf.replay} ${source && pairOf(source)}`
        if (made.has(name)) broken(`${id} is the second that a replay makes of the event of ${madeOf.source}`)
        made.add(name)
        if (source === undefined || replay === undefined || !isAsked(replay, source))
          broken(`${id} is made of a delivery that its replay does not ask for`)
        if (source?.madeOf?.replay === madeOf.replay) broken(`${id} is made of what its own replay made`)
      }
      const newest = newestOf(disk.rows.values())
      for (const replay of disk.replays.values()) {
        if (replay.status !== 'completed') continue
        // What has a newer one by now recovered meanwhile, or was made again by somebody else.
        for (const [id, newestThen] of replay.sources) {
          const row = disk.rows.get(id)
          if (row === undefined || disk.webhooks.get(row.laneId)?.status === 'deleted') continue
          if (newest.get(pairOf(row))?.id === newestThen) broken(`${replay.id} is completed without ${id}`)
        }
      }
    },
  }
}
