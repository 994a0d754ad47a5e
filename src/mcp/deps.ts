import type { Logger } from 'pino'
import type { PlanBook } from '../core/plans.ts'

/** The dependencies of `/mcp`. */
export interface McpDeps {
  baseUrl: string
  /** Origins whose pages may call it. */
  allowedOrigins: string[]
  plans: PlanBook
  log: Pick<Logger, 'debug'>
}
