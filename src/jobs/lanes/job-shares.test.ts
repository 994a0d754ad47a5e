import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, SECOND } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Job } from '../job.ts'
import { createJobShares, JOB_LIMITS, type JobShares } from './job-shares.ts'

const NOW = 1_795_000_000_000
const DEADLINE = 30 * SECOND
const { inFlight: MOST, tests: MOST_TESTS } = JOB_LIMITS
const newOrganization = () => newId('organization', NOW)

function jobOf(organizationId: Id<'organization'>, bytes = 1): Job {
  return {
    ...{ id: newId('delivery', NOW), laneId: newId('webhook', NOW), organizationId },
    ...{ attempts: 0, dueAt: NOW, horizon: NOW + DAY, cap: 16, perSecond: null },
    ...{ bytes, body: new Uint8Array(bytes) },
  }
}

function beginAll(shares: JobShares, organizationId: Id<'organization'>, isOnTrial = false): Job[] {
  const begun: Job[] = []
  while (shares.mayBegin(organizationId, isOnTrial)) {
    const job = jobOf(organizationId)
    shares.begin(job, isOnTrial)
    begun.push(job)
  }
  return begun
}

type TestPlace = ReturnType<JobShares['beginTest']>

/** A test that may begin. */
function begun(place: TestPlace): { end(): void } {
  assert.ok('end' in place)
  return place
}

function refused(place: TestPlace): number {
  assert.ok('retryAfterSeconds' in place)
  return place.retryAfterSeconds
}

