import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { cpuWaitOf, createTimeLimit } from './time-limit.ts'

/** Neither counter starts at zero. */
const BEGUN = 7_000

/** A process that waits for a processor for a share of the time: when and how its own ends, if it is asked for until then. */
function endOf(share: number, times: number[], isAsked = true): [at: number, cause: string] | undefined {
  let now = BEGUN
  let timers: { at: number; fire: () => void }[] = []
  function after(delay: number, fire: () => void) {
    const timer = { at: now + delay, fire }
    timers.push(timer)
    return () => {
      timers = timers.filter((one) => one !== timer)
    }
  }
  const over: [number, string][] = []
  const allowance = createTimeLimit({
    after,
    elapsed: () => now,
    cpuWait: () => now * share,
    onExceeded: (cause) => over.push([now - BEGUN, cause]),
  })
  for (const time of times) {
    allowance.set(time)
    now += 1
  }
  if (!isAsked) allowance.cancel()
  while (timers.length > 0) {
    const next = timers.toSorted((a, b) => a.at - b.at)[0]
    timers = timers.filter((one) => one !== next)
    now = next?.at ?? now
    next?.fire()
  }
  assert.ok(over.length <= 1)
  return over[0]
}

describe('the time of a process', () => {
  it('is over when it has had it, and a later one takes the place of an earlier one', () => {
    assert.deepEqual(endOf(0, [1_000]), [1_000, 'wall'])
    assert.deepEqual(endOf(0, [1_000, 5_000]), [5_001, 'wall'])
  })

  it('does not pass while it waits for a processor', () => {
    const [at, cause] = endOf(0.5, [1_000]) ?? [0]
    assert.equal(cause, 'wall')
    assert.ok(at > 1_900 && at <= 2_000, String(at))
    // The remaining half is as short as a timer can measure; half of that is shorter.
    assert.deepEqual(endOf(0.5, [20]), [30, 'wall'])
  })

  it('is not over where nobody asks any more', () => {
    assert.equal(endOf(0, [1_000, 5_000], false), undefined)
  })

  it('is over after four times as much, and a minute at least, by no fault of what it reads', () => {
    assert.deepEqual(endOf(0.9, [30_000]), [120_000, 'starved'])
    assert.deepEqual(endOf(1, [1_000]), [60_000, 'starved'])
    assert.equal(endOf(0.9, [1_000])?.[1], 'wall')
  })

  it('that it waited for a processor is what the system says, or none where it says nothing', () => {
    const said = () => {
      if (process.platform !== 'linux') return 0
      return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6
    }
    const [before, told, after] = [said(), cpuWaitOf(process.pid), said()]
    assert.ok(before <= told && told <= after, `${before} ${told} ${after}`)
    // No system uses a process id this large.
    assert.equal(cpuWaitOf(2 ** 40), 0)
  })
})
