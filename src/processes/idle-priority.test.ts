import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createIdlePriority, LONGEST_IDLE_WAIT } from './idle-priority.ts'

/** The priority changes of a process that waits for a processor for a share of the time, with work at given times. */
function changesOf(
  share: number,
  moments: number[],
  end = 60_000,
  isKilled = false,
): [at: number, change: string][] {
  let now = 0
  let timer: { at: number; fire: () => void } | undefined
  const changes: [number, string][] = []
  const yielding = createIdlePriority({
    after(delay, fire) {
      const own = { at: now + delay, fire }
      timer = own
      return () => {
        if (timer === own) timer = undefined
      }
    },
    cpuWait: () => now * share,
    setIdle: () => changes.push([now, 'last']),
    setNormal: () => changes.push([now, 'back']),
  })
  function runUntil(moment: number): void {
    while (timer !== undefined && timer.at <= moment) {
      const { at, fire } = timer
      timer = undefined
      now = at
      fire()
    }
    now = moment
  }
  for (const moment of moments) {
    runUntil(moment)
    yielding.begin()
  }
  runUntil(end)
  if (isKilled) {
    yielding.killed()
    yielding.killed()
    yielding.begin()
  }
  yielding.end()
  assert.equal(timer, undefined)
  return changes
}

describe('a process that works in the background', () => {
  it('is put behind all others when its work takes more than a second', () => {
    assert.deepEqual(changesOf(0, [0]), [[1_000, 'last']])
    assert.deepEqual(changesOf(0, [0, 900]), [[1_900, 'last']])
    assert.deepEqual(changesOf(0, [0], 900), [])
  })

  it('is put back once it has waited there for its most, and stays', () => {
    assert.deepEqual(changesOf(1, [0]), [
      [1_000, 'last'],
      [1_000 + LONGEST_IDLE_WAIT, 'back'],
    ])
    assert.deepEqual(changesOf(0.5, [0, 3_000, 30_000]), [
      [1_000, 'last'],
      [1_000 + 2 * LONGEST_IDLE_WAIT, 'back'],
    ])
  })

  it('is put back once when it is killed, unless it was put back before or never put last', () => {
    assert.deepEqual(changesOf(0, [0], 2_000, true), [
      [1_000, 'last'],
      [2_000, 'back'],
    ])
    assert.deepEqual(changesOf(0, [0], 900, true), [])
    assert.equal(changesOf(1, [0], 60_000, true).length, 2)
  })
})
