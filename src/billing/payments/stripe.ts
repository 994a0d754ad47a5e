import type { Stripe } from 'stripe'
import type { StripeConfig } from '../../config/config.ts'
import { type Clock, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { LIFETIME } from '../../core/limits.ts'
import { withQuery } from '../../http/schema/return-url.ts'
import type { Agent } from '../../net/agent.ts'
import { createApiFetch } from '../../net/api-fetch.ts'
import type { Order, Payments } from './payments.ts'

/** Longest request; Stripe's client retries it twice, with the same Idempotency-Key. */
const DEADLINE = 10 * SECOND
const RETRIES = 2

/** The wait after a 429 without a time. */
const WAIT_SECONDS = 60

/** Stripe's client, loaded when it is first needed: a server without Stripe never loads it. */
export type LazyStripe = () => Promise<Stripe>

export function lazyStripe(
  { secretKey, apiBase }: StripeConfig,
  { clock, agent }: { clock: Clock; agent: Agent },
): LazyStripe {
  let client: Promise<Stripe> | undefined
  return () => {
    client ??= import('stripe').then(({ Stripe }) => {
      const { protocol, hostname, port } = new URL(apiBase)
      return new Stripe(secretKey, {
        protocol: protocol === 'http:' ? 'http' : 'https',
        host: hostname,
        port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
        httpClient: Stripe.createFetchHttpClient(
          createApiFetch({ clock, agent, owner: 'stripe', deadline: DEADLINE }) as typeof fetch,
        ),
        maxNetworkRetries: RETRIES,
        timeout: 2 * DEADLINE,
        telemetry: false,
      })
    })
    return client
  }
}

/** Payments by Stripe Checkout: credits are paid once, a plan each cycle. */
export function stripePayments(
  stripe: LazyStripe,
  log: { error(data: object, message: string): void },
): Payments {
  return {
    name: 'stripe',
    lifetime: LIFETIME.stripeCheckout,
    async begin(order) {
      const client = await stripe()
      const session = await client.checkout.sessions
        .create(sessionOf(order), { idempotencyKey: order.id })
        .catch((error: unknown) => fail(error, log))
      if (typeof session.url !== 'string' || !session.id)
        throw new ApiError('INTEGRATION_PROVIDER_ERROR', { provider: 'stripe', reason: 'malformed_answer' })
      return { url: session.url, reference: session.id }
    },
    async cancel(subscriptionId) {
      const client = await stripe()
      await client.subscriptions.cancel(subscriptionId).catch((error: unknown) => {
        if ((error as { code?: string }).code !== 'resource_missing') throw error
      })
    },
    async close(reference) {
      const { checkout } = await stripe()
      await checkout.sessions.expire(reference).catch(async (error: unknown) => {
        // Stripe refuses to close a session that is not open with the same code as any other mistake.
        if ((error as { type?: string }).type !== 'StripeInvalidRequestError') throw error
        if (await isOpen(checkout, reference)) throw error
      })
    },
  }
}

/** Whether a session can still be paid. */
async function isOpen({ sessions }: Stripe['checkout'], id: string): Promise<boolean> {
  try {
    return (await sessions.retrieve(id)).status === 'open'
  } catch (error) {
    if ((error as { code?: string }).code === 'resource_missing') return false
    throw error
  }
}

function sessionOf(order: Order): Stripe.Checkout.SessionCreateParams {
  const { id, title, price, quantity, every, returnUrl, expiresAt } = order
  const metadata = { checkout: id, organization: order.organizationId }
  const back = (state: string) => withQuery(returnUrl, { id, state })
  return {
    mode: every === undefined ? 'payment' : 'subscription',
    client_reference_id: id,
    metadata,
    line_items: [
      {
        quantity,
        price_data: {
          currency: price.currency,
          unit_amount: price.amount,
          product_data: { name: title },
          ...(every === undefined ? {} : { recurring: { interval: every } }),
        },
      },
    ],
    // Payments and subscriptions carry the same metadata, by which refunds and ends of subscriptions are matched.
    ...(every === undefined ? { payment_intent_data: { metadata } } : { subscription_data: { metadata } }),
    success_url: back('completed'),
    cancel_url: back('cancelled'),
    expires_at: Math.floor(expiresAt / 1_000),
  }
}

/**
 * Throws Stripe's refusal as an error of the catalogue. Its message goes only to the operator's log, because it may
 * name the account.
 */
function fail(error: unknown, log: { error(data: object, message: string): void }): never {
  const { type, code, statusCode, message, requestId, headers } = error as {
    type?: string
    code?: string
    statusCode?: number
    message?: string
    requestId?: string
    headers?: Record<string, string>
  }
  log.error(
    { type, code, statusCode, stripeRequestId: requestId, reason: message },
    'Stripe refused a checkout',
  )
  if (statusCode === 429) {
    const asked = Number(headers?.['retry-after'])
    const retryAfterSeconds = Number.isInteger(asked) && asked > 0 ? Math.min(asked, 3_600) : WAIT_SECONDS
    throw new ApiError('INTEGRATION_RATE_LIMIT', { provider: 'stripe', retryAfterSeconds })
  }
  throw new ApiError('INTEGRATION_PROVIDER_ERROR', {
    provider: 'stripe',
    reason: statusCode === undefined ? 'no_answer' : 'refused',
  })
}
