import { HOUR, MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import type { DeliveryJob, DeliverySettlement } from '#src/delivery/attempt/delivery-job.ts'
import { HORIZON } from '#src/delivery/attempt/schedule.ts'
import { type Breaker, circuitBreaker } from '#src/jobs/lanes/circuit-breaker.ts'
import type { Character } from './destinations.ts'
import type { Process } from './process.ts'
import { isAsked, isWanted, newestOf, pairOf } from './replays.ts'
import type { Disk, Row, Webhook } from './store.ts'
import type { World } from './world.ts'

/** The expected state of a lane, from the answers that its process got. */
interface Lane {
  breaker: Breaker
  flying: number
  /** Attempts that went well since it was parked last; undefined while it never was. */
  won: number | undefined
  /** Whether its process owned it when that was looked at last. */
  isOwned: boolean
}

/** After a clock was set back, processes disagree on the end of a lease for at most this time. */
const CLOCKS_AGREE: Millis = HOUR
/** In calm weather a delivery starts this soon after its moment. */
const PROMPT: Millis = 100
/** After this time a parked lane is probed by its owner alone: all workers have read that, and their attempts are over. */
const PROBED_ALONE: Millis = 2 * MINUTE
/** The parked state of a lane is written repeatedly; a state older than this is ignored. */
const PARKED_FOR: Millis = MINUTE
/** Failures after which a lane is left to its owner. */
const LEFT_AFTER = 3
/** After so long all webhooks have the owners that they will have. */
const MOVED: Millis = 90 * SECOND
/** The backlog of the storm is delivered within this time. */
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
  /** The time after the storm within which jobs of crashed processes are claimed again. */
  recovery: Millis
  /** Whether there are so few places that an organization may have a single one. */
  isCrowded: boolean
  /** Whether a process owns a webhook now. */
  isOwner: (process: string, laneId: Id<'webhook'>) => boolean
  /** The time after which the lanes of a crashed process have another owner. */
  takeover: Millis
  /** Whether a webhook's deliveries must start promptly: not those of an organization that uses its share up. */
  isPrompt: (webhook: Webhook) => boolean
  /** Whether the order of deliveries is certain: no clock was set and no answer lost. */
  isOrdered: () => boolean
}

/** Looks at what processes do, and says when a promise is broken. */
export interface Watch {
  /** An attempt starts; again, where a crash has made that necessary. */
  starts(process: Pick<Process, 'name' | 'workerId'>, row: Row, webhook: Webhook, isAgain: boolean): void
  /** A process has crashed, and its attempts with it. */
  crashes(process: string): void
  /** A process may own other webhooks now; it forgets the failures of those that it does not own. */
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
  /** A person has asked for an attempt, so the delivery is due from now on, whether or not a process was notified. */
  retries(row: Row): void
  /** The owner was notified that a person asked for an attempt, and for how long that holds. */
  hurries(row: Row, patience: Millis): void
  /** The storm is over: from here on only destinations fail. */
  calms(): void
  /** Checks the state of the disk. */
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
  /** Webhooks whose deliveries were paused or probed, so that their order may differ. */
  const parked = new Set<Id<'webhook'>>()
  let movedAt = Number.NEGATIVE_INFINITY
  /** The clock's time when each delivery was claimed; the clock may have been set back since. */
  const takenAt = new Map<Id<'delivery'>, Millis>()
  /** When a webhook was last well, by the clocks: that it is parked is not so any more. */
  const wellAt = new Map<Id<'webhook'>, Millis>()
  const settled = new WeakSet<DeliverySettlement>()
  let calmAt = Number.POSITIVE_INFINITY
  /** The same by elapsed time, which setting the clocks does not change. */
  let calmedAt = Number.POSITIVE_INFINITY

  /** A process forgets how a webhook fails when that is another's. */
  function lookAgain(lane: Lane, isOwned: boolean): void {
    if (lane.isOwned && !isOwned) Object.assign(lane, { breaker: circuitBreaker.closed, won: undefined })
    lane.isOwned = isOwned
  }

