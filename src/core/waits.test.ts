import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { type Clock, type Millis, SECOND, turn } from './clock.ts'
import { createWaits } from './waits.ts'

/** Waits for a number of at least 3, on a clock that stands still. */
function stand() {
  const clock = testClock()
  const still = clock.stop()
  const waits = createWaits<string>(clock, SECOND)
  const stored = { value: 0, reads: 0 }
  const wait = (name = 'one', patience = 10 * SECOND) =>
    waits.until(
      name,
      patience,
      async () => {
        stored.reads += 1
        return stored.value
      },
      (value) => value >= 3,
    )
  return { clock, waits, stored, wait, [Symbol.dispose]: () => still[Symbol.dispose]() }
}

describe('a wait', () => {
  it('reads at once, and ends with the first value that is wanted', async () => {
    using at = stand()
    at.stored.value = 3
    assert.deepEqual([await at.wait(), at.stored.reads], [3, 1])
  })

  it('reads again when its name or all names are notified, and not for another name', async () => {
    using at = stand()
    const both = [at.wait('one'), at.wait('two')]
    await turn()
    at.waits.wake('three')
    await turn()
    assert.equal(at.stored.reads, 2)
    at.waits.wake('one')
    await turn()
    assert.equal(at.stored.reads, 3)
    at.stored.value = 3
    at.waits.wake()
    assert.deepEqual(await Promise.all(both), [3, 3])
  })

  it('does not miss a notification during a read', async () => {
    using at = stand()
    const value = at.wait()
    // The running read has the earlier value.
    at.stored.value = 3
    at.waits.wake('one')
    assert.equal(await value, 3)
  })

  it('reads at every poll without notifications', async () => {
    using at = stand()
    const value = at.wait()
    await turn()
    at.stored.value = 3
    at.clock.advance(SECOND)
    assert.deepEqual([await value, at.stored.reads], [3, 2])
  })

  it('ends with its last value after its patience, or when the process stops', async () => {
    using at = stand()
    assert.equal(await at.wait('one', 0), 0)
    const late = at.wait()
    await turn()
    at.stored.value = 1
    at.clock.advance(10 * SECOND)
    assert.equal(await late, 1)
    const stopped = at.wait()
    await turn()
    at.stored.value = 2
    at.waits.stop()
    assert.equal(await stopped, 2)
    at.stored.value = 1
    assert.equal(await at.wait(), 1)
  })

  it('reads again after a read that failed, and fails with the last one', async () => {
    using at = stand()
    let isAway = true
    const read = async () => {
      at.stored.reads += 1
      if (isAway) throw new Error(`away at read ${at.stored.reads}`)
      return at.stored.value
    }
    const wait = () => at.waits.until('one', 10 * SECOND, read, () => true)
    const mended = wait()
    await turn()
    isAway = false
    at.clock.advance(SECOND)
    assert.deepEqual([await mended, at.stored.reads], [0, 2])
    isAway = true
    const failed = wait()
    await turn()
    at.waits.stop()
    await assert.rejects(failed, /away at read 4/)
  })

  it('ends with its patience, whenever the next poll is, and leaves the others of its name waiting', async () => {
    using at = stand()
    const [first, second] = [at.wait('one', SECOND / 2), at.wait('one')]
    await turn()
    at.clock.advance(SECOND / 2)
    assert.equal(await first, 0)
    at.stored.value = 3
    at.waits.wake('one')
    assert.equal(await second, 3)
  })

  it('without patience reads once, and leaves no timer behind', async () => {
    const timers = new Set<object>()
    const clock = {
      now: () => 0,
      after(delay: Millis) {
        const timer = { delay }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    } as Clock
    const waits = createWaits<string>(clock, SECOND)
    let began = 0
    const read = async () => {
      began = timers.size
      return 'read'
    }
    const isReady = () => false
    assert.equal(await waits.until('one', 0, read, isReady), 'read')
    assert.ok(began > 0)
    assert.equal(timers.size, 0)
  })
})
