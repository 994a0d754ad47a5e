import type { PlanChangeDeps } from './change-plan.ts'
import type { Charges } from './reservations.ts'

/** What the operations of the billing slice are made of; each names the members that it uses. */
export interface BillingDeps extends PlanChangeDeps {
  /** Pays for work of other slices. */
  charges: Charges
}
