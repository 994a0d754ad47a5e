import assert from 'node:assert/strict'
import type { Millis } from '#src/core/clock.ts'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

type Process = Pick<Postern, 'client'>

/**
 * Whether no attempt of a delivery or a job is under way in these processes. The question also renews the figures of tables in `/metrics`,
 * which are kept for ten seconds: a test that reads such a figure afterwards polls for it.
 */
export async function isAtRest(...processes: Process[]): Promise<boolean> {
  for (const process of processes) {
    const { status, text } = await process.client().get('/metrics')
    assert.equal(status, 200, text)
    const held = [...text.matchAll(/^postern_places_held\{kind="[\w.]+"\} (\d+)$/gm)]
    assert.ok(held.length > 0, text)
    if (held.some(([, count]) => count !== '0')) return false
  }
  return true
}

/** Waits until no attempt is under way in these processes. */
export async function untilAtRest(...processes: Process[]): Promise<void> {
  await until(() => isAtRest(...processes), Boolean, { what: 'no attempt to be under way' })
}

/**
 * A step of the clock for a wait that polls: none while an attempt is under way, because its deadline goes by the same clock, and a slow
 * machine polls often while one exchange lasts. Where an attempt may begin beside a step, the step is shorter than its deadline.
 * @param others processes on the same clock
 */
export async function advanceAtRest(postern: Postern, step: Millis, ...others: Process[]): Promise<void> {
  if (await isAtRest(postern, ...others)) postern.clock.advance(step)
}
