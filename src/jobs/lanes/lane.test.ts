import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { type Job, STORE_RETRY } from '../job.ts'
import { type Breaker, circuitBreaker, PARKING } from './circuit-breaker.ts'
import { FIRST_LIMIT, limitOf } from './concurrency-limit.ts'
import { Lane } from './lane.ts'
import { bucketOf, takeToken } from './token-bucket.ts'

const NOW = 1_795_000_000_000
const CAP = 16

const newLane = () =>
  new Lane<Job>({ laneId: newId('webhook', NOW), organizationId: newId('organization', NOW) })

function jobOf({ id: laneId, organizationId }: Lane<Job>, cap = CAP): Job {
  const id = newId('delivery', NOW)
  const body = new Uint8Array(1)
  const horizon = NOW + DAY
  return {
    laneId,
    organizationId,
    id,
    cap,
    perSecond: null,
    horizon,
    body,
    bytes: 1,
    attempts: 0,
    dueAt: NOW,
  }
}

const urgentOf = (lane: Lane<Job>): Job => ({ ...jobOf(lane), isUrgent: true })

/** A lane with deliveries in it. */
function filled(count: number, cap = CAP): { lane: Lane<Job>; jobs: Job[] } {
  const lane = newLane()
  const jobs = Array.from({ length: count }, () => jobOf(lane, cap))
  for (const job of jobs) lane.push(job)
  return { lane, jobs }
}

/** Parked by a delivery that has just failed and waits for a retry. */
const parked = (id: Id<'delivery'> = newId('delivery', NOW)): Breaker => ({
  failures: PARKING.after,
  since: NOW - PARKING.within,
  until: NOW,
  probes: 0,
  last: { id, endedAt: NOW },
})

/** Whether the lane may make one more attempt, if this worker has its whole limit. */
const hasWork = (lane: Lane<Job>) => lane.ready(lane.cap, circuitBreaker) > 0

describe('a lane', () => {
  it('has work when it has a delivery and may make one more attempt', () => {
    assert.equal(hasWork(newLane()), false)
    const { lane } = filled(10)
    for (let begun = 0; begun < FIRST_LIMIT; begun += 1) {
      assert.equal(hasWork(lane), true)
      lane.shift(NOW)
    }
    assert.equal(hasWork(lane), false)
    lane.concurrency = limitOf(FIRST_LIMIT + 1.9)
    assert.equal(hasWork(lane), true)
    lane.cap = FIRST_LIMIT
    assert.equal(hasWork(lane), false)
  })

  it('makes one attempt at a time while it is parked', () => {
    const { lane } = filled(2)
    lane.breaker = parked()
    assert.equal(hasWork(lane), true)
    lane.shift(NOW)
    assert.equal(hasWork(lane), false)
  })

  it('has the concurrency limit of its newest delivery', () => {
    const lane = newLane()
    lane.push(jobOf(lane, 3))
    assert.equal(lane.cap, 3)
    lane.push({ ...jobOf(lane, 2), isUrgent: true })
    assert.equal(lane.cap, 2)
  })

  it('gives nothing when it is empty, and counts no attempt for it', () => {
    const lane = newLane()
    assert.equal(lane.shift(NOW), undefined)
    assert.equal(lane.inFlight, 0)
  })
})

describe('the pause of a lane', () => {
  it('holds its first delivery until its end', () => {
    const { lane } = filled(1)
    assert.equal(lane.heldUntil(circuitBreaker, NOW), undefined)
    lane.breaker = parked()
    assert.equal(lane.heldUntil(circuitBreaker, NOW), NOW + (PARKING.pauses[0] ?? 0))
  })

  it('holds nothing in a lane that is empty', () => {
    const lane = newLane()
    lane.breaker = parked()
    assert.equal(lane.heldUntil(circuitBreaker, NOW), undefined)
  })

  it('does not hold a job that a person requested, even if it was already first in the queue', () => {
    const { lane, jobs } = filled(2)
    lane.breaker = parked()
    lane.makeUrgent((jobs[0] as Job).id)
    assert.equal(lane.heldUntil(circuitBreaker, NOW), undefined)
    assert.equal(lane.shift(NOW), jobs[0])
    assert.equal(lane.heldUntil(circuitBreaker, NOW), NOW + (PARKING.pauses[0] ?? 0))
  })

  it('holds a delivery that was put back because of the store and that no person requested', () => {
    const { lane, jobs } = filled(1)
    lane.breaker = parked()
    lane.shift(NOW)
    lane.unshift(jobs[0] as Job, NOW)
    assert.deepEqual([lane.inFlight, lane.queue], [0, jobs])
    assert.equal(lane.heldUntil(circuitBreaker, NOW), NOW + STORE_RETRY)
    lane.stalledAt = undefined
    assert.equal(lane.heldUntil(circuitBreaker, NOW), NOW + (PARKING.pauses[0] ?? 0))
  })
})

