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
  /** The price of one unit; the order has `quantity` of them. */
  price: Money
  quantity: number
  /** The payment interval; undefined: paid once. */
  every: Cycle | undefined
  /** Where the browser goes afterwards. */
  returnUrl: string
  expiresAt: Millis
}

/** A payment provider. */
export interface Payments {
  name: Tables['checkout']['provider']
  /** How long a checkout can be paid. */
  lifetime: Millis
  /**
   * Prepares the payment page of an order.
   * @returns its URL, and the provider's id of it
   * @throws ApiError INTEGRATION_PROVIDER_ERROR, INTEGRATION_RATE_LIMIT
   */
  begin(order: Order): Promise<{ url: string; reference: string | null }>
  /** Ends a subscription, so that nothing more is charged. An ended one is no error. */
  cancel(subscriptionId: string): Promise<void>
  /** Closes a payment page by the provider's id. A paid or ended one is no error. */
  close(reference: string): Promise<void>
}

/** Our own page with instructions for payment. */
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