describe('the attempts in flight of a process', () => {
  it('are shared among organizations, and ten places of each share are reserved for tests', () => {
    const shares = createJobShares(DEADLINE)
    const [one, other] = [newOrganization(), newOrganization()]
    assert.equal(beginAll(shares, one).length, MOST / 2 - MOST_TESTS)
    assert.equal(shares.inFlight, MOST / 2 - MOST_TESTS)
    const [first, ...rest] = beginAll(shares, other) as [Job]
    assert.equal(1 + rest.length, 255 - MOST_TESTS)
    shares.end(first)
    assert.equal(beginAll(shares, other).length, 1)
    assert.equal(shares.inFlight, 490 + 245)
  })

  it('of a small share have a tenth reserved for tests, of a very small one none, and none if there are no tests', () => {
    const countOf = (inFlight: number, tests = MOST_TESTS) =>
      beginAll(createJobShares(DEADLINE, { inFlight, tests }), newOrganization()).length
    assert.deepEqual([countOf(100), countOf(18), countOf(100, 0)], [45, 9, 50])
  })

  it('of lanes on trial are half of a share, one at least', () => {
    const shares = createJobShares(DEADLINE)
    const [one, other] = [newOrganization(), newOrganization()]
    const trials = beginAll(shares, one, true)
    assert.equal(trials.length, MOST / 4)
    assert.equal(beginAll(shares, one).length, MOST / 4 - MOST_TESTS)
    assert.equal(shares.mayBegin(one, true), false)
    assert.equal(beginAll(shares, other, true).length, Math.ceil(255 / 2))
    // The end of an attempt counts for the kind with which it began.
    for (const job of trials) shares.end(job)
    assert.equal(shares.mayBegin(one, true), true)
    assert.equal(beginAll(createJobShares(DEADLINE, { inFlight: 1 }), one, true).length, 1)
  })

  it('remain for tests although deliveries have used up their share', () => {
    const shares = createJobShares(DEADLINE)
    const [one, other] = [newOrganization(), newOrganization()]
    beginAll(shares, one)
    const tests = Array.from({ length: MOST_TESTS }, () => begun(shares.beginTest(one, NOW)))
    assert.equal(shares.inFlight, MOST / 2)
    assert.equal(shares.mayBegin(one, false), false)
    refused(shares.beginTest(one, NOW))
    begun(shares.beginTest(other, NOW)).end()
    for (const test of tests) test.end()
    assert.equal(shares.inFlight, MOST / 2 - MOST_TESTS)
    assert.equal(shares.mayBegin(one, false), false)
    begun(shares.beginTest(one, NOW))
  })

  it('are not reserved twice: tests use the reserved places', () => {
    const shares = createJobShares(DEADLINE)
    const one = newOrganization()
    for (let count = 0; count < 4; count += 1) begun(shares.beginTest(one, NOW))
    assert.equal(beginAll(shares, one).length, MOST / 2 - MOST_TESTS)
  })

  it('are refused to a test without a place, with the seconds until the oldest test ends', () => {
    const shares = createJobShares(DEADLINE)
    const one = newOrganization()
    const first = begun(shares.beginTest(one, NOW))
    for (let count = 1; count < MOST_TESTS; count += 1) begun(shares.beginTest(one, NOW + 5 * SECOND))
    const seconds = (now: number) => refused(shares.beginTest(one, now))
    assert.equal(seconds(NOW + 10 * SECOND), (DEADLINE - 10 * SECOND) / SECOND)
    assert.equal(seconds(NOW + 10 * SECOND + 1), (DEADLINE - 10 * SECOND) / SECOND)
    assert.equal(seconds(NOW + DEADLINE + SECOND), 1)
    first.end()
    // A second call changes nothing.
    first.end()
    assert.equal(shares.inFlight, MOST_TESTS - 1)
    begun(shares.beginTest(one, NOW + 20 * SECOND))
    assert.equal(seconds(NOW + 20 * SECOND), (DEADLINE - 15 * SECOND) / SECOND)
  })

  it('are refused to a test if the share is too small for a reserved place and is used up', () => {
    const shares = createJobShares(DEADLINE, { inFlight: 2 })
    const one = newOrganization()
    assert.equal(beginAll(shares, one).length, 1)
    assert.equal(refused(shares.beginTest(one, NOW)), DEADLINE / SECOND)
  })

  it('begin while their bytes are within a share, the first of an organization in any case', () => {
    const shares = createJobShares(DEADLINE, { bytesInFlight: 100 })
    const [one, other] = [newOrganization(), newOrganization()]
    const [first, second] = [jobOf(one, 30), jobOf(one, 30)]
    shares.begin(first, false)
    assert.equal(shares.mayBegin(one, false), true)
    shares.begin(second, false)
    assert.equal(shares.mayBegin(one, false), false)
    const large = jobOf(other, 200)
    assert.equal(shares.mayBegin(other, false), true)
    shares.begin(large, false)
    assert.equal(shares.areUsedUp, true)
    for (const job of [large, first]) shares.end(job)
    assert.deepEqual([shares.areUsedUp, shares.mayBegin(one, false)], [false, true])
  })
})

describe('the queued jobs of a process', () => {
  it('are shared by their number, and by the bytes of the bodies that are queued with them', () => {
    const shares = createJobShares(DEADLINE, { queued: 10, queuedBytes: 100 })
    const [one, other] = [newOrganization(), newOrganization()]
    assert.deepEqual([shares.roomFor(one), JOB_LIMITS.queuedBytes], [5, 33_554_432])
    const [whole, bare, exact] = [jobOf(one, 40), jobOf(one, 41), jobOf(one, 10)]
    for (const job of [whole, bare, exact]) shares.enqueue(job)
    assert.deepEqual(
      [whole, bare, exact].map(({ body }) => body?.length),
      [40, undefined, 10],
    )
    assert.deepEqual([shares.roomFor(one), shares.roomFor(other)], [2, 4])
    // A job that is queued without its body holds no bytes, so 50 bytes are free and the other organization may take 25.
    shares.dequeue(bare)
    const next = jobOf(other, 26)
    shares.enqueue(next)
    assert.equal(next.body, undefined)
    shares.dequeue(whole)
    const last = jobOf(other, 45)
    shares.enqueue(last)
    assert.equal(last.body?.length, 45)
    assert.deepEqual([shares.roomFor(one), shares.roomFor(other)], [3, 3])
  })
})
