import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { nightly } from './support/nightly.ts'
import type { Scenario } from './torture/scenario.ts'
import { SCENARIOS } from './torture/scenarios.ts'
import { killAll } from './torture/server.ts'

/** Short forms of `npm run torture`; what takes longer than this file may is only run there. */
const ONLY_LONG = ['worker-killed', 'postgres-away', 'work-postgres', 'runs-postgres']
const KILLS = nightly(10, 3)
/** Events a second. */
const RATE = nightly(600, 120)
/** The disk has to be full before long. */
const FASTER: Record<string, number> = { 'disk-full': 600 }
/** Each costs a start; every kill of these finds four runs under way. */
const FEWER: Record<string, number> = { 'runs-sqlite': 2 }

after(killAll)

// Two at a time: on PostgreSQL what a killed server had in hand waits for its lease, 40 s in which nothing happens.
describe('torture', { concurrency: 2 }, () => {
  // The longest is begun first.
  const scenarios = Object.entries<Scenario>(SCENARIOS).sort(([a], [b]) => rank(a) - rank(b))
  for (const [name, { about, run }] of scenarios) {
    if (ONLY_LONG.includes(name)) continue
    it(`${about} Nothing acknowledged is lost.`, async (context) => {
      const found = await run({
        seed: 1,
        rate: FASTER[name] ?? RATE,
        kills: FEWER[name] ?? KILLS,
        outages: 2,
        longestLife: 800,
        mostRefusals: 1,
        say: () => {},
      })
      if ('skipped' in found) return context.skip(found.skipped)
      for (const [figure, value] of Object.entries(found.figures)) context.diagnostic(`${figure}: ${value}`)
      assert.deepEqual(found.failures, [])
      assert.ok(
        Number(found.figures['events acknowledged']) > 100 ||
          Number(found.figures['files and documents']) > 20 ||
          Number(found.figures['runs acknowledged']) >= 15,
        'the load was too small to prove anything',
      )
    })
  }
})

function rank(name: string): number {
  return name === 'kill-postgres' ? 0 : 1
}
