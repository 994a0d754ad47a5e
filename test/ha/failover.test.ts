import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { FEWEST_EVENTS, type Scenario } from '../torture/scenario.ts'
import { SCENARIOS } from '../torture/scenarios.ts'
import { killAll } from '../torture/server.ts'

after(killAll)

// Both take minutes, in which little is computed: Patroni waits for locks to run out.
const skip = IS_NIGHTLY ? false : 'only at night (npm run test:nightly), where Patroni and etcd are installed'

describe('failover', { skip, concurrency: 1 }, () => {
  for (const name of ['failover', 'failover-haproxy'] as const) {
    const { about, run }: Scenario = SCENARIOS[name]
    it(`${about} Nothing acknowledged is lost.`, async (context) => {
      const found = await run({
        seed: 1,
        rate: 100,
        kills: 4,
        outages: 0,
        longestLife: 2_000,
        mostRefusals: 1,
        say: (line) => context.diagnostic(line),
      })
      if ('skipped' in found) return context.skip(found.skipped)
      for (const [figure, value] of Object.entries(found.figures)) context.diagnostic(`${figure}: ${value}`)
      assert.deepEqual(found.failures, [])
      assert.ok(Number(found.figures['events acknowledged']) >= FEWEST_EVENTS)
      assert.ok(Number(found.figures['timelines of PostgreSQL']) >= 5, 'each kill has made another primary')
    })
  }
})
