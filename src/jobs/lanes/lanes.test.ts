import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, SECOND } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import { type Job, type Owned, STORE_RETRY } from '../job.ts'
import { ALONE, type Ownership } from '../ownership/ownership.ts'
import { circuitBreaker, PARKING } from './circuit-breaker.ts'
import { FIRST_LIMIT } from './concurrency-limit.ts'
import { createJobShares, JOB_LIMITS, type JobLimits } from './job-shares.ts'
import type { KnownLane } from './lane.ts'
import { createLaneStates, type LaneState } from './lane-states.ts'
import { createLanes, LANE_LENGTH, type Lanes } from './lanes.ts'

const NOW = 1_795_000_000_000

type Organization = Id<'organization'>
type Webhook = Owned<Job>

type Ending = Parameters<Lanes<Job>['done']>[1]

const HEALTHY: Ending = { isReachable: true, isPending: false }
const BADLY: Ending = { isReachable: false, isPending: true }
/** The end of an attempt that called nothing. */
const UNCALLED: Ending = { isReachable: undefined, isPending: false, failure: 'blocked_address' }

const newOrganization = (): Organization => newId('organization', NOW)
const webhookOf = (organizationId: Organization): Webhook => ({
  laneId: newId('webhook', NOW),
  organizationId,
})

function jobOf(webhook: Webhook, more: Partial<Job> = {}): Job {
  return {
    ...webhook,
    id: newId('delivery', NOW),
    attempts: 0,
    dueAt: NOW,
    horizon: NOW + DAY,
    cap: 16,
    perSecond: null,
    bytes: 1,
    body: new Uint8Array(1),
    ...more,
  }
}

/** Lanes, with the reported times until which a lane is held. */
function lanesOf(
  limits: Partial<JobLimits> = {},
  areDestinations = true,
  ownership: Partial<Ownership> = {},
) {
  const held: { laneId: string; until: number }[] = []
  const paced: { laneId: string; until: number }[] = []
  const saved: LaneState[][] = []
  const states = createLaneStates<Job>({
    clock: { now: () => NOW + SECOND, after: () => () => {} },
    store: {
      load: async () => [],
      save: async (some) => void saved.push(some),
      failing: async () => [],
      clear: async () => {},
    },
    ownership: ALONE,
    log: { error: (_, message) => assert.fail(message) },
  })
  const shares = createJobShares(30 * SECOND, limits)
  const lanes = createLanes<Job>({
    onHeld: (laneId, until) => held.push({ laneId, until }),
    onPaced: (laneId, until) => paced.push({ laneId, until }),
    states: areDestinations ? states : undefined,
    shares,
    rules: circuitBreaker,
    ownership: { ...ALONE, ...ownership },
  })
  return { lanes, held, paced, states, saved, shares }
}

/** Starts all attempts that may begin. */
function drain(lanes: Lanes<Job>, now = NOW): Job[] {
  const gone: Job[] = []
  for (let job = lanes.next(now); job !== undefined; job = lanes.next(now)) gone.push(job)
  return gone
}

function fill(lanes: Lanes<Job>, webhook: Webhook, count: number): Job[] {
  const jobs = Array.from({ length: count }, () => jobOf(webhook))
  for (const job of jobs) lanes.add(job, NOW)
  return jobs
}

/** Webhooks of one organization that never answer. */
function tarpits(lanes: Lanes<Job>, organizationId: Organization, count: number): Job[] {
  for (let pit = 0; pit < count; pit += 1) fill(lanes, webhookOf(organizationId), 10)
  return drain(lanes)
}

/** Records one success of a webhook. */
function prove(lanes: Lanes<Job>, webhook: Webhook): void {
  lanes.add(jobOf(webhook), NOW)
  for (const job of drain(lanes)) lanes.done(job, HEALTHY, NOW)
}

/** A webhook that has failed until its lane was parked; its last attempt ended at the answer's `now`. */
function park(lanes: Lanes<Job>, webhook: Webhook): { last: Job; now: number } {
  const last = jobOf(webhook)
  const now = NOW + PARKING.within
  for (let time = 0; time < PARKING.after; time += 1) {
    lanes.add(last, NOW)
    assert.equal(lanes.next(now), last)
    lanes.done(last, BADLY, time === 0 ? NOW : now)
  }
  assert.ok(lanes.isParked(webhook.laneId))
  return { last, now }
}

/** A job that a person requested. */
const urgent = (job: Job): Job => Object.assign(job, { isUrgent: true as const })

const ids = (jobs: Job[]) => jobs.map(({ id }) => id)