describe('a job that a person requested', () => {
  it('keeps the order of requests in an empty lane', () => {
    const lane = newLane()
    const asked = [1, 2, 3].map(() => urgentOf(lane))
    for (const job of asked) lane.push(job)
    assert.deepEqual(lane.queue, asked)
  })
})

describe('a job that was put back because of the store', () => {
  it('waits for no pause if a person requested it', () => {
    const { lane, jobs } = filled(2)
    const [other, asked] = jobs as [Job, Job]
    lane.breaker = parked()
    lane.makeUrgent(asked.id)
    assert.equal(lane.shift(NOW), asked)
    lane.unshift(asked, NOW)
    lane.stalledAt = undefined
    assert.equal(lane.heldUntil(circuitBreaker, NOW), undefined)
    assert.deepEqual(lane.queue, [asked, other])
  })

  it('comes after jobs that a person requested in the meantime, if no person requested it', () => {
    const { lane, jobs } = filled(2)
    const [first, second] = jobs as [Job, Job]
    assert.equal(lane.shift(NOW), first)
    const asked = urgentOf(lane)
    lane.push(asked)
    lane.unshift(first, NOW)
    assert.deepEqual(lane.queue, [asked, first, second])
  })
})

describe('the token bucket of a lane', () => {
  it('has the rate of the newest delivery, and counts each attempt', () => {
    const { lane, jobs } = filled(1)
    assert.equal(lane.pacedUntil(NOW), undefined)
    lane.push({ ...(jobs[0] as Job), perSecond: 1 })
    assert.equal(lane.pacedUntil(NOW), undefined)
    lane.shift(NOW)
    assert.equal(lane.pacedUntil(NOW), NOW + 980)
    lane.setTerms({ cap: 3 })
    assert.equal(lane.pacedUntil(NOW), NOW + 980)
    lane.setTerms({ perSecond: null })
    assert.equal(lane.pacedUntil(NOW), undefined)
    assert.equal(lane.cap, 3)
  })

  it('makes no job late: a job that waited for its rate is due at its turn', () => {
    const { lane, jobs } = filled(3)
    assert.equal(lane.shift(NOW + 500)?.dueAt, NOW)
    lane.isPaced = true
    assert.equal(lane.shift(NOW + 1_000)?.dueAt, NOW + 1_000)
    assert.equal(lane.isPaced, true)
    ;(jobs[2] as Job).dueAt = NOW + 3_000
    assert.equal(lane.shift(NOW + 2_000)?.dueAt, NOW + 3_000)
    assert.equal(lane.isPaced, false)
  })
})

describe('the concurrency limit of a lane', () => {
  it('is the first limit in a new lane, and the remembered one in a known lane', () => {
    const owned = { laneId: newId('webhook', NOW), organizationId: newId('organization', NOW) }
    assert.equal(new Lane(owned).concurrency.limit, FIRST_LIMIT)
    const known = new Lane(owned, { concurrency: limitOf(57), isProven: true })
    assert.deepEqual([known.concurrency.limit, known.isProven], [57, true])
  })
})

describe('a lane is idle', () => {
  it('when it has no jobs and no failures, whatever its concurrency limit', () => {
    const lane = newLane()
    assert.equal(lane.isIdle(NOW), true)
    lane.concurrency = limitOf(1)
    assert.equal(lane.isIdle(NOW), true)
  })

  const reasons: [string, Partial<Lane<Job>>][] = [
    ['its destination fails', { breaker: parked() }],
    ['its destination has failed once', { breaker: { ...circuitBreaker.closed, failures: 1 } }],
    ['its rate allows no more in this second', { bucket: takeToken(bucketOf(1), NOW) }],
    ['an attempt is under way', { inFlight: 1 }],
    ['a delivery waits in it', { queue: [jobOf(newLane())] }],
  ]
  for (const [reason, change] of reasons)
    it(`not while ${reason}`, () => {
      assert.equal(Object.assign(newLane(), change).isIdle(NOW), false)
    })
})
