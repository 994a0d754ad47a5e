import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import type { Bug } from './simulator/bugs.ts'
import { simulateFleet, TAKEN_OVER_WITHIN } from './simulator/fleet.ts'

/** `npm run simulate:fleet` does it for longer, and with up to 50 processes. */
const STORM = { storm: 4 * MINUTE, every: 8 * SECOND }

describe('the shards of processes that are killed, told to end, frozen and started', () => {
  for (const [seed, from, to] of [
    [1, 3, 3],
    [2, 3, 12],
    [3, 8, 8],
  ] as const)
    it(`have one owner at most, another within the lease, and are even in the end, with ${from} to ${to} processes`, async () => {
      const report = await simulateFleet({ ...STORM, seed, from, to })
      const { kills, ends, freezes, moves, takenOver, handedOver, balancedAfter } = report
      assert.ok(kills > 3 && ends > 3 && freezes > 0, 'the storm is too tame to prove anything')
      assert.ok(takenOver.length > 50 && handedOver.length > 10 && moves > 500, 'too few have moved')
      assert.ok(balancedAfter <= TAKEN_OVER_WITHIN)
    })

  for (const bug of ['taken without the generation', 'released before the drain'] satisfies Bug[])
    it(`would be seen to have two owners, were they ${bug}`, async () => {
      await assert.rejects(async () => {
        for (let seed = 1; seed <= 20; seed += 1)
          await simulateFleet({ ...STORM, seed, from: 3, to: 12, bug })
      }, /^Error: seed \d+, \d+ ms: (shard|p)\d+ (is of|takes|begins)/)
    })
})
