import type { Alarm } from '../../core/alarm.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { type Clock, type Millis, SECOND } from '../../core/clock.ts'
import { runWithoutOwner } from '../../core/context.ts'
import { createRoundRobin } from '../../core/round-robin.ts'
import { type Job, type Owned, STORE_RETRY } from '../job.ts'
import type { Due, JobStore, Want } from '../job-store.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Lease } from '../lease/lease.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { ClaimedJobs } from './claimed-jobs.ts'

/** Lanes and jobs of one statement at most. */
export const [MOST_LANES, MOST_ROWS] = [50, 500]
/** Lanes whose organization and limits are remembered. */
const MOST_OWNERS = 50_000
/** Other workers claim for a lane when its oldest job is this late, because its owner does not keep up. */
const HELPED_AFTER: Millis = SECOND

interface ClaimsDeps<J extends Job> {
  clock: Clock
  store: Pick<JobStore<J>, 'claim' | 'claimNamed' | 'dueOf' | 'release'>
  lease: Pick<Lease, 'name'>
  claimedJobs: Pick<ClaimedJobs<J>, 'beginClaim' | 'endClaim'>
  lanes: Pick<Lanes<J>, 'wanted' | 'isParked'>
  alarm: Pick<Alarm<J['laneId']>, 'set'>
  /** Whether this worker may claim and send. */
  mayWork: () => boolean
  ownership: Pick<Ownership, 'isOwner' | 'partOf'>
  /** Logs errors of work that no caller awaits. */
  track: (work: Promise<void>) => void
}

/**
 * Claims due jobs from the table for the lanes: jobs of many lanes in one statement, one statement at a time. Organizations take
 * turns, and the lanes of each. A worker claims for the lanes that it owns, and for other lanes whose owner is late.
 */
export interface Claims<J extends Job> {
  /** Notes when the next job of a lane in the table is due. */
  notice(due: Due<J>): void
  /** Jobs of lanes may wait in the table, due now or later. */
  wake(lanes: J['laneId'][]): void
  /** New jobs of lanes, due now, were written; older jobs of these lanes are known already. */
  arrived(lanes: J['laneId'][]): void
  /** Claims jobs of a lane where some wait in the table and the lane has room. */
  refill(laneId: J['laneId']): void
  /** As `refill`, for all lanes. */
  refillAll(): void
  /** Claims one job of a lane before all other jobs. */
  claimUrgent(laneId: J['laneId'], id: J['id']): void
  /** Removes the mark that `claimUrgent` has set for a job. @returns whether there was one */
  takeUrgent(id: J['id']): boolean
  /**
   * Whether a new job must wait in the table behind others. During a claim of new jobs only lanes with `cap` 1 must, because otherwise
   * steady load would always pass through the table.
   */
  isBehind(lane: Pick<J, 'laneId' | 'cap'>): boolean
  /**
   * Claims no job of a lane until work is done, then looks for waiting jobs of it. So jobs that are being given back are not
   * overtaken by later ones.
   */
  hold(laneId: J['laneId'], work: Promise<void>): Promise<void>
  /** Sets the only listener of claimed jobs and of claims that end. */
  listen(listener: ClaimsListener<J>): void
}

interface ClaimsListener<J extends Job> {
  /** Gets claimed jobs. */
  onClaimed: (jobs: J[]) => void
  /** Gets the lanes of a claim that has ended, also by an error. */
  onEnded: (lanes: J['laneId'][]) => void
}

/** A lane with due jobs in the table. */
interface Waiting<J extends Job> extends Owned<J>, Pick<Due<J>, 'terms'> {
  /** Whether it waits for its turn to be claimed for. */
  isQueued: boolean
  /** Whether the next due moment must be read after the claim; not where all waiting jobs are new. */
  isToAsk: boolean
}

