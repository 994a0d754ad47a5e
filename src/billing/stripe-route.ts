import type { FastifyRequest } from 'fastify'
import type { Stripe } from 'stripe'
import { trailOf } from '../audit/audit.ts'
import { ApiError } from '../core/errors.ts'
import { SIZE } from '../core/limits.ts'
import { unknownPath } from '../http/error-response.ts'
import { Type } from '../http/schema/type.ts'
import type { Server } from '../http/server.ts'
import type { BillingDeps } from './deps.ts'
import { applyStripeEvent } from './stripe-events.ts'

/** Stripe signs the time; a report older than this many seconds is refused as a replay. */
const TOLERANCE_SECONDS = 300

/**
 * `POST /v1/billing/stripe`: Stripe's reports of payments. Their signature covers the exact bytes, and they count only
 * for our own checkouts at the stored price.
 */
export function stripeRoutes(server: Server, deps: BillingDeps): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => body,
    )
    scope.post(
      '/v1/billing/stripe',
      {
        config: { access: 'public', rates: ['inboundPerIp'], ownRate: true, crossSite: true },
        bodyLimit: SIZE.eventBody,
        schema: {
          tags: ['Billing'],
          operationId: 'receiveStripeEvent',
          summary: 'Hear of a payment from Stripe',
          description:
            'Only for Stripe: the body must have its signature. The route does not exist without `STRIPE_SECRET_KEY`.',
          response: { 200: Type.Object({ received: Type.Boolean() }) },
        },
      },
      async (request) => {
        const event = await readEvent(request, deps)
        if (event === undefined) throw unknownPath(request)
        const outcome = await deps.database.tx((tx) => applyStripeEvent(tx, deps, trailOf(request), event))
        request.log.info({ event: event.id, type: event.type, outcome }, 'Stripe event')
        return { received: true }
      },
    )
  })
}

/**
 * @returns undefined where Stripe is not configured
 * @throws ApiError UNAUTHORIZED for an invalid signature
 */
async function readEvent(
  { headers, body, now }: FastifyRequest,
  { config, stripe }: Pick<BillingDeps, 'config' | 'stripe'>,
): Promise<Stripe.Event | undefined> {
  if (stripe === undefined || config.billing.stripe === undefined) return undefined
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string' || !Buffer.isBuffer(body)) throw new ApiError('UNAUTHORIZED', {})
  const { webhooks } = await stripe()
  try {
    const { webhookSecret } = config.billing.stripe
    return webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_SECONDS, undefined, now)
  } catch {
    throw new ApiError('UNAUTHORIZED', {})
  }
}
