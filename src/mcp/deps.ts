import type { Logger } from 'pino'
import type { PlanBook } from '../core/plans.ts'

/** What `/mcp` is made of. */
export interface McpDeps {
  baseUrl: string
  /** Origins whose pages may speak to it. */
  allowedOrigins: string[]
  plans: PlanBook
  log: Pick<Logger, 'debug'>
}
