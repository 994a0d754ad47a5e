import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAllowance } from './allowance.ts'

/** A process that waits for a processor for a share of the time: when and how its own ends. */
function endOf(share: number, times: number[]): [at: number, cause: string] {
  let now = 0
  let timers: { at: number; fire: () => void }[] = []
  function after(delay: number, fire: () => void) {
    const timer = { at: now + delay, fire }
    timers.push(timer)
    return () => {
      timers = timers.filter((one) => one !== timer)
    }
  }
  const over: [number, string][] = []
  const allowance = createAllowance({
    after,
    elapsed: () => now,
    waited: () => now * share,
    onOver: (cause) => over.push([now, cause]),
  })
  for (const time of times) {
    allowance.allow(time)
    now += 1
  }
  while (timers.length > 0) {
    const next = timers.toSorted((a, b) => a.at - b.at)[0]
    timers = timers.filter((one) => one !== next)
    now = next?.at ?? now
    next?.fire()
  }
  assert.equal(over.length, 1)
  return over[0] as [number, string]
}

describe('the time of a process', () => {
  it('is over when it has had it, and a later one takes the place of an earlier one', () => {
    assert.deepEqual(endOf(0, [1_000]), [1_000, 'wall'])
    assert.deepEqual(endOf(0, [1_000, 5_000]), [5_001, 'wall'])
  })

  it('does not pass while it waits for a processor', () => {
    const [at, cause] = endOf(0.5, [1_000])
    assert.equal(cause, 'wall')
    assert.ok(at > 1_900 && at <= 2_000, String(at))
  })

  it('is over after four times as much, and a minute at least, by no fault of what it reads', () => {
    assert.deepEqual(endOf(0.9, [30_000]), [120_000, 'starved'])
    assert.deepEqual(endOf(1, [1_000]), [60_000, 'starved'])
    assert.equal(endOf(0.9, [1_000])[1], 'wall')
  })
})