describe('the lanes', () => {
  for (const count of [150, 500, 1_200]) {
    it(`let another organization begin at once although ${count} webhooks of one hang`, () => {
      const { lanes, shares } = lanesOf()
      const hostile = tarpits(lanes, newOrganization(), count)
      assert.ok(hostile.length < JOB_LIMITS.inFlight / 2)
      const newcomer = webhookOf(newOrganization())
      const jobs = fill(lanes, newcomer, FIRST_LIMIT)
      assert.deepEqual(drain(lanes), jobs)
      assert.equal(shares.inFlight, hostile.length + FIRST_LIMIT)
    })
  }

  it('of organizations begin with their full concurrency and are never parked by failures', () => {
    const { lanes, shares } = lanesOf({}, false)
    const organization = webhookOf(newOrganization())
    for (let time = 0; time < 2 * PARKING.after; time += 1) {
      const jobs = fill(lanes, organization, FIRST_LIMIT + 1)
      assert.deepEqual(drain(lanes), jobs)
      for (const job of jobs) lanes.done(job, BADLY, NOW + time * PARKING.within)
    }
    assert.ok(!lanes.isParked(organization.laneId))
    assert.equal(shares.inFlight, 0)
  })

  it('let webhooks with a success begin although other webhooks of the organization hang, and webhooks of other organizations too', () => {
    const { lanes } = lanesOf()
    const [own, other] = [newOrganization(), newOrganization()]
    const healthy = [webhookOf(own), webhookOf(own), webhookOf(other)]
    for (const webhook of healthy) prove(lanes, webhook)
    tarpits(lanes, own, 1_200)
    for (const webhook of healthy) lanes.add(jobOf(webhook), NOW)
    assert.deepEqual(
      new Set(drain(lanes).map(({ laneId }) => laneId)),
      new Set(healthy.map(({ laneId }) => laneId)),
    )
  })

  it('leave places for other organizations although all webhooks of one succeed slowly', () => {
    const { lanes } = lanesOf()
    const hostile = newOrganization()
    const slow = Array.from({ length: 500 }, () => webhookOf(hostile))
    for (const webhook of slow) prove(lanes, webhook)
    for (const webhook of slow) fill(lanes, webhook, 10)
    assert.equal(drain(lanes).length, JOB_LIMITS.inFlight / 2 - 10)
    const healthy = webhookOf(newOrganization())
    const [job] = fill(lanes, healthy, 1)
    assert.equal(lanes.next(NOW), job)
  })

  it('report the organizations that wait only for their share, and how many jobs would begin', () => {
    const { lanes, shares } = lanesOf({ inFlight: 40 })
    const [own, other] = [newOrganization(), newOrganization()]
    // A share of 20, and half of it for webhooks that have not answered.
    assert.equal(tarpits(lanes, own, 4).length, 10)
    fill(lanes, webhookOf(other), FIRST_LIMIT + 1)
    const held = 10
    const waiting = new Map([[own, 4 * FIRST_LIMIT - held]])
    assert.deepEqual(
      lanes.load(NOW),
      { most: 40, inFlight: held, waiting },
      'jobs that may begin wait for no share',
    )
    drain(lanes)
    assert.equal(shares.inFlight, held + FIRST_LIMIT, 'the other organization has begun')
    assert.deepEqual(lanes.load(NOW).waiting, waiting)
  })

  it('do not count organizations whose jobs wait only for their webhooks as waiting for a share', () => {
    const { lanes } = lanesOf({ inFlight: 40 })
    const own = newOrganization()
    const [proven, parked, paced] = [webhookOf(own), webhookOf(own), webhookOf(own)]
    prove(lanes, proven)
    const { now } = park(lanes, parked)
    tarpits(lanes, own, 2)
    fill(lanes, proven, 3)
    const slow = [1, 2, 3].map(() => jobOf(paced, { perSecond: 1 }))
    for (const job of slow) lanes.add(job, now)
    lanes.add(jobOf(parked), now)
    assert.deepEqual([...lanes.load(now).waiting], [], '8 of 10 places of webhooks on trial are used')
    drain(lanes, now)
    assert.deepEqual([...lanes.load(now).waiting], [], 'its rate allows no more in this second')
    fill(lanes, webhookOf(own), FIRST_LIMIT)
    drain(lanes, now)
    const loadAt = (at: number) => ({
      inFlight: lanes.load(at).inFlight,
      waiting: [...lanes.load(at).waiting],
    })
    assert.deepEqual(
      loadAt(now),
      { inFlight: 13, waiting: [[own, 3]] },
      'the jobs of the new webhook without a place',
    )
    assert.deepEqual(
      loadAt(now + SECOND),
      { inFlight: 13, waiting: [[own, 5]] },
      'and one job of each webhook whose wait has ended',
    )
  })

  it('end the trial of a webhook with its first success, even if other webhooks on trial are before it', () => {
    const { lanes } = lanesOf()
    const organization = newOrganization()
    const newcomer = webhookOf(organization)
    fill(lanes, newcomer, 10)
    const [first] = drain(lanes) as [Job]
    tarpits(lanes, organization, 1_000)
    lanes.done(first, HEALTHY, NOW)
    const next = drain(lanes).filter(({ laneId }) => laneId === newcomer.laneId)
    // One replaces the ended one, and one more is allowed than before.
    assert.equal(next.length, 2)
  })

  it('put a webhook on trial again after a failure', () => {
    const { lanes } = lanesOf({ inFlight: 40 })
    const organization = newOrganization()
    const fickle = webhookOf(organization)
    prove(lanes, fickle)
    const [job] = fill(lanes, fickle, 1) as [Job]
    assert.equal(lanes.next(NOW), job)
    lanes.done(job, BADLY, NOW)
    assert.equal(tarpits(lanes, organization, 20).length, 10)
    fill(lanes, fickle, 1)
    assert.deepEqual(drain(lanes), [])
  })

  it('learn from an attempt that called nothing only why it failed', () => {
    const { lanes, states } = lanesOf({ inFlight: 40 })
    const organization = newOrganization()
    const uncalled = webhookOf(organization)
    for (const job of [...fill(lanes, uncalled, FIRST_LIMIT)]) {
      assert.equal(lanes.next(NOW), job)
      lanes.done(job, UNCALLED, NOW)
    }
    const { concurrency, isProven, cause } = states.recall(uncalled.laneId) as LaneState & KnownLane
    assert.deepEqual([concurrency.limit, isProven, cause], [FIRST_LIMIT, false, 'blocked_address'])
    assert.equal(tarpits(lanes, organization, 20).length, 10)
    fill(lanes, uncalled, 1)
    assert.deepEqual(drain(lanes), [])
  })

  it('begin another attempt on trial when one has ended', () => {
    const { lanes } = lanesOf()
    const [first] = tarpits(lanes, newOrganization(), 1_000) as [Job]
    lanes.done(first, BADLY, NOW)
    assert.equal(drain(lanes).length, 1)
  })

  it('take turns between organizations, and in each of them between webhooks', () => {
    const { lanes } = lanesOf()
    const [one, other] = [newOrganization(), newOrganization()]
    const [a, b, c] = [webhookOf(one), webhookOf(one), webhookOf(other)]
    for (const webhook of [a, a, a, b, b, b, c, c, c]) lanes.add(jobOf(webhook), NOW)
    assert.deepEqual(
      drain(lanes).map(({ laneId }) => laneId),
      [a, c, b, c, a, c, b, a, b].map(({ laneId }) => laneId),
    )
  })

  it('begin with four attempts at once, add one for each success, and halve them after a failure', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    fill(lanes, webhook, 60)
    const begun = drain(lanes)
    assert.equal(begun.length, FIRST_LIMIT)
    lanes.done(begun.pop() as Job, HEALTHY, NOW)
    begun.push(...drain(lanes))
    assert.equal(begun.length, FIRST_LIMIT + 1)
    lanes.done(begun.pop() as Job, BADLY, NOW)
    assert.deepEqual(drain(lanes), [])
    for (const job of begun.splice(2)) lanes.done(job, { ...HEALTHY, isReachable: undefined }, NOW)
    assert.deepEqual(drain(lanes), [])
    lanes.done(begun.pop() as Job, HEALTHY, NOW)
    assert.equal(begun.length + drain(lanes).length, 3)
  })

  it('never make more attempts at once than the webhook allows, also after a change of its limit', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    for (let index = 0; index < 10; index += 1) lanes.add(jobOf(webhook, { cap: 2 }), NOW)
    const [first, second] = drain(lanes) as [Job, Job]
    assert.deepEqual(drain(lanes), [])
    lanes.done(first, { ...HEALTHY, cap: 1 }, NOW)
    assert.deepEqual(drain(lanes), [])
    lanes.done(second, { ...HEALTHY, cap: 3 }, NOW)
    assert.equal(drain(lanes).length, 3 - 1)
  })

  it('remember the concurrency limit of an empty lane', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    fill(lanes, webhook, FIRST_LIMIT)
    for (const job of drain(lanes)) lanes.done(job, HEALTHY, NOW)
    fill(lanes, webhook, 3 * FIRST_LIMIT)
    const begun = drain(lanes)
    // The limit grew while half of it was in flight.
    assert.equal(begun.length, FIRST_LIMIT + 2)
    for (const job of begun) lanes.done(job, BADLY, NOW)
    assert.equal(drain(lanes).length, 1)
  })

  it('hold jobs beyond the rate of their destination, and report until when', () => {
    const { lanes, held, paced } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const jobs = [1, 2, 3].map(() => jobOf(webhook, { perSecond: 2 }))
    for (const job of jobs) lanes.add(job, NOW)
    assert.deepEqual(drain(lanes), jobs.slice(0, 1))
    assert.deepEqual(paced.at(-1), { laneId: webhook.laneId, until: NOW + 480 })
    assert.deepEqual(held, [])
    // A job that waits for this is not late.
    assert.equal(lanes.oldestDue(), undefined)
    lanes.wake(NOW + 480, [webhook.laneId])
    assert.deepEqual(drain(lanes, NOW + 480), jobs.slice(1, 2))
    lanes.done(jobs[0] as Job, { ...HEALTHY, perSecond: null }, NOW + 480)
    assert.deepEqual(drain(lanes, NOW + 480), jobs.slice(2))
  })

  it('change their limits by the latency of answers, and record their outcomes', () => {
    const { lanes, states } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const answer = { ...HEALTHY, cap: 64 }
    for (let round = 0; round < 30; round += 1) {
      fill(lanes, webhook, 10)
      for (const job of drain(lanes)) lanes.done(job, { ...answer, startedAt: NOW, durationMs: 30 }, NOW)
    }
    const before = states.recall(webhook.laneId)?.concurrency.limit ?? 0
    assert.ok(before > 2 * FIRST_LIMIT)
    for (let round = 0; round < 30; round += 1) {
      fill(lanes, webhook, 64)
      for (const job of drain(lanes)) lanes.done(job, { ...answer, startedAt: NOW, durationMs: 9_000 }, NOW)
    }
    assert.ok((states.recall(webhook.laneId)?.concurrency.limit ?? 0) < before)
  })

  it('note that a lane is parked, and since when', async () => {
    const { lanes, states, saved } = lanesOf()
    const webhook = webhookOf(newOrganization())
    park(lanes, webhook)
    await states.save()
    assert.deepEqual(saved, [
      [
        {
          laneId: webhook.laneId,
          level: 1,
          parkedAt: NOW,
          probeAt: NOW + 3_000,
          failingAt: null,
          cause: null,
        },
      ],
    ])
  })

  it('report neither a lane that is not held nor an unknown lane as held', () => {
    const { lanes, held } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const [job] = fill(lanes, webhook, 1) as [Job]
    const stranger = newId('webhook', NOW)
    lanes.wake(NOW, [stranger])
    assert.equal(lanes.isParked(stranger), false)
    assert.deepEqual(drain(lanes), [job])
    assert.deepEqual(held, [])
    // The job is in flight, so it no longer counts as late.
    assert.equal(lanes.oldestDue(), undefined)
  })

  it('let a failing webhook on trial wait for its turn among the others', () => {
    const { lanes } = lanesOf({ inFlight: 16 })
    const organization = newOrganization()
    const [one, other] = [webhookOf(organization), webhookOf(organization)]
    fill(lanes, other, 2)
    fill(lanes, one, 10)
    const begun = drain(lanes)
    assert.deepEqual(
      begun.map(({ laneId }) => laneId),
      [other, one, other, one].map(({ laneId }) => laneId),
    )
    fill(lanes, webhookOf(organization), 10)
    lanes.done(begun[1] as Job, BADLY, NOW)
    assert.equal(drain(lanes).length, 1)
  })

  it('count only attempts of webhooks without a success as trials', () => {
    const { lanes } = lanesOf({ inFlight: 16 })
    const organization = newOrganization()
    const proven = webhookOf(organization)
    prove(lanes, proven)
    assert.equal(tarpits(lanes, organization, 1).length, 4)
    const { lanes: others } = lanesOf({ inFlight: 16 })
    prove(others, proven)
    fill(others, proven, 4)
    assert.equal(drain(others).length, 4)
    assert.equal(tarpits(others, organization, 1).length, 4)
  })
})

