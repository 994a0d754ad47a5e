/** A pure part of the program, and what is meant to hold it. */
export interface Part {
  name: string
  /** The files that are changed, one small change at a time. */
  files: string[]
  /** The tests that must notice; black-box ones run on the embedded store. */
  tests: string[]
  /** Seeds of the simulator that run beside them. */
  seeds?: number
}

/** Of all changes to a part so many in a hundred must be noticed. */
export const LEAST_KILLED = 90

/** The parts whose rules others rely on. A part that moves takes its row along. */
export const PARTS: Part[] = [
  { name: 'cycle', files: ['src/billing/cycle.ts'], tests: ['src/billing/cycle.test.ts'] },
  {
    name: 'signature',
    files: ['src/webhooks/signature.ts'],
    tests: ['src/webhooks/signature.test.ts'],
  },
  { name: 'outcome', files: ['src/webhooks/outcome.ts'], tests: ['src/webhooks/outcome.test.ts'] },
  { name: 'retry', files: ['src/webhooks/retry.ts'], tests: ['src/webhooks/retry.test.ts'] },
  { name: 'retry-after', files: ['src/net/retry-after.ts'], tests: ['src/webhooks/outcome.test.ts'] },
  { name: 'id', files: ['src/core/id.ts'], tests: ['src/core/id.test.ts'] },
  { name: 'breaker', files: ['src/webhooks/breaker.ts'], tests: ['src/webhooks/breaker.test.ts'] },
  {
    name: 'lanes',
    files: ['lanes', 'lane', 'turns', 'room'].map((file) => `src/webhooks/${file}.ts`),
    tests: ['src/webhooks/lanes.test.ts'],
  },
  {
    name: 'shares',
    files: ['shares', 'ring', 'rings', 'level', 'places', 'proven'].map((file) => `src/webhooks/${file}.ts`),
    tests: ['shares', 'ring', 'level', 'places'].map((file) => `src/webhooks/${file}.test.ts`),
  },
  {
    name: 'claims',
    files: ['src/webhooks/claims.ts', 'src/webhooks/returns.ts'],
    tests: ['src/webhooks/claims.test.ts'],
  },
  { name: 'rate-limit', files: ['src/http/rate-limit.ts'], tests: ['src/http/rate-limit.test.ts'] },
  { name: 'idempotency', files: ['src/http/idempotency.ts'], tests: ['test/http/idempotency.test.ts'] },
  {
    name: 'ledger',
    files: ['src/billing/ledger.ts', 'src/billing/balance.ts', 'src/billing/reservations.ts'],
    tests: ['test/billing/ledger.test.ts'],
  },
]
