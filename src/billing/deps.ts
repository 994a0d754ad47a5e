import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { SendList } from '../http/csv/list-export.ts'
import type { Once } from '../http/idempotency.ts'
import type { Charges } from './credits/reservations.ts'
import type { Payments } from './payments/payments.ts'
import type { LazyStripe } from './payments/stripe.ts'
import type { PlanChangeDeps } from './plans/change-plan.ts'

/** The dependencies of the slice's operations; each names the members that it uses. */
export interface BillingDeps extends PlanChangeDeps {
  config: Pick<Config, 'web' | 'billing' | 'plans'>
  database: Database
  once: Once
  /** Answers with a list, as JSON or CSV. */
  sendList: SendList
  log: Log
  /** Charges for work of other slices. */
  charges: Charges
  payments: Payments
  /** Stripe's client; undefined where Stripe is not configured. */
  stripe: LazyStripe | undefined
}

export interface Log {
  warn(data: object, message: string): void
  error(data: object, message: string): void
}