describe('the memory of the lanes', () => {
  it('holds a bounded number of deliveries of a webhook, and fetches many at a time', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    assert.equal(lanes.wanted(webhook), LANE_LENGTH)
    fill(lanes, webhook, LANE_LENGTH / 2)
    assert.equal(lanes.wanted(webhook), LANE_LENGTH / 2)
    fill(lanes, webhook, 1)
    assert.equal(lanes.wanted(webhook), 0)
    assert.equal(lanes.hasRoom({ ...webhook, cap: LANE_LENGTH, perSecond: null }), true)
    fill(lanes, webhook, LANE_LENGTH / 2 - 1)
    assert.equal(lanes.hasRoom({ ...webhook, cap: LANE_LENGTH, perSecond: null }), false)
    drain(lanes)
    assert.equal(lanes.hasRoom({ ...webhook, cap: LANE_LENGTH, perSecond: null }), true)
  })

  it('is shared among organizations, and a webhook without jobs may always queue one', () => {
    const { lanes } = lanesOf({ queued: 80, inFlight: 1 })
    const [one, other] = [newOrganization(), newOrganization()]
    assert.equal(lanes.wanted(webhookOf(one)), 40)
    fill(lanes, webhookOf(one), 20)
    assert.equal(lanes.wanted(webhookOf(one)), 20)
    fill(lanes, webhookOf(one), 20)
    const late = webhookOf(one)
    assert.equal(lanes.wanted(late), 1)
    assert.equal(lanes.wanted(webhookOf(other)), 20)
    fill(lanes, late, 1)
    assert.equal(lanes.wanted(late), 0)
    assert.equal(lanes.hasRoom({ ...late, cap: LANE_LENGTH, perSecond: null }), false)
  })

  it('leaves bodies beyond the share of an organization in the table', () => {
    const { lanes } = lanesOf({ queuedBytes: 100, inFlight: 8 })
    const webhook = webhookOf(newOrganization())
    const jobs = [30, 30, 20, 30].map((bytes) => jobOf(webhook, { bytes, body: new Uint8Array(bytes) }))
    for (const job of jobs) lanes.add(job, NOW)
    assert.deepEqual(
      jobs.map(({ body }) => body?.length),
      [30, undefined, 20, undefined],
    )
    const foreign = jobOf(webhookOf(newOrganization()), { bytes: 25, body: new Uint8Array(25) })
    lanes.add(foreign, NOW)
    assert.equal(foreign.body?.length, 25)
    assert.equal(lanes.next(NOW), jobs[0])
    const next = jobOf(webhook, { bytes: 15, body: new Uint8Array(15) })
    lanes.add(next, NOW)
    assert.equal(next.body?.length, 15)
  })

  it('limits the bytes in flight to the share of an organization, one body at least, and frees them at the end of an attempt', () => {
    const { lanes } = lanesOf({ bytesInFlight: 100 })
    const webhook = webhookOf(newOrganization())
    const jobs = [30, 30, 30, 30].map((bytes) => jobOf(webhook, { bytes }))
    for (const job of jobs) lanes.add(job, NOW)
    assert.deepEqual(drain(lanes), jobs.slice(0, 2))
    const foreign = jobOf(webhookOf(newOrganization()), { bytes: 200 })
    lanes.add(foreign, NOW)
    assert.deepEqual(drain(lanes), [foreign])
    lanes.done(foreign, HEALTHY, NOW)
    lanes.done(jobs[0] as Job, HEALTHY, NOW)
    assert.deepEqual(drain(lanes), [jobs[2]])
  })

  it('counts waiting jobs only, whether they were claimed, requested or put back', () => {
    const { lanes } = lanesOf({ queued: 16 })
    const organization = newOrganization()
    const webhook = webhookOf(organization)
    /** How many jobs another webhook of the organization may queue. */
    const left = () => lanes.wanted(webhookOf(organization))
    assert.equal(left(), 8)
    lanes.add(urgent(jobOf(webhook)), NOW)
    assert.equal(left(), 7)
    const [job] = drain(lanes) as [Job]
    assert.equal(left(), 8)
    lanes.stall(job, NOW)
    assert.equal(left(), 7)
    const later = NOW + STORE_RETRY
    lanes.wake(later)
    assert.equal(lanes.next(later), job)
    lanes.done(job, HEALTHY, later)
    assert.equal(left(), 8)
    park(lanes, webhook)
    fill(lanes, webhook, 3)
    assert.equal(left(), 5)
    assert.equal(lanes.takeExcess(webhook.laneId).length, 2)
    assert.equal(left(), 7)
  })

  it('frees no bytes for a job that was queued without its body', () => {
    const { lanes } = lanesOf({ queuedBytes: 10 })
    const webhook = webhookOf(newOrganization())
    const large = jobOf(webhook, { bytes: 8, body: new Uint8Array(8) })
    lanes.add(large, NOW)
    assert.equal(lanes.next(NOW), large)
    const next = jobOf(webhook, { bytes: 6, body: new Uint8Array(6) })
    lanes.add(next, NOW)
    assert.equal(next.body, undefined)
  })

  it('has limits for the process: 32 MiB of queued bodies, and 64 MiB of bodies in flight', () => {
    assert.deepEqual([JOB_LIMITS.queuedBytes, JOB_LIMITS.bytesInFlight], [33_554_432, 67_108_864])
  })

  it('does not count removed jobs', () => {
    const { lanes } = lanesOf({ queued: 10, queuedBytes: 10 })
    const organization = newOrganization()
    const webhook = webhookOf(organization)
    const jobs = fill(lanes, webhook, 5)
    assert.equal(lanes.wanted(webhookOf(organization)), 1)
    assert.deepEqual(lanes.takeAll(), jobs)
    assert.deepEqual(drain(lanes), [])
    assert.equal(lanes.wanted(webhook), 5)
    const job = jobOf(webhook, { bytes: 5, body: new Uint8Array(5) })
    lanes.add(job, NOW)
    assert.equal(job.body?.length, 5)
    assert.deepEqual(drain(lanes), [job])
  })
})

