import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { type Job, STORE_RETRY } from '../job.ts'
import { type Breaker, CLOSED, PARKED_AFTER, PARKED_WITHIN, PAUSES, RULES } from './breaker.ts'
import * as lanes from './lane.ts'
import { FIRST_LIMIT, recalled } from './level.ts'
import { afterCall, withRate } from './rate.ts'

const NOW = 1_795_000_000_000
const CAP = 16

const newLane = () =>
  lanes.createLane({ laneId: newId('webhook', NOW), organizationId: newId('organization', NOW) })

function jobOf({ id: laneId, organizationId }: lanes.Lane, cap = CAP): Job {
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

/** A lane with deliveries in it. */
function filled(count: number, cap = CAP): { lane: lanes.Lane; jobs: Job[] } {
  const lane = newLane()
  const jobs = Array.from({ length: count }, () => jobOf(lane, cap))
  for (const job of jobs) lanes.push(lane, job)
  return { lane, jobs }
}

/** Parked by a delivery that failed just now and goes on. */
const parked = (id: Id<'delivery'> = newId('delivery', NOW)): Breaker => ({
  failures: PARKED_AFTER,
  since: NOW - PARKED_WITHIN,
  until: NOW,
  probes: 0,
  last: { id, endedAt: NOW },
})

/** Whether it may make one more attempt, where this worker has all of it. */
const hasWork = (lane: lanes.Lane<Job>) => lanes.ready(lane, lane.cap, RULES) > 0

describe('a lane', () => {
  it('has work when it has a delivery and may make one more attempt', () => {
    assert.equal(hasWork(newLane()), false)
    const { lane } = filled(10)
    for (let begun = 0; begun < FIRST_LIMIT; begun += 1) {
      assert.equal(hasWork(lane), true)
      lanes.shift(lane, NOW)
    }
    assert.equal(hasWork(lane), false)
    lane.level = { ...lane.level, limit: FIRST_LIMIT + 1.9 }
    assert.equal(hasWork(lane), true)
    lane.cap = FIRST_LIMIT
    assert.equal(hasWork(lane), false)
  })

  it('makes one attempt at a time while it is parked', () => {
    const { lane } = filled(2)
    lane.breaker = parked()
    assert.equal(hasWork(lane), true)
    lanes.shift(lane, NOW)
    assert.equal(hasWork(lane), false)
  })

  it('takes as many at once as the delivery says that came last', () => {
    const lane = newLane()
    lanes.push(lane, jobOf(lane, 3))
    assert.equal(lane.cap, 3)
    lanes.pushUrgent(lane, jobOf(lane, 2))
    assert.equal(lane.cap, 2)
  })

  it('gives nothing when it is empty, and counts no attempt for it', () => {
    const lane = newLane()
    assert.equal(lanes.shift(lane, NOW), undefined)
    assert.equal(lane.inFlight, 0)
  })
})

describe('the pause of a lane', () => {
  it('holds its first delivery until its end', () => {
    const { lane } = filled(1)
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), undefined)
    lane.breaker = parked()
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), NOW + (PAUSES[0] ?? 0))
  })

  it('holds nothing in a lane that is empty', () => {
    const lane = newLane()
    lane.breaker = parked()
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), undefined)
  })

  it('holds nothing that a person asked for, the first that waits included', () => {
    const { lane, jobs } = filled(2)
    lane.breaker = parked()
    lanes.makeUrgent(lane, (jobs[0] as Job).id)
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), undefined)
    assert.equal(lanes.shift(lane, NOW), jobs[0])
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), NOW + (PAUSES[0] ?? 0))
  })

  it('holds what was put back to wait for the store, which nobody had asked for', () => {
    const { lane, jobs } = filled(1)
    lane.breaker = parked()
    lanes.shift(lane, NOW)
    lanes.unshift(lane, jobs[0] as Job, NOW)
    assert.deepEqual([lane.inFlight, lane.queue], [0, jobs])
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), NOW + STORE_RETRY)
    lane.stalledAt = undefined
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), NOW + (PAUSES[0] ?? 0))
  })
})

