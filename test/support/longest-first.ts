/**
 * The files that take longest: processor time of their processes and of PostgreSQL, and waiting time. A long file that runs
 * last would leave a core idle. Measure again when a file has become much slower or faster.
 */
const LONGEST = [
  'test/torture.test.ts',
  'test/simulator.test.ts',
  'test/agents/restarts.test.ts',
  'test/webhooks/in-flight.test.ts',
  'test/billing/stripe.test.ts',
  'test/abuse/timing.test.ts',
  'test/files/processing.test.ts',
  'test/abuse/clock.test.ts',
  'test/cli-organizations.test.ts',
  'test/store-conformance.test.ts',
  'test/shutdown.test.ts',
  'test/abuse/load.test.ts',
  'test/row-conformance.test.ts',
  'test/http/refusals.test.ts',
  'test/abuse/throttling.test.ts',
  'test/knowledge/robust.test.ts',
  'test/abuse/largest.test.ts',
  'test/access/rights.test.ts',
  'test/abuse/model.test.ts',
  'test/routes.test.ts',
  'test/billing/ledger.test.ts',
  'test/start.test.ts',
  'test/pages/browser.test.ts',
  'test/housekeeping.test.ts',
  'test/http/idempotency.test.ts',
  'test/abuse/boot.test.ts',
  'test/webhooks/fan-out-kills.test.ts',
  'test/migrations.test.ts',
  'test/abuse/mail.test.ts',
  'test/pooler.test.ts',
  'test/files/upload.test.ts',
  'test/pages/usable.test.ts',
  'test/webhooks/replay.test.ts',
  'test/abuse/races.test.ts',
  'test/webhooks/neighbours.test.ts',
  'test/abuse/scanners.test.ts',
  'test/abuse/social-outage.test.ts',
]

/** @throws Error where one of the longest is not there any more under its name */
export function longestFirst(files: string[]): string[] {
  const missing = LONGEST.filter((file) => !files.includes(file))
  if (missing.length > 0) throw new Error(`test/support/longest-first.ts names what is not there: ${missing}`)
  return [...LONGEST, ...files.filter((file) => !LONGEST.includes(file))]
}