describe('a lane that is parked', () => {
  const later = (now: number) => now + (PARKING.pauses[0] ?? 0)

  it('holds one delivery, makes one attempt at a time, and waits for the end of its pause', () => {
    const { lanes, held } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { now } = park(lanes, webhook)
    assert.equal(lanes.wanted(webhook), 1)
    const [first, ...others] = fill(lanes, webhook, 3) as [Job, Job, Job]
    assert.equal(lanes.wanted(webhook), 0)
    assert.equal(lanes.hasRoom({ ...webhook, cap: LANE_LENGTH, perSecond: null }), false)
    assert.equal(lanes.next(now), undefined)
    assert.deepEqual(held.at(-1), { laneId: webhook.laneId, until: later(now) })
    assert.deepEqual(lanes.takeExcess(webhook.laneId), others)
    lanes.wake(later(now), [webhook.laneId])
    assert.deepEqual(drain(lanes, later(now)), [first])
    assert.equal(lanes.hasRoom({ ...webhook, cap: LANE_LENGTH, perSecond: null }), false)
    fill(lanes, webhook, 1)
    assert.deepEqual(drain(lanes, later(now)), [])
  })

  it('wakes at the end of its pause, and tries its last delivery again without a pause', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { last, now } = park(lanes, webhook)
    const [other] = fill(lanes, webhook, 1)
    lanes.wake(later(now))
    assert.deepEqual(drain(lanes, later(now)), [other])
    const again = webhookOf(newOrganization())
    const parked = park(lanes, again)
    lanes.add(parked.last, parked.now)
    assert.deepEqual(drain(lanes, parked.now), [parked.last])
    assert.notEqual(last, parked.last)
  })

  it('gives back excess jobs only while it is parked, and never a job that a person requested', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    assert.deepEqual(lanes.takeExcess(webhook.laneId), [])
    park(lanes, webhook)
    const [waits] = fill(lanes, webhook, 1)
    const asked = [jobOf(webhook), jobOf(webhook)]
    for (const job of asked) lanes.add(urgent(job), NOW)
    assert.deepEqual(lanes.takeExcess(webhook.laneId), [waits])
    const open = webhookOf(newOrganization())
    fill(lanes, open, 10)
    assert.deepEqual(lanes.takeExcess(open.laneId), [])
  })

  it('stays parked after attempts that called nothing, and makes one at a time without a pause', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { now } = park(lanes, webhook)
    const jobs = fill(lanes, webhook, 3)
    lanes.wake(later(now))
    for (const job of jobs) {
      assert.deepEqual(drain(lanes, later(now)), [job])
      lanes.done(job, UNCALLED, later(now))
      assert.equal(lanes.isParked(webhook.laneId), true)
    }
  })

  it('closes its breaker with the first success, and then makes two attempts at once', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { last, now } = park(lanes, webhook)
    lanes.add(last, now)
    assert.equal(lanes.next(now), last)
    lanes.done(last, HEALTHY, now)
    assert.equal(lanes.isParked(webhook.laneId), false)
    fill(lanes, webhook, 10)
    assert.equal(drain(lanes, now).length, 2)
  })
})

