import type { Millis } from '../../core/clock.ts'
import { type Job, type Owned, STORE_RETRY } from '../job.ts'
import { type Breaker, type CircuitBreaker, circuitBreaker } from './circuit-breaker.ts'
import { type ConcurrencyLimit, FIRST_LIMIT, limitOf } from './concurrency-limit.ts'
import { bucketOf, nextTokenAt, type TokenBucket, takeToken } from './token-bucket.ts'

/** The remembered state of an idle lane. */
export interface KnownLane {
  concurrency: ConcurrencyLimit
  /** Whether its last attempt reached the destination; false for a lane without an attempt of this process. */
  isProven: boolean
}

/** A lane in memory: the queue of its jobs, urgent ones first, and the limits of their attempts. */
export class Lane<J extends Job = Job> {
  readonly id: J['laneId']
  readonly organizationId: J['organizationId']
  queue: J[] = []
  inFlight = 0
  concurrency: ConcurrencyLimit
  isProven: boolean
  /** The most attempts at once that its destination takes. */
  cap = FIRST_LIMIT
  bucket: TokenBucket = bucketOf(null)
  /** Whether its jobs wait for the token bucket: such jobs are not late. */
  isPaced = false
  breaker: Breaker = circuitBreaker.closed
  /** When the store last failed to prepare an attempt of it. */
  stalledAt: Millis | undefined

  /** @param known undefined for a new lane */
  constructor({ laneId, organizationId }: Owned<J>, known?: KnownLane) {
    this.id = laneId
    this.organizationId = organizationId
    this.concurrency = known?.concurrency ?? limitOf(FIRST_LIMIT)
    this.isProven = known?.isProven ?? false
  }

  /**
   * How many more of its jobs it may attempt now.
   * @param part attempts at once that this worker may make of it
   */
  ready(part: number, { isParked }: CircuitBreaker): number {
    const most = Math.min(isParked(this.breaker) ? 1 : Math.floor(this.concurrency.limit), part)
    return Math.max(0, Math.min(this.queue.length, most - this.inFlight))
  }

  /** Until when its first job waits for the store or for a pause; undefined when it may begin now. */
  heldUntil({ heldUntil }: CircuitBreaker, now: Millis): Millis | undefined {
    const { stalledAt } = this
    // After the clock was set back, a moment of the later time would hold the lane too long.
    if (stalledAt !== undefined && stalledAt <= now && now < stalledAt + STORE_RETRY)
      return stalledAt + STORE_RETRY
    const [first] = this.queue
    return first === undefined || first.isUrgent === true ? undefined : heldUntil(this.breaker, first, now)
  }

  /** Until when its first job waits for the token bucket; undefined when it may begin now. */
  pacedUntil(now: Millis): Millis | undefined {
    return nextTokenAt(this.bucket, now)
  }

  /** Sets the limits of its destination, which jobs and results carry. */
  setTerms({ cap, perSecond }: Partial<Pick<Job, 'cap' | 'perSecond'>>): void {
    this.cap = cap ?? this.cap
    if (perSecond !== undefined) this.bucket = bucketOf(perSecond, this.bucket)
  }

  /** Queues a job behind all others; an urgent one behind the other urgent ones. */
  push(job: J): void {
    this.setTerms(job)
    if (job.isUrgent === true) this.queue.splice(this.#urgent(), 0, job)
    else this.queue.push(job)
  }

  /** Makes a queued job urgent. */
  makeUrgent(id: J['id']): void {
    const job = this.queue.find((one) => one.id === id)
    if (job === undefined || job.isUrgent === true) return
    this.queue.splice(this.queue.indexOf(job), 1)
    job.isUrgent = true
    this.push(job)
  }

  /** Takes out the first job to attempt it. */
  shift(now: Millis): J | undefined {
    const job = this.queue.shift()
    if (job === undefined) return undefined
    this.inFlight += 1
    this.bucket = takeToken(this.bucket, now)
    // It waited for the destination's own rate, so it is not late.
    if (this.isPaced) job.dueAt = Math.max(job.dueAt, now)
    if (this.queue.length === 0) this.isPaced = false
    return job
  }

  /** Puts back a job that the store failed to prepare: first, or first behind the urgent jobs. */
  unshift(job: J, now: Millis): void {
    this.inFlight -= 1
    this.stalledAt = now
    this.queue.splice(job.isUrgent === true ? 0 : this.#urgent(), 0, job)
  }

  /** Takes out some of its jobs. @returns them */
  takeOut(isTaken: (job: J, index: number) => boolean): J[] {
    const taken = this.queue.filter(isTaken)
    if (taken.length > 0) this.queue = this.queue.filter((job, index) => !isTaken(job, index))
    return taken
  }

  /** Whether it may be removed: its limit is remembered (`lane-states.ts`), and its token bucket holds no call. */
  isIdle(now: Millis): boolean {
    const { breaker, inFlight, queue } = this
    return (
      breaker === circuitBreaker.closed &&
      this.pacedUntil(now) === undefined &&
      inFlight === 0 &&
      queue.length === 0
    )
  }

  /** How many jobs at the head of the queue are urgent. */
  #urgent(): number {
    const others = this.queue.findIndex(({ isUrgent }) => isUrgent !== true)
    return others === -1 ? this.queue.length : others
  }
}
