import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Once } from '../http/idempotency.ts'
import type { SendList } from '../http/table/tables.ts'
import type { Charges } from './credits/reservations.ts'
import type { Payments } from './payments/payments.ts'
import type { LazyStripe } from './payments/stripe.ts'
import type { PlanChangeDeps } from './plans/change-plan.ts'

/** What the operations of the billing slice are made of; each names the members that it uses. */
export interface BillingDeps extends PlanChangeDeps {
  config: Pick<Config, 'web' | 'billing' | 'plans'>
  database: Database
  once: Once
  /** Answers with a list as a table. */
  sendList: SendList
  log: Log
  /** Pays for work of other slices. */
  charges: Charges
  payments: Payments
  /** Reads what Stripe sends; undefined where Stripe is not configured. */
  stripe: LazyStripe | undefined
}

export interface Log {
  warn(data: object, message: string): void
  error(data: object, message: string): void
}