describe('a job that a person requested', () => {
  it('begins before all others of its webhook, in the order of requests, and waits for no pause', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { now } = park(lanes, webhook)
    const [waits] = fill(lanes, webhook, 1) as [Job]
    const [one, other] = [jobOf(webhook), jobOf(webhook)]
    lanes.add(urgent(one), now)
    lanes.add(urgent(other), now)
    for (const job of [one, other]) {
      assert.equal(lanes.next(now), job)
      assert.equal(lanes.next(now), undefined)
      lanes.done(job, BADLY, now)
    }
    assert.equal(lanes.next(now), undefined)
    lanes.wake(now + SECOND * 60)
    assert.equal(lanes.next(now + SECOND * 60), waits)
  })

  it('moves to the front of the queue in which it already waits', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const jobs = fill(lanes, webhook, 4) as [Job, Job, Job, Job]
    lanes.tryNow(webhook.laneId, jobs[2].id, NOW)
    lanes.tryNow(webhook.laneId, jobs[3].id, NOW)
    lanes.tryNow(webhook.laneId, jobs[2].id, NOW)
    lanes.tryNow(webhook.laneId, newId('delivery', NOW), NOW)
    assert.deepEqual(ids(drain(lanes)), ids([jobs[2], jobs[3], jobs[0], jobs[1]]))
    lanes.tryNow(newId('webhook', NOW), jobs[0].id, NOW)
  })

  it('ends the pause of its lane if the request names no job', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const { now } = park(lanes, webhook)
    const [waits] = fill(lanes, webhook, 1)
    assert.equal(lanes.next(now), undefined)
    lanes.tryNow(webhook.laneId, undefined, now)
    assert.equal(lanes.next(now), waits)
  })
})