export function createClaims<J extends Job>(deps: ClaimsDeps<J>): Claims<J> {
  const { clock, store, lease, claimedJobs, lanes, alarm, mayWork, ownership, track } = deps
  let listener: ClaimsListener<J> = { onClaimed: () => {}, onEnded: () => {} }
  const { isOwner } = ownership
  const known = createBoundedMap<J['laneId'], Owned<J> & Pick<Due<J>, 'terms'>>(MOST_OWNERS)
  /** Lanes with due jobs in the table … */
  const waiting = new Map<J['laneId'], Waiting<J>>()
  /** … and the turns of those that have room. */
  const turns = createRoundRobin<J['organizationId'], Waiting<J>>()
  const claiming = new Map<J['laneId'], Waiting<J>>()
  /** Lanes for which no job is claimed now, each with the number of `hold`s under way. */
  const held = new Map<J['laneId'], number>()
  /** Jobs to claim before all others, because a person asked for them or their last due time has come, and their lanes. */
  const urgent = new Map<J['id'], J['laneId']>()
  /** The ids of urgent jobs that have not been claimed yet. */
  const expected = new Set<J['id']>()
  let isUnderWay = false

  function begin(): void {
    if (isUnderWay || (urgent.size === 0 && turns.size === 0) || !mayWork()) return
    isUnderWay = true
    let isOver = false
    const over = () => {
      if (!isOver) isUnderWay = false
      isOver = true
      begin()
    }
    track(runWithoutOwner(() => (urgent.size > 0 ? claimFirst() : claimSome(over))).finally(over))
  }

  /** Whether this worker may claim jobs of a lane: as its owner, or where it has a part of a lane that may be helped. */
  function mayClaim({ laneId, terms }: Pick<Waiting<J>, 'laneId' | 'terms'>): boolean {
    return isOwner(laneId) || (terms !== undefined && ownership.partOf({ laneId, ...terms }) > 0)
  }

  /** Takes the lanes of the next statement, each with its number of jobs. */
  function choose(): Map<J['laneId'], Want<J>> {
    const wants = new Map<J['laneId'], Want<J>>()
    const most = Math.floor(MOST_ROWS / Math.min(turns.size, MOST_LANES))
    while (wants.size < MOST_LANES) {
      const owned = turns.take()
      if (owned === undefined) break
      const { laneId } = owned
      owned.isQueued = false
      if (!mayClaim(owned)) {
        waiting.delete(laneId)
        continue
      }
      const limit = Math.min(lanes.wanted(owned), most)
      if (limit <= 0 || held.has(laneId)) continue
      waiting.delete(laneId)
      claiming.set(laneId, owned)
      wants.set(laneId, { laneId, limit, order: lanes.isParked(laneId) ? 'probe' : 'due' })
    }
    return wants
  }

  async function claimSome(over: () => void): Promise<void> {
    const wants = choose()
    const asked = [...wants.keys()]
    claimedJobs.beginClaim(asked)
    try {
      if (asked.length === 0) return
      const jobs = await take((claimer) => store.claim(claimer, [...wants.values()], clock.now()))
      const brought = Map.groupBy(jobs, ({ laneId }) => laneId)
      const mayHaveMore = (laneId: J['laneId']) => {
        const count = brought.get(laneId)?.length ?? 0
        // Without any job: new jobs are due by the clock of their writer, which may be ahead of this one.
        return count === 0 || count >= (wants.get(laneId)?.limit ?? 0)
      }
      // New jobs of these lanes wait until it is known what else of them is due.
      const left = asked.filter((laneId) => claiming.get(laneId)?.isToAsk || mayHaveMore(laneId))
      if (left.length === 0) return
      for (const laneId of left) Object.assign(claiming.get(laneId) ?? {}, { isToAsk: true })
      // The next claim begins now, so that other lanes do not wait for this question.
      over()
      await identify(left)
    } catch (error) {
      for (const laneId of asked) alarm.set(laneId, clock.now() + STORE_RETRY)
      throw error
    } finally {
      for (const laneId of asked) claiming.delete(laneId)
      claimedJobs.endClaim(asked)
      listener.onEnded(asked)
    }
  }

  async function claimFirst(): Promise<void> {
    const asked = [...urgent].slice(0, MOST_LANES).map(([id, laneId]) => ({ id, laneId }))
    for (const { id } of asked) urgent.delete(id)
    const own = asked.filter(({ laneId }) => isOwner(laneId))
    const { claimNamed } = store
    if (own.length === 0 || claimNamed === undefined) return
    const naming = own.map(({ laneId }) => laneId)
    claimedJobs.beginClaim(naming)
    try {
      await take((claimer) => claimNamed(claimer, own, clock.now()))
    } finally {
      claimedJobs.endClaim(naming)
    }
    listener.onEnded([])
  }

  async function take(claim: (claimer: string) => Promise<J[]>): Promise<J[]> {
    const claimer = lease.name
    const jobs = await claim(claimer)
    const isOurs = claimer === lease.name && mayWork()
    const mayTake = (job: J) => isOurs && ownership.partOf(job) > 0 && !held.has(job.laneId)
    const others = jobs.filter((job) => !mayTake(job))
    listener.onClaimed(jobs.filter(mayTake))
    if (others.length > 0) await store.release(claimer, others)
    return jobs
  }

  function notice({ laneId, organizationId, dueAt, terms }: Due<J>, isToAsk = true): void {
    const now = clock.now()
    if (!isOwner(laneId) && (dueAt > now - HELPED_AFTER || !mayClaim({ laneId, terms }))) return
    // A known lane is not set again, because each poll notices up to a hundred thousand lanes.
    if (known.get(laneId) === undefined) known.set(laneId, { laneId, organizationId, terms })
    if (dueAt > now) {
      alarm.set(laneId, dueAt)
    } else {
      const before = waiting.get(laneId)
      if (before === undefined)
        waiting.set(laneId, { laneId, organizationId, terms, isQueued: false, isToAsk })
      else Object.assign(before, { terms, isToAsk: before.isToAsk || isToAsk })
      refill(laneId)
    }
  }

  function refill(laneId: J['laneId']): void {
    const owned = waiting.get(laneId)
    if (owned === undefined || claiming.has(laneId) || held.has(laneId) || owned.isQueued) return
    if (!mayClaim(owned)) {
      waiting.delete(laneId)
      return
    }
    if (lanes.wanted(owned) <= 0) return
    owned.isQueued = true
    turns.add(owned.organizationId, owned)
    begin()
  }

  /** Reads when the next jobs of some lanes are due, and their organizations. */
  async function identify(asked: J['laneId'][]): Promise<void> {
    for (const due of await store.dueOf(asked)) notice(due)
  }

  function wake(asked: J['laneId'][], isToAsk = true): void {
    const unknown: J['laneId'][] = []
    for (const laneId of asked) {
      if (!isOwner(laneId)) continue
      const lane = known.get(laneId)
      if (lane === undefined) unknown.push(laneId)
      else notice({ ...lane, dueAt: clock.now() }, isToAsk)
    }
    if (unknown.length > 0) track(identify(unknown))
  }

  return {
    notice: (due) => notice(due),
    wake: (asked) => wake(asked),
    arrived: (asked) => wake(asked, false),
    refill,
    refillAll() {
      if (!isUnderWay && urgent.size === 0) expected.clear()
      for (const laneId of waiting.keys()) refill(laneId)
      begin()
    },
    claimUrgent(laneId, id) {
      urgent.set(id, laneId)
      expected.add(id)
      begin()
    },
    takeUrgent: (id) => expected.delete(id),
    isBehind({ laneId, cap }) {
      const claimed = claiming.get(laneId)
      return (
        waiting.has(laneId) ||
        held.has(laneId) ||
        (cap === 1 ? claimed !== undefined : claimed?.isToAsk === true)
      )
    },
    async hold(laneId, work) {
      held.set(laneId, (held.get(laneId) ?? 0) + 1)
      try {
        await work
      } finally {
        const left = (held.get(laneId) ?? 1) - 1
        if (left > 0) held.set(laneId, left)
        else held.delete(laneId)
        wake([laneId])
      }
    },
    listen(one) {
      listener = one
    },
  }
}
