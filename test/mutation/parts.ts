/** A part of the program, and the tests that must hold it. */
export interface Part {
  name: string
  /** The files that are changed, one small change at a time. */
  files: string[]
  /** The tests that must notice; black-box ones run on the embedded store. */
  tests: string[]
}

/** Of all changes to a part so many in a hundred must be noticed. */
export const LEAST_KILLED = 90

/** The parts whose rules others rely on. A part that moves takes its row along. */
export const PARTS: Part[] = [
  { name: 'cycle', files: ['src/billing/credits/cycle.ts'], tests: ['src/billing/credits/cycle.test.ts'] },
  {
    name: 'signature',
    files: ['src/delivery/attempt/signature.ts'],
    tests: ['src/delivery/attempt/signature.test.ts'],
  },
  {
    name: 'outcome',
    files: ['src/delivery/attempt/outcome.ts'],
    tests: ['src/delivery/attempt/outcome.test.ts'],
  },
  {
    name: 'backoff',
    files: ['src/core/backoff.ts', 'src/delivery/attempt/schedule.ts'],
    tests: ['src/core/backoff.test.ts', 'src/delivery/attempt/schedule.test.ts'],
  },
  { name: 'retry-after', files: ['src/net/retry-after.ts'], tests: ['src/delivery/attempt/outcome.test.ts'] },
  { name: 'id', files: ['src/core/id.ts'], tests: ['src/core/id.test.ts'] },
  {
    name: 'batcher',
    files: ['src/core/batcher.ts', 'src/core/batched-lookup.ts'],
    tests: ['src/core/batcher.test.ts'],
  },
  { name: 'waits', files: ['src/core/waits.ts'], tests: ['src/core/waits.test.ts'] },
  {
    name: 'for-each-despite-errors',
    files: ['src/core/for-each-despite-errors.ts'],
    tests: ['src/core/for-each-despite-errors.test.ts'],
  },
  {
    name: 'time-limit',
    files: ['src/processes/time-limit.ts'],
    tests: ['src/processes/time-limit.test.ts'],
  },
  { name: 'fuse', files: ['src/knowledge/search/fuse.ts'], tests: ['src/knowledge/search/fuse.test.ts'] },
  {
    name: 'breaker',
    files: ['src/jobs/lanes/circuit-breaker.ts'],
    tests: ['src/jobs/lanes/circuit-breaker.test.ts'],
  },
  {
    name: 'lanes',
    files: ['lanes', 'lane', 'turns'].map((file) => `src/jobs/lanes/${file}.ts`),
    tests: ['lanes', 'lane', 'turns'].map((file) => `src/jobs/lanes/${file}.test.ts`),
  },
  {
    name: 'shares',
    files: [
      ...['fair-limiter', 'round-robin'].map((file) => `src/core/${file}.ts`),
      ...['concurrency-limit', 'job-shares', 'token-bucket'].map((file) => `src/jobs/lanes/${file}.ts`),
    ],
    tests: [
      ...['fair-limiter', 'round-robin'].map((file) => `src/core/${file}.test.ts`),
      ...['concurrency-limit', 'job-shares', 'token-bucket'].map((file) => `src/jobs/lanes/${file}.test.ts`),
    ],
  },
  {
    name: 'claims',
    files: ['src/jobs/worker/claims.ts'],
    tests: ['src/jobs/worker/claims.test.ts'],
  },
  { name: 'rate-limit', files: ['src/http/rate-limit.ts'], tests: ['src/http/rate-limit.test.ts'] },
  {
    name: 'credentials',
    files: ['src/access/credential-cache.ts', 'src/access/read-credential.ts'],
    tests: ['src/access/credential-cache.test.ts', 'src/access/read-credential.test.ts'],
  },
  { name: 'idempotency', files: ['src/http/idempotency.ts'], tests: ['test/http/once.test.ts'] },
  {
    name: 'ledger',
    files: [
      ...['account', 'grants', 'ledger', 'movements', 'open-account', 'read-balance', 'reservations'],
    ].map((file) => `src/billing/credits/${file}.ts`),
    tests: ['test/billing/credits.test.ts'],
  },
]
