import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import type { Cycle, Money } from '../../core/plans.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** An order for a payment provider. */
export interface Order {
  id: Id<'checkout'>
  organizationId: Id<'organization'>
  /** The text on the bill. */
  title: string
  /** The price of one unit; `quantity` of them are bought. */
  price: Money
  quantity: number
  /** How often it is paid; undefined: once. */
  every: Cycle | undefined
  /** Where the browser goes afterwards. */
  returnUrl: string
  expiresAt: Millis
}

/** Takes money for a checkout. */
export interface Payments {
  name: Tables['checkout']['provider']
  /** How long a checkout may be paid. */
  lifetime: Millis
  /**
   * Prepares the place where an order is paid.
   * @returns its address, and the provider's own id of it
   * @throws ApiError INTEGRATION_PROVIDER_ERROR, INTEGRATION_RATE_LIMIT
   */
  begin(order: Order): Promise<{ url: string; reference: string | null }>
  /** Ends a subscription: nothing more is charged. One that has ended is no error. */
  cancel(subscriptionId: string): Promise<void>
  /** Closes the place where an order is paid, by the provider's id of it. One that is paid or has ended is no error. */
  close(reference: string): Promise<void>
}

/** Our own page, which says how to pay. */
export function checkoutPage(baseUrl: string, id: Id<'checkout'>): string {
  return `${baseUrl}/checkout?id=${id}`
}

/** No payment provider: the operator settles checkouts by `postern credits --settle`. */
export function manualPayments(baseUrl: string): Payments {
  return {
    name: 'manual',
    lifetime: LIFETIME.manualCheckout,
    begin: async ({ id }) => ({ url: checkoutPage(baseUrl, id), reference: null }),
    async cancel() {},
    async close() {},
  }
}
