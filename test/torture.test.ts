import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { nightly } from './support/nightly.ts'
import { FEWEST_EVENTS, type Scenario } from './torture/scenario.ts'
import { SCENARIOS } from './torture/scenarios.ts'
import { killAll } from './torture/server.ts'

/** Short forms of `npm run torture`; what takes longer than this file may is only run there. */
const ONLY_LONG = ['worker-killed', 'postgres-away', 'work-postgres', 'runs-postgres']
/** `test/ha/failover.test.ts` runs them at night. */
const WITH_CLUSTER = ['failover', 'failover-haproxy']
/**
 * By day one server is killed under all kinds of work and events, at night each kind has a server of its own as well. By day the
 * simulator, `webhooks/` and `abuse/mail.test.ts` test destinations and mail servers that go away, `hosts.test.ts` and
 * `claims-on-disk.test.ts` a PostgreSQL that is killed, `workers.test.ts` a worker that is killed, `webhooks/sending-thread.test.ts` a thread that ends, and `durability.test.ts` a disk that
 * refuses a flush.
 */
const ONLY_NIGHTLY = [
  ...['kill-sqlite', 'work-sqlite', 'runs-sqlite', 'flapping', 'mail-down'],
  ...['postgres-killed', 'workers-killed', 'disk-refuses', 'thread-ended'],
]
/** Each costs a start. */
const KILLS = nightly(10, 2)
/** Events a second. */
const RATE = nightly(600, 60)
/** The disk has to be full before long. */
const FASTER: Record<string, number> = { 'disk-full': nightly(600, 400) }
/** What each kind of work has to have come to, where a scenario is about it. */
const LEAST: Record<string, number> = { 'files and documents': 20, 'runs acknowledged': 15 }

after(killAll)

// Two at a time: on PostgreSQL what a killed server had in hand waits for its lease, 40 s in which nothing happens.
describe('torture', { concurrency: 2 }, () => {
  // The longest is begun first.
  const scenarios = Object.entries<Scenario>(SCENARIOS).sort(([a], [b]) => rank(a) - rank(b))
  for (const [name, { about, run }] of scenarios) {
    if ([...ONLY_LONG, ...WITH_CLUSTER, ...nightly<string[]>([], ONLY_NIGHTLY)].includes(name)) continue
    it(`${about} Nothing acknowledged is lost.`, async (context) => {
      const found = await run({
        seed: 1,
        rate: FASTER[name] ?? RATE,
        kills: KILLS,
        outages: 2,
        longestLife: 800,
        mostRefusals: 1,
        say: () => {},
      })
      if ('skipped' in found) return context.skip(found.skipped)
      for (const [figure, value] of Object.entries(found.figures)) context.diagnostic(`${figure}: ${value}`)
      assert.deepEqual(found.failures, [])
      const kinds = Object.entries(LEAST).filter(([figure]) => found.figures[figure] !== undefined)
      const needed = kinds.length > 0 ? kinds : [['events acknowledged', FEWEST_EVENTS] as const]
      for (const [figure, least] of needed)
        assert.ok(
          Number(found.figures[figure]) >= least,
          `${figure}: the load was too small to prove anything`,
        )
    })
  }
})

function rank(name: string): number {
  return name === 'kill-postgres' ? 0 : 1
}