describe('a lane whose destination cannot be read from the store', () => {
  it('delays its next attempts by the retry time of the store, in the same order, without a failure of the destination', () => {
    const { lanes, held, shares } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const [first, second] = fill(lanes, webhook, 2) as [Job, Job]
    assert.equal(lanes.next(NOW), first)
    lanes.stall(first, NOW)
    assert.equal(shares.inFlight, 0)
    assert.deepEqual(held.at(-1), { laneId: webhook.laneId, until: NOW + STORE_RETRY })
    assert.deepEqual(drain(lanes, NOW + STORE_RETRY - 1), [])
    lanes.wake(NOW + STORE_RETRY)
    assert.deepEqual(drain(lanes, NOW + STORE_RETRY), [first, second])
  })

  it('keeps jobs that a person requested before all others', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const [waits] = fill(lanes, webhook, 1)
    const asked = [jobOf(webhook), jobOf(webhook)] as [Job, Job]
    for (const job of asked) lanes.add(urgent(job), NOW)
    assert.equal(lanes.next(NOW), asked[0])
    lanes.stall(asked[0], NOW)
    const third = jobOf(webhook)
    lanes.add(urgent(third), NOW)
    lanes.wake(NOW + STORE_RETRY)
    assert.deepEqual(drain(lanes, NOW + STORE_RETRY), [...asked, third, waits])
  })

  it('is not held longer when the clock was set back', () => {
    const { lanes } = lanesOf()
    const [job] = fill(lanes, webhookOf(newOrganization()), 1) as [Job]
    assert.equal(lanes.next(NOW), job)
    lanes.stall(job, NOW)
    lanes.wake(NOW - 1)
    assert.equal(lanes.next(NOW - 1), job)
  })
})