describe('what a person asks for', () => {
  it('keeps the order of asking where nothing else waits', () => {
    const lane = newLane()
    const asked = [jobOf(lane), jobOf(lane), jobOf(lane)]
    for (const job of asked) lanes.pushUrgent(lane, job)
    assert.deepEqual(lane.queue, asked)
    assert.deepEqual(lanes.unload(lane), [])
  })
})

describe('what was put back to wait for the store', () => {
  it('waits for no pause when a person had asked for it, were it the only one', () => {
    const { lane, jobs } = filled(2)
    const [other, asked] = jobs as [Job, Job]
    lane.breaker = parked()
    lanes.makeUrgent(lane, asked.id)
    assert.equal(lanes.shift(lane, NOW), asked)
    lanes.unshift(lane, asked, NOW)
    lane.stalledAt = undefined
    assert.equal(lanes.waitsUntil(lane, RULES, NOW), undefined)
    assert.deepEqual(lane.queue, [asked, other])
  })

  it('stands behind what a person asked for meanwhile when nobody had asked for it', () => {
    const { lane, jobs } = filled(2)
    const [first, second] = jobs as [Job, Job]
    assert.equal(lanes.shift(lane, NOW), first)
    const asked = jobOf(lane)
    lanes.pushUrgent(lane, asked)
    lanes.unshift(lane, first, NOW)
    assert.deepEqual(lane.queue, [asked, first, second])
  })
})

describe('the rate of a lane', () => {
  it('is what the delivery says that came last, and counts each attempt', () => {
    const { lane, jobs } = filled(1)
    assert.equal(lanes.pacedUntil(lane, NOW), undefined)
    lanes.push(lane, { ...(jobs[0] as Job), perSecond: 1 })
    assert.equal(lanes.pacedUntil(lane, NOW), undefined)
    lanes.shift(lane, NOW)
    assert.equal(lanes.pacedUntil(lane, NOW), NOW + 980)
    lanes.setTerms(lane, { cap: 3 })
    assert.equal(lanes.pacedUntil(lane, NOW), NOW + 980)
    lanes.setTerms(lane, { perSecond: null })
    assert.equal(lanes.pacedUntil(lane, NOW), undefined)
    assert.equal(lane.cap, 3)
  })

  it('makes nothing late: what has waited for it is due when its turn comes', () => {
    const { lane, jobs } = filled(3)
    assert.equal(lanes.shift(lane, NOW + 500)?.dueAt, NOW)
    lane.isPaced = true
    assert.equal(lanes.shift(lane, NOW + 1_000)?.dueAt, NOW + 1_000)
    assert.equal(lane.isPaced, true)
    ;(jobs[2] as Job).dueAt = NOW + 3_000
    assert.equal(lanes.shift(lane, NOW + 2_000)?.dueAt, NOW + 3_000)
    assert.equal(lane.isPaced, false)
  })
})

describe('the level of a lane', () => {
  it('is what every lane begins with, or what it was when it was remembered', () => {
    const owned = { laneId: newId('webhook', NOW), organizationId: newId('organization', NOW) }
    assert.equal(lanes.createLane(owned).level.limit, FIRST_LIMIT)
    assert.equal(lanes.createLane(owned, recalled(57)).level.limit, 57)
  })
})

describe('a lane is forgotten', () => {
  it('when it has nothing: its level is remembered elsewhere', () => {
    const lane = newLane()
    assert.equal(lanes.isIdle(lane, NOW), true)
    lane.level = { ...lane.level, limit: 1 }
    assert.equal(lanes.isIdle(lane, NOW), true)
  })

  const reasons: [string, Partial<lanes.Lane>][] = [
    ['its destination fails', { breaker: parked() }],
    ['its destination has failed once', { breaker: { ...CLOSED, failures: 1 } }],
    ['it takes no more this second', { rate: afterCall(withRate(newLane().rate, 1), NOW) }],
    ['an attempt is under way', { inFlight: 1 }],
    ['a delivery waits in it', { queue: [jobOf(newLane())] }],
  ]
  for (const [reason, change] of reasons)
    it(`not while ${reason}`, () => {
      assert.equal(lanes.isIdle({ ...newLane(), ...change }, NOW), false)
    })
})
