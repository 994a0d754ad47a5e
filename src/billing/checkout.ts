import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../audit/audit.ts'
import { toIso, toIsoOrNull } from '../core/clock.ts'
import { newId } from '../core/id.ts'
import type { Tx } from '../db/database.ts'
import { getOwned } from '../db/owned-row.ts'
import { callerOf } from '../http/principal.ts'
import { checkReturnUrl, returnUrlSchema } from '../http/schema/return-url.ts'
import { Type } from '../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { BillingDeps } from './deps.ts'
import { completeCheckout } from './payments/complete-checkout.ts'
import { statusOf } from './payments/find-checkout.ts'
import { ONE_ITEM, readItem, sellableCredits, sellablePlans } from './payments/item.ts'
import { type Checkout, lockCheckout } from './payments/lock-checkout.ts'
import { checkoutPage, type Order } from './payments/payments.ts'
import { MoneySchema } from './plans.ts'

const CheckoutSchema = Type.Object({
  id: Type.String(),
  status: Type.String({ enum: ['open', 'paid', 'expired', 'refunded'] }),
  credits: Nullable(Type.Integer()),
  plan: Nullable(Type.String()),
  price: MoneySchema,
  checkoutUrl: Type.String(),
  createdAt: Moment,
  expiresAt: Moment,
  paidAt: Nullable(Moment),
})

/** Creating and reading checkouts. */
export function checkoutRoutes(server: Server, deps: BillingDeps): void {
  const { config, database, once, book, payments } = deps

  server.post(
    '/v1/billing/checkout',
    {
      config: { access: 'billing:write', once: true },
      schema: {
        tags: ['Billing'],
        operationId: 'createCheckout',
        summary: 'Begin a checkout',
        description:
          'For either credits or a plan. The payment is made at `checkoutUrl`. The credits or the plan are granted after the payment, and every process knows a new plan within 5 seconds; a free checkout takes effect at once.',
        body: strict(
          {
            credits: Type.Optional(Type.Integer({ minimum: 1, examples: [1_000], ...sellableCredits(book) })),
            plan: Type.Optional(Type.String({ minLength: 1, maxLength: 32, ...sellablePlans(book) })),
            returnUrl: Type.Optional(returnUrlSchema(config.web.allowedOrigins)),
          },
          { minProperties: 1, ...ONE_ITEM },
        ),
        response: {
          200: Type.Object({ checkoutUrl: Type.String(), checkoutId: Type.String(), expiresAt: Moment }),
        },
      },
    },
    async (request, reply) => {
      const { now } = request
      const { organizationId, plan } = callerOf(request)
      const item = readItem(book, plan, request.body)
      const { returnUrl } = request.body
      checkReturnUrl(returnUrl, config.web.allowedOrigins, 'returnUrl')
      const order: Order = {
        id: newId('checkout', now),
        organizationId,
        ...item,
        returnUrl: returnUrl ?? `${config.web.baseUrl}/checkout`,
        expiresAt: now + payments.lifetime,
      }
      const isFree = order.price.amount === 0
      return once(
        request,
        reply,
        async (tx, { url, reference }) => {
          const row: Checkout = {
            id: order.id,
            organization_id: organizationId,
            credits: item.credits,
            plan: item.plan,
            amount: order.price.amount * order.quantity,
            currency: order.price.currency,
            provider: isFree ? 'none' : payments.name,
            provider_reference: reference,
            url,
            status: 'open',
            created_by: callerOf(request).actorId,
            created_at: now,
            expires_at: order.expiresAt,
            paid_at: null,
            closing: 0,
          }
          await record(tx, request, row)
          if (isFree) await completeCheckout(tx, deps, trailOf(request), await lockCheckout(tx, row.id))
          return {
            status: 200,
            body: { checkoutUrl: url, checkoutId: row.id, expiresAt: toIso(row.expires_at) },
          }
        },
        async () =>
          isFree
            ? { url: `${checkoutPage(config.web.baseUrl, order.id)}&state=completed`, reference: null }
            : payments.begin(order),
      )
    },
  )

  server.get(
    '/v1/billing/checkout/:id',
    {
      config: { access: 'billing:read' },
      schema: {
        tags: ['Billing'],
        operationId: 'readCheckout',
        summary: 'Read a checkout',
        params: strict({ id: IdSchema('checkout') }),
        response: { 200: CheckoutSchema },
      },
    },
    async (request) => {
      const row = await getOwned(database.db, 'checkout', request.params.id, callerOf(request).organizationId)
      return {
        id: row.id,
        status: statusOf(row, request.now),
        credits: row.credits,
        plan: row.plan,
        price: { amount: row.amount, currency: row.currency },
        checkoutUrl: row.url,
        createdAt: toIso(row.created_at),
        expiresAt: toIso(row.expires_at),
        paidAt: toIsoOrNull(row.paid_at),
      }
    },
  )
}

async function record(tx: Tx, request: FastifyRequest, row: Checkout): Promise<void> {
  const { id, organization_id: organizationId, created_by: actorId, credits, plan, amount, currency } = row
  await tx.insertInto('checkout').values(row).execute()
  await audit(tx, trailOf(request), {
    action: 'checkout.created',
    organizationId,
    actorId,
    targetId: id,
    details: { credits, plan, amount, currency, provider: row.provider },
  })
}
