import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, SECOND } from '../../core/clock.ts'
import { type Id, newId } from '../../core/id.ts'
import type { Job } from '../job.ts'
import { createInHand } from './in-hand.ts'

const NOW = 1_795_000_000_000
const job = (id: Id<'delivery'>, attempts = 0) => ({ id, attempts }) as unknown as Job

describe('what a worker has in hand', () => {
  it('is taken once for each attempt, and left by the attempt that took it', () => {
    const inHand = createInHand()
    const [id] = [newId('delivery', NOW)]
    const [first, second] = [job(id), job(id, 1)]
    assert.equal(inHand.take(first), true)
    assert.equal(inHand.take(job(id)), false)
    assert.equal(inHand.take(second), true)
    inHand.leave(first)
    assert.equal(inHand.take(job(id, 1)), false)
    inHand.leave(second)
    assert.equal(inHand.take(job(id, 1)), true)
    inHand.clear()
    assert.equal(inHand.take(job(id, 1)), true)
  })

  it('does not hold what the table says is its own for longer than 15 seconds', () => {
    const inHand = createInHand()
    const [held, lost] = [newId('delivery', NOW), newId('delivery', NOW)]
    inHand.take(job(held))
    const strays = (now: number) => {
      inHand.beginPoll()
      return inHand.strays([held, lost], now)
    }
    assert.deepEqual(strays(NOW), [])
    assert.deepEqual(strays(NOW + 15 * SECOND - 1), [])
    assert.deepEqual(strays(NOW + 15 * SECOND), [lost])
    // It is given back: from here on it is counted anew.
    assert.deepEqual(strays(NOW + 15 * SECOND), [])
    inHand.take(job(lost))
    assert.deepEqual(strays(NOW + 60 * SECOND), [])
    assert.deepEqual(strays(NOW + 90 * SECOND), [])
  })

  it('misses nothing that left while the table was asked', () => {
    const inHand = createInHand()
    const one = job(newId('delivery', NOW))
    inHand.take(one)
    inHand.beginPoll()
    inHand.leave(one)
    assert.deepEqual(inHand.strays([one.id], NOW), [])
    assert.deepEqual(inHand.strays([one.id], NOW + DAY), [])
    inHand.beginPoll()
    assert.deepEqual(inHand.strays([one.id], NOW + DAY), [])
    assert.deepEqual(inHand.strays([one.id], NOW + DAY + 15 * SECOND), [one.id])
  })

  it('finds what it lost while the clock was ahead 15 seconds after that was corrected', () => {
    const inHand = createInHand()
    const lost = newId('delivery', NOW)
    const strays = (now: number) => {
      inHand.beginPoll()
      return inHand.strays([lost], now)
    }
    assert.deepEqual(strays(NOW + 3 * DAY), [])
    assert.deepEqual(strays(NOW), [])
    assert.deepEqual(strays(NOW + 15 * SECOND), [lost])
  })
})
