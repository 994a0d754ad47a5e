import type { Millis } from '../core/clock.ts'
import type { Server } from '../http/server.ts'
import { createAgent } from '../net/agent.ts'
import type { Shared } from '../shared/shared.ts'
import { balanceRoutes } from './balance.ts'
import { createBillingWorker } from './billing-worker.ts'
import { checkoutRoutes } from './checkout.ts'
import { type Charges, createCharges } from './credits/reservations.ts'
import type { BillingDeps } from './deps.ts'
import { ledgerRoutes } from './ledger-routes.ts'
import { type ShownCheckout, showCheckout } from './payments/find-checkout.ts'
import { manualPayments } from './payments/payments.ts'
import { lazyStripe, stripePayments } from './payments/stripe.ts'
import { planRoutes } from './plans.ts'
import { stripeRoutes } from './stripe-route.ts'

/** Plans, credits and payments. */
interface Billing {
  routes: (server: Server) => void
  /** Charges for work of other slices. */
  charges: Charges
  findCheckout: (id: string, now: Millis) => Promise<ShownCheckout | undefined>
  start: () => void
  stop: () => Promise<void>
  close: () => Promise<void>
}

/** Creates the parts of the slice; none runs yet. */
export function createBilling(
  { config, clock, log, database, once, sendList, resolve }: Shared,
  { forgetCallers }: { forgetCallers: () => void },
): Billing {
  // The operator configured this address: it is not checked.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const stripe = config.billing.stripe && lazyStripe(config.billing.stripe, { clock, agent })
  const payments = stripe === undefined ? manualPayments(config.web.baseUrl) : stripePayments(stripe, log)
  const book = config.plans.book
  const charges = createCharges(book)
  const deps: BillingDeps = {
    config,
    database,
    once,
    sendList,
    log,
    book,
    forgetCallers,
    charges,
    payments,
    stripe,
  }
  const worker =
    config.role === 'api' ? undefined : createBillingWorker({ database, book, payments, clock, log })
  return {
    routes(server) {
      planRoutes(server, deps)
      balanceRoutes(server, deps)
      ledgerRoutes(server, deps)
      checkoutRoutes(server, deps)
      stripeRoutes(server, deps)
    },
    charges,
    findCheckout: (id, now) => showCheckout(database.db, id, now),
    start: () => worker?.start(),
    stop: async () => worker?.stop(),
    close: agent.close,
  }
}
