import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock, Millis } from './clock.ts'
import { turn } from './clock.ts'
import { createLoop } from './loop.ts'

const EVERY = 1_000

/** A loop on a clock of the test, which also ends each run. */
function stand({ first }: { first?: Millis } = {}) {
  let now = 0
  let timers: { at: Millis; fire: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    after(delay, fire) {
      const timer = { at: now + delay, fire }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  const runs: (PromiseWithResolvers<void> & { isOver: () => boolean })[] = []
  const logged: unknown[] = []
  const loop = createLoop({
    clock,
    every: EVERY,
    ...(first !== undefined && { first }),
    name: 'a loop',
    log: { error: (data) => void logged.push(data) },
    run(isOver) {
      const one = Promise.withResolvers<void>()
      runs.push({ ...one, isOver })
      return one.promise
    },
  })
  async function pass(delay: Millis): Promise<void> {
    const end = now + delay
    const nextOne = () => timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
    for (let next = nextOne(); next !== undefined; next = nextOne()) {
      now = Math.max(now, next.at)
      timers = timers.filter((other) => other !== next)
      next.fire()
      await turn()
    }
    now = end
  }
  async function end(index = runs.length - 1): Promise<void> {
    runs[index]?.resolve()
    await turn()
  }
  return { loop, runs, logged, pass, end, timers: () => timers.length }
}

describe('a loop', () => {
  it('runs at its start, and then as often as it is to', async () => {
    const { loop, runs, pass, end } = stand()
    loop.wake()
    assert.equal(runs.length, 0)
    loop.start()
    for (let count = 1; count <= 3; count += 1) {
      await pass(count === 1 ? 0 : EVERY - 1)
      if (count > 1) {
        assert.equal(runs.length, count - 1)
        await pass(1)
      }
      assert.equal(runs.length, count)
      await end()
    }
  })

  it('begins later when a first moment is given', async () => {
    const { loop, runs, pass } = stand({ first: EVERY })
    loop.start()
    await pass(EVERY - 1)
    assert.equal(runs.length, 0)
    await pass(1)
    assert.equal(runs.length, 1)
  })

  it('runs once more when it is woken while it runs, however often', async () => {
    const { loop, runs, pass, end } = stand()
    loop.start()
    await pass(0)
    for (let count = 0; count < 5; count += 1) loop.wake()
    await turn()
    assert.equal(runs.length, 1)
    await end()
    assert.equal(runs.length, 2)
    await end()
    assert.equal(runs.length, 2)
  })

  it('runs at once after a run that took longer than the time between two', async () => {
    const { loop, runs, pass, end } = stand()
    loop.start()
    await pass(3 * EVERY)
    assert.equal(runs.length, 1)
    await end()
    assert.equal(runs.length, 2)
  })

  it('waits with a wake that is to be answered later, and never longer for another', async () => {
    const { loop, runs, pass, end } = stand()
    loop.start()
    await pass(0)
    await end()
    loop.wake(100)
    await pass(60)
    loop.wake(100)
    assert.equal(runs.length, 1)
    await pass(40)
    assert.equal(runs.length, 2)
  })

  it('logs failures, and continues', async () => {
    const { loop, runs, logged, pass } = stand()
    loop.start()
    await pass(0)
    const failure = new Error('the store failed')
    runs[0]?.reject(failure)
    await turn()
    assert.deepEqual(logged, [{ err: failure }])
    await pass(EVERY)
    assert.equal(runs.length, 2)
  })

  it('ends after the current run, which is notified, and leaves no timer', async () => {
    const { loop, runs, pass, end, timers } = stand()
    loop.start()
    await pass(0)
    loop.wake()
    let hasEnded = false
    const stopped = loop.stop().then(() => {
      hasEnded = true
    })
    assert.equal(runs[0]?.isOver(), true)
    await turn()
    assert.equal(hasEnded, false)
    await end()
    await stopped
    loop.wake()
    loop.wake(5)
    assert.equal(runs.length, 1)
    assert.equal(timers(), 0)
  })
})
