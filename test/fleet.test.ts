import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import type { Bug } from './simulator/bugs.ts'
import { simulateFleet, TAKEN_OVER_WITHIN } from './simulator/fleet.ts'
import { simulateSteadyLoad } from './simulator/steady-load.ts'
import { nightly } from './support/nightly.ts'

/** `npm run simulate:fleet` does it for longer, and with up to 50 processes. */
const STORM = { storm: nightly(4, 3) * MINUTE, every: 8 * SECOND }
/** Seeds, and how few and how many processes there are. */
const STORMS = nightly<[seed: number, from: number, to: number][]>(
  [
    [1, 2, 2],
    [2, 3, 13],
    [3, 8, 8],
  ],
  [
    [1, 2, 2],
    [2, 3, 13],
  ],
)
/** Each looks at what all others do: the time grows with the square. */
const MANY = nightly(50, 16)

describe('lanes among processes that are killed, told to end, frozen and started', () => {
  for (const [seed, from, to] of STORMS)
    it(`have one owner at most, another within the lease, and never more under way than they take, with ${from} to ${to} processes`, async () => {
      const report = await simulateFleet({ ...STORM, seed, from, to })
      const { kills, ends, freezes, attempts, takenOver, dividedAfter } = report
      assert.ok(kills > 3 && ends > 3 && freezes > 0, 'the storm is too tame to prove anything')
      assert.ok(takenOver.length > 20 && attempts > 2_000, 'too little has moved')
      assert.ok(dividedAfter <= TAKEN_OVER_WITHIN)
    })

  it(`are divided among ${MANY} processes without more under way than they take`, async () => {
    const { attempts } = await simulateFleet({
      storm: MINUTE / 2,
      every: 5 * SECOND,
      seed: 4,
      from: MANY,
      to: MANY,
    })
    assert.ok(attempts > 2_000, 'too little was under way')
  })

  for (const bug of [
    'lanes not divided',
    'divided anew before all agree',
    'divided before the drain',
  ] satisfies Bug[])
    it(`would be seen to take more than they may, were they ${bug}`, async () => {
      await assert.rejects(async () => {
        for (let seed = 1; seed <= 20; seed += 1)
          await simulateFleet({ ...STORM, seed, from: 3, to: 12, bug })
      }, /^Error: seed \d+, \d+ ms: (lane|p)\d* ?\d* (takes|begins|is of)/)
    })
})

describe('a steady load', () => {
  const LOAD = { perSecond: 1_000, cap: 20, seconds: 4 }
  for (const processes of [1, 2])
    it(`goes by way of the table while a burst waits there, and from memory afterwards, with ${processes} at work`, async () => {
      const [burst, ...after] = await simulateSteadyLoad({ ...LOAD, processes, burst: 400 })
      assert.ok(burst !== undefined && burst.claimed > 100, 'the burst was too small to prove anything')
      for (const { added, claimed } of after.slice(1)) assert.deepEqual([added, claimed], [1_000, 0])
    })
})
