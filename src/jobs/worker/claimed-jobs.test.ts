import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, SECOND } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Job } from '../job.ts'
import { createClaimedJobs } from './claimed-jobs.ts'

const NOW = 1_795_000_000_000
const job = (id: Id<'delivery'>, attempts = 0) => ({ id, attempts }) as unknown as Job

describe('a worker', () => {
  it('accepts a claimed job once for each attempt, until that attempt leaves it', () => {
    const claimedJobs = createClaimedJobs()
    const [id] = [newId('delivery', NOW)]
    const [first, second] = [job(id), job(id, 1)]
    assert.equal(claimedJobs.take(first), true)
    assert.equal(claimedJobs.take(job(id)), false)
    assert.equal(claimedJobs.take(second), true)
    claimedJobs.leave(first)
    assert.equal(claimedJobs.take(job(id, 1)), false)
    claimedJobs.leave(second)
    assert.equal(claimedJobs.take(job(id, 1)), true)
    claimedJobs.clear()
    assert.equal(claimedJobs.take(job(id, 1)), true)
  })

  it('releases jobs that only the table assigns to it after 15 seconds', () => {
    const claimedJobs = createClaimedJobs()
    const [held, lost] = [newId('delivery', NOW), newId('delivery', NOW)]
    claimedJobs.take(job(held))
    const strays = (now: number) => {
      claimedJobs.beginPoll()
      return claimedJobs.strays([held, lost], now)
    }
    assert.deepEqual(strays(NOW), [])
    assert.deepEqual(strays(NOW + 15 * SECOND - 1), [])
    assert.deepEqual(strays(NOW + 15 * SECOND), [lost])
    // The job is released, so its time starts again.
    assert.deepEqual(strays(NOW + 15 * SECOND), [])
    claimedJobs.take(job(lost))
    assert.deepEqual(strays(NOW + 60 * SECOND), [])
    assert.deepEqual(strays(NOW + 90 * SECOND), [])
  })

  it('does not take a job that ended during the read of the table for a lost one', () => {
    const claimedJobs = createClaimedJobs()
    const one = job(newId('delivery', NOW))
    claimedJobs.take(one)
    claimedJobs.beginPoll()
    claimedJobs.leave(one)
    assert.deepEqual(claimedJobs.strays([one.id], NOW), [])
    assert.deepEqual(claimedJobs.strays([one.id], NOW + DAY), [])
    claimedJobs.beginPoll()
    assert.deepEqual(claimedJobs.strays([one.id], NOW + DAY), [])
    assert.deepEqual(claimedJobs.strays([one.id], NOW + DAY + 15 * SECOND), [one.id])
  })

  it('finds jobs that it lost while the clock was ahead, 15 seconds after the correction', () => {
    const claimedJobs = createClaimedJobs()
    const lost = newId('delivery', NOW)
    const strays = (now: number) => {
      claimedJobs.beginPoll()
      return claimedJobs.strays([lost], now)
    }
    assert.deepEqual(strays(NOW + 3 * DAY), [])
    assert.deepEqual(strays(NOW), [])
    assert.deepEqual(strays(NOW + 15 * SECOND), [lost])
  })
})