describe('the oldest due moment of the lanes', () => {
  it('is that of their first jobs, except of parked lanes', () => {
    const { lanes } = lanesOf()
    assert.equal(lanes.oldestDue(), undefined)
    const webhook = webhookOf(newOrganization())
    park(lanes, webhook)
    fill(lanes, webhook, 1)
    assert.equal(lanes.oldestDue(), undefined)
    lanes.add(jobOf(webhookOf(newOrganization()), { dueAt: NOW + 5 }), NOW)
    lanes.add(jobOf(webhookOf(newOrganization()), { dueAt: NOW + 3 }), NOW)
    lanes.add(jobOf(webhookOf(newOrganization()), { dueAt: NOW + 4 }), NOW)
    assert.equal(lanes.oldestDue(), NOW + 3)
  })
})

describe('jobs that were taken out of their lanes by id', () => {
  it('leave the other jobs in their order, requested ones first', () => {
    const { lanes } = lanesOf()
    const [webhook, other] = [webhookOf(newOrganization()), webhookOf(newOrganization())]
    const [first, second, third] = fill(lanes, webhook, 3) as [Job, Job, Job]
    const [elsewhere] = fill(lanes, other, 1) as [Job]
    const asked = [jobOf(webhook), jobOf(webhook)] as [Job, Job]
    for (const job of asked) lanes.add(urgent(job), NOW)
    assert.deepEqual(
      new Set(lanes.queued()),
      new Set([...asked, first, second, third, elsewhere].map(({ id }) => id)),
    )
    assert.deepEqual(lanes.takeNamed(new Set()), [])
    assert.deepEqual(lanes.takeNamed(new Set([asked[0].id, second.id, elsewhere.id])), [
      asked[0],
      second,
      elsewhere,
    ])
    assert.deepEqual(
      lanes.queued(),
      [asked[1], first, third].map(({ id }) => id),
    )
    const late = jobOf(webhook)
    lanes.add(urgent(late), NOW)
    assert.deepEqual(drain(lanes), [asked[1], late, first, third])
    assert.deepEqual(lanes.queued(), [])
  })

  it('use no place in the memory', () => {
    const { lanes } = lanesOf({ queued: 4 })
    const webhook = webhookOf(newOrganization())
    const jobs = fill(lanes, webhook, 2)
    const room = lanes.wanted(webhook)
    lanes.takeNamed(new Set(jobs.map(({ id }) => id)))
    assert.equal(lanes.wanted(webhook), room + 2)
  })
})

