/**
 * The files that take longest, by the processor time of their processes, of PostgreSQL and of waiting together. A long one that
 * came last would leave a core idle. Measured anew when a file has become much slower or faster.
 */
const LONGEST = [
  'test/torture.test.ts',
  'test/simulator.test.ts',
  'test/housekeeping.test.ts',
  'test/abuse/timing.test.ts',
  'test/start.test.ts',
  'test/files/processing.test.ts',
  'test/webhooks/fan-out-kills.test.ts',
  'test/knowledge/knowledge.test.ts',
  'test/webhooks/fan-out.test.ts',
  'test/webhooks/addresses.test.ts',
  'test/store-conformance.test.ts',
  'test/abuse/largest.test.ts',
  'test/migrations.test.ts',
  'test/webhooks/batch.test.ts',
  'test/abuse/throttling.test.ts',
  'test/abuse/boot.test.ts',
  'test/routes.test.ts',
  'test/postgres-tls.test.ts',
  'test/shutdown.test.ts',
  'test/pooler.test.ts',
  'test/tour.test.ts',
  'test/webhooks/connections.test.ts',
  'test/abuse/model.test.ts',
  'test/pages/usable.test.ts',
  'test/pages/browser.test.ts',
  'test/data-folder.test.ts',
  'test/abuse/load.test.ts',
]

/** @throws Error where one of the longest is not there any more under its name */
export function longestFirst(files: string[]): string[] {
  const missing = LONGEST.filter((file) => !files.includes(file))
  if (missing.length > 0) throw new Error(`test/support/longest-first.ts names what is not there: ${missing}`)
  return [...LONGEST, ...files.filter((file) => !LONGEST.includes(file))]
}
