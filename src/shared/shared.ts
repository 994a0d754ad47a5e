import type { Logger } from 'pino'
import type { Siblings } from '../cluster/siblings.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createLoopTurns, type LoopTurns } from '../core/loop-turns.ts'
import type { Vault } from '../core/secret.ts'
import type { Database } from '../db/database.ts'
import { createListExport, type SendList } from '../http/csv/list-export.ts'
import { createOnce, type Once } from '../http/idempotency.ts'
import { createLimiter, type Limiter, memoryCounter } from '../http/rate-limit.ts'
import { databaseCounter } from '../http/shared-counter.ts'
import type { Resolve } from '../net/destination.ts'
import type { LookUpTexts } from '../net/text-resolver.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { watchTelemetry } from './watch-telemetry.ts'

/** The parts that exist once in a process and that every slice is given. */
export interface Shared {
  config: Config
  clock: Clock
  log: Logger
  database: Database
  vault: Vault
  /** Resolves the host names of outgoing calls. */
  resolve: Resolve
  /** Looks up texts in the domain name system. */
  lookUpTexts: LookUpTexts
  /** What the hash of a password costs; undefined in production (`access/passwords.ts`). */
  hashCost: { memoryCost: number; timeCost: number } | undefined
  limiter: Limiter
  /** The turns of the event loop, which organizations share. */
  turns: LoopTurns<string>
  /** Runs a creating request once, however often it is sent. */
  once: Once
  /** Answers with a list as a table. */
  sendList: SendList
  metrics: Metrics
  /** undefined: telemetry is off. */
  telemetry: Telemetry | undefined
  /** The workers on the same port; undefined: this process serves alone. */
  siblings: Siblings | undefined
}

/** The settings and parts that the caller makes. */
export function createShared(
  outside: Omit<Shared, 'limiter' | 'turns' | 'once' | 'sendList' | 'metrics'>,
): Shared {
  const { config, database, vault } = outside
  const metrics = createMetrics(outside.siblings?.number)
  watchTelemetry(outside, metrics)
  const counter = database.shared ? databaseCounter(database) : memoryCounter()
  return {
    ...outside,
    limiter: createLimiter(counter, config.http.rates),
    turns: createLoopTurns(),
    once: createOnce({ database, vault }),
    sendList: createListExport(outside),
    metrics,
  }
}