describe('a lane that several workers share', () => {
  it('holds twice the part of this worker in memory, at most the length of a lane', () => {
    let part = 5
    const { lanes } = lanesOf({}, true, { partOf: () => part })
    const webhook = webhookOf(newOrganization())
    const terms = { cap: 16, perSecond: null }
    const wanted = (some?: typeof terms) => lanes.wanted({ ...webhook, terms: some })
    assert.deepEqual([wanted(terms), wanted()], [10, LANE_LENGTH])
    part = LANE_LENGTH
    assert.equal(wanted(terms), LANE_LENGTH)
    part = 5
    fill(lanes, webhook, 3)
    assert.deepEqual([wanted(terms), wanted()], [7, 7])
    fill(lanes, webhook, 7)
    assert.equal(lanes.hasRoom({ ...webhook, ...terms }), false)
    part = 6
    assert.equal(lanes.hasRoom({ ...webhook, ...terms }), true)
  })

  it('gives up its jobs if only other workers may send, and no other lane does', () => {
    const others = webhookOf(newOrganization())
    let isOthers = false
    const { lanes } = lanesOf({}, true, {
      partOf: ({ laneId, cap }) => (isOthers && laneId === others.laneId ? 0 : cap),
    })
    const own = fill(lanes, webhookOf(newOrganization()), 2)
    const jobs = fill(lanes, others, 2)
    assert.deepEqual([lanes.takeOthers(), lanes.takeExcess(others.laneId)], [[], []])
    isOthers = true
    assert.deepEqual(lanes.takeOthers(), jobs)
    assert.deepEqual(lanes.takeOthers(), [])
    const late = fill(lanes, others, 2)
    assert.deepEqual(lanes.takeExcess(others.laneId), late)
    assert.deepEqual(lanes.queued(), ids(own))
  })

  it('is left to its owner after three failures in a row, and never parked by another worker', () => {
    const left: string[] = []
    const leave = (laneId: string) => void left.push(laneId)
    for (const isOwner of [true, false]) {
      const { lanes } = lanesOf({}, true, { isOwner: () => isOwner, leave })
      const webhook = webhookOf(newOrganization())
      const job = jobOf(webhook)
      const counts = Array.from({ length: 2 * PARKING.after }, (_, time) => {
        lanes.add(job, NOW)
        lanes.next(NOW + DAY)
        lanes.takeNamed(new Set([job.id]))
        lanes.done(job, BADLY, NOW + time * SECOND)
        return left.length
      })
      assert.equal(lanes.isParked(webhook.laneId), isOwner)
      assert.deepEqual(counts.slice(0, 6), isOwner ? [0, 0, 0, 0, 0, 0] : [0, 0, 1, 1, 1, 2])
      if (isOwner) continue
      assert.deepEqual(new Set(left), new Set([webhook.laneId]))
      fill(lanes, webhook, 3)
      assert.equal(drain(lanes, NOW + DAY).length, 1)
    }
  })
})

describe('forgetting lanes', () => {
  it('removes the pause, the limit and the failure of the store of these lanes only', () => {
    const left: string[] = []
    const { lanes } = lanesOf({}, true, { leave: (laneId) => void left.push(laneId) })
    const [webhook, other, stalled] = Array.from({ length: 3 }, () => webhookOf(newOrganization())) as [
      Webhook,
      Webhook,
      Webhook,
    ]
    park(lanes, webhook)
    park(lanes, other)
    const [job] = fill(lanes, stalled, 1) as [Job]
    assert.equal(lanes.next(NOW), job)
    lanes.stall(job, NOW)
    lanes.forget((laneId) => laneId !== other.laneId, NOW)
    assert.deepEqual(left, [webhook.laneId])
    assert.deepEqual([lanes.isParked(webhook.laneId), lanes.isParked(other.laneId)], [false, true])
    lanes.wake(NOW)
    assert.deepEqual(drain(lanes), [job])
    const jobs = fill(lanes, webhook, FIRST_LIMIT + 1)
    assert.deepEqual(drain(lanes), jobs.slice(0, FIRST_LIMIT))
  })
})

describe('emptying one lane', () => {
  it('takes its jobs and no others, and none of an unknown lane', () => {
    const { lanes } = lanesOf()
    const webhook = webhookOf(newOrganization())
    const others = fill(lanes, webhookOf(newOrganization()), 2)
    const jobs = fill(lanes, webhook, 2)
    assert.deepEqual(lanes.takeAll(webhook.laneId), jobs)
    const unknown = webhookOf(newOrganization()).laneId
    assert.deepEqual([lanes.takeAll(unknown), lanes.takeExcess(unknown)], [[], []])
    lanes.wake(NOW, [unknown])
    assert.deepEqual(lanes.queued(), ids(others))
  })
})