  function laneOf(process: string, laneId: Id<'webhook'>): Lane {
    const name = `${process} ${laneId}`
    const lane = lanes.get(name) ?? {
      breaker: circuitBreaker.closed,
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
    if (circuitBreaker.isParked(breaker)) {
      if (flying > 1) broken(`${flying} in flight from a parked lane`)
      // A clock that was set back has the pause pass at once, and then comes to it again.
      if (
        !isUrgent(row.id) &&
        world.steady() > 2 * MINUTE &&
        circuitBreaker.heldUntil(breaker, row, now) !== undefined
      )
        broken(`${row.id} is sent in a pause`)
    } else if (won !== undefined && flying > 1 + won) {
      broken(`${flying} in flight after ${won} went well since the lane was parked`)
    }
  }

  /** Whether it was the only waiting delivery of its webhook since it became due; of its organization, where that has one place. */
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

  /** Checks that all processes together make no more attempts of a webhook at once than it takes, without those of removed workers. */
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

  /** Whether a webhook was parked long enough that its owner alone may send to it. */
  function isProbedAlone(laneId: Id<'webhook'>): boolean {
    const lane = disk.lanes.get(laneId)
    const since = Math.max(calmedAt, movedAt) + takeover + PROBED_ALONE
    if (lane?.probedSince == null || world.elapsed() < since) return false
    const isWritten = world.now() - lane.savedAt < PARKED_FOR && (wellAt.get(laneId) ?? 0) < lane.savedAt
    return isWritten && world.now() - lane.probedSince > PROBED_ALONE
  }

  /** Checks that a webhook that takes one at a time gets its deliveries in the order of publication. */
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
    // Deliveries of the storm are not checked: their commit may have reached the disk late.
    if (row.updatedAt < calmAt || due < calmAt + takeover || now - due <= PROMPT) return
    // Nor are deliveries checked that became due while lanes changed their owner.
    if (world.elapsed() - (now - due) < movedAt + MOVED) return
    // The backlog of the storm goes first; after it no delivery may wait.
    const isHealthy = characters.get(row.laneId) === 'healthy' && due > calmAt + takeover + SETTLED
    if (isHealthy && now - due > SECOND) broken(`${row.id} is sent ${now - due} ms late`)
    if (isAlone(row, due)) broken(`${row.id} is alone, and is sent ${now - due} ms late`)
  }

  /** A destination that answers at once leaves time for the last attempt of each delivery, however many wait. */
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
      if (limit > 1 && circuitBreaker.isParked(laneOf(process, laneId).breaker))
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
        // Settled again with its batch after a failed commit: the engine gets the results once.
        if (settled.has(settlement)) continue
        settled.add(settlement)
        const { job, attempt, status } = settlement
        if (attempt === null) {
          checkMissed(job)
          continue
        }
        const lane = laneOf(process, job.laneId)
        lookAgain(lane, worker.isOwner(job.laneId))
        const isReachable = attempt.outcome !== 'retry'
        if (isReachable) wellAt.set(job.laneId, world.now())
        const wasParked = circuitBreaker.isParked(lane.breaker)
        lane.breaker = circuitBreaker.afterAttempt(lane.breaker, {
          id: job.id,
          isReachable,
          isPending: status === 'pending',
          now: world.now(),
        })
        if (lane.breaker.failures >= LEFT_AFTER && !lane.isOwned)
          Object.assign(lane, { breaker: circuitBreaker.closed, won: undefined })
        if (circuitBreaker.isParked(lane.breaker)) parked.add(job.laneId)
        if (!wasParked && circuitBreaker.isParked(lane.breaker)) onParked()
        if (isReachable) lane.won = wasParked ? 1 : lane.won === undefined ? undefined : lane.won + 1
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
      // A delivery with a later moment belongs to the calm part, however the clocks were set.
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
        // Claims of a crashed process wait for its lease, and failed deliveries for their next moment.
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
        // An event with a newer delivery has recovered, or another replay has repeated it.
        for (const [id, newestThen] of replay.sources) {
          const row = disk.rows.get(id)
          if (row === undefined || disk.webhooks.get(row.laneId)?.status === 'deleted') continue
          if (newest.get(pairOf(row))?.id === newestThen) broken(`${replay.id} is completed without ${id}`)
        }
      }
    },
  }
}
