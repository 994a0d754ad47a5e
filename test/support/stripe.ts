import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from './browser.ts'
import type { Postern } from './postern.ts'

/** A failure of one call to the API. */
export type Fault = number | 'hang' | 'garbage' | 'break off' | 'no url'

/** A request as it arrived: the form read back into its nested shape. */
export interface StripeRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  form: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: an object of Stripe's that a test changes freely.
export type StripeObject = Record<string, any>

const KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'
const WEBHOOK_SECRET = 'whsec_of_the_stand_in'

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>

/**
 * A stand-in of Stripe's HTTP API, as its reference describes it: form-encoded requests with a bearer key, JSON answers,
 * Idempotency-Key, errors as `{ error: { type, code, message } }`; and its events, signed by its own scheme.
 */
export async function startStripe() {
  const requests: StripeRequest[] = []
  const faults: Fault[] = []
  const sessions = new Map<string, StripeObject>()
  const answers = new Map<string, { body: string; session: StripeObject }>()
  const cancelled: string[] = []
  let hanging = () => {}
  let counter = 0

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const form = Object.fromEntries(new URLSearchParams(body))
    const path = request.url ?? ''
    requests.push({ method: request.method ?? '', path, headers: request.headers, form })
    const fault = faults.shift()
    if (fault === 'hang') return hanging()
    if (fault === 'break off') return request.socket.destroy()
    if (fault === 'garbage') return send(response, 200, '<html>maintenance</html>')
    if (typeof fault === 'number')
      return refuse(response, fault, 'api_error', undefined, 'Something is wrong.')
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return refuse(
        response,
        401,
        'invalid_request_error',
        undefined,
        'Invalid API Key provided: sk_test_****oops',
      )
    if (request.method === 'POST' && path === '/v1/checkout/sessions')
      return begin(response, form, body, String(request.headers['idempotency-key']), fault)
    const [, session = '', verb] = /^\/v1\/checkout\/sessions\/(cs_\w+)(\/expire)?$/.exec(path) ?? []
    if (session !== '') return look(response, session, verb !== undefined)
    const [, subscription] = /^\/v1\/subscriptions\/(sub_\w+)$/.exec(path) ?? []
    if (request.method === 'DELETE' && subscription !== undefined) {
      if (cancelled.includes(subscription) || subscription === 'sub_gone')
        return refuse(response, 404, 'invalid_request_error', 'resource_missing', 'No such subscription')
      cancelled.push(subscription)
      return send(response, 200, { id: subscription, object: 'subscription', status: 'canceled' })
    }
    return refuse(response, 404, 'invalid_request_error', undefined, `Unrecognized request URL (${path})`)
  }

  function look(response: ServerResponse, id: string, isToExpire: boolean): ServerResponse {
    const session = sessions.get(id)
    if (session === undefined)
      return refuse(
        response,
        404,
        'invalid_request_error',
        'resource_missing',
        `No such checkout.session: ${id}`,
      )
    if (isToExpire && session.status !== 'open')
      return refuse(
        response,
        400,
        'invalid_request_error',
        undefined,
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      )
    if (isToExpire) session.status = 'expired'
    return send(response, 200, session)
  }

  function begin(
    response: ServerResponse,
    form: Record<string, string>,
    body: string,
    key: string,
    fault: Fault | undefined,
  ): ServerResponse {
    const known = answers.get(key)
    if (known !== undefined && known.body !== body)
      return refuse(
        response,
        400,
        'idempotency_error',
        undefined,
        'Keys can only be used with the same parameters',
      )
    if (known !== undefined) return send(response, 200, known.session)
    const price = 'line_items[0][price_data]'
    for (const name of [
      'mode',
      'success_url',
      `${price}[currency]`,
      `${price}[unit_amount]`,
      `${price}[product_data][name]`,
    ])
      if (form[name] === undefined)
        return refuse(
          response,
          400,
          'invalid_request_error',
          'parameter_missing',
          `Missing required param: ${name}.`,
        )
    counter += 1
    const isSubscription = form.mode === 'subscription'
    const session: StripeObject = {
      id: `cs_test_${counter}`,
      object: 'checkout.session',
      url: fault === 'no url' ? null : `https://checkout.stripe.com/c/pay/cs_test_${counter}`,
      mode: form.mode,
      client_reference_id: form.client_reference_id ?? null,
      metadata: metadataOf(form, 'metadata'),
      amount_total: Number(form[`${price}[unit_amount]`]) * Number(form['line_items[0][quantity]']),
      currency: form[`${price}[currency]`],
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      subscription: null,
      livemode: false,
      expires_at: Number(form.expires_at),
      // Beside the session, for the events that follow from it.
      carried: metadataOf(
        form,
        isSubscription ? 'subscription_data[metadata]' : 'payment_intent_data[metadata]',
      ),
    }
    sessions.set(session.id, session)
    answers.set(key, { body, session })
    return send(response, 200, session)
  }

  const stripe = {
    url,
    requests,
    cancelled,
    /** The settings of a Postern that sells by it. */
    env: { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, STRIPE_API_BASE: url },
    /** What the next calls do, one after the other. */
    fail: (...next: Fault[]) => void faults.push(...next),
    /** Calls `then` whenever a call hangs. */
    onHang: (then: () => void) => {
      hanging = then
    },
    /** The session behind a `checkoutUrl`. */
    session(checkoutUrl: string): StripeObject {
      const session = sessions.get(checkoutUrl.split('/').at(-1) ?? '')
      assert.ok(session, checkoutUrl)
      return session
    },
    /** The customer pays: the event that Stripe sends then. */
    paid(checkoutUrl: string, changed: StripeObject = {}): StripeObject {
      const session = stripe.session(checkoutUrl)
      const subscription = session.mode === 'subscription' ? `sub_${session.id}` : null
      session.status = 'complete'
      return event('checkout.session.completed', {
        ...session,
        status: 'complete',
        payment_status: 'paid',
        payment_intent: subscription === null ? `pi_${session.id}` : null,
        subscription,
        ...changed,
      })
    },
    refunded(checkoutUrl: string, changed: StripeObject = {}): StripeObject {
      const session = stripe.session(checkoutUrl)
      const { amount_total: amount, currency, carried: metadata } = session
      const charge = {
        id: `ch_${session.id}`,
        object: 'charge',
        amount,
        amount_refunded: amount,
        currency,
        metadata,
      }
      return event('charge.refunded', { ...charge, ...changed })
    },
    subscriptionEnded(checkoutUrl: string): StripeObject {
      const session = stripe.session(checkoutUrl)
      const id = `sub_${session.id}`
      return event('customer.subscription.deleted', { id, object: 'subscription', metadata: session.carried })
    },
    event,
    /** Sends an event as Stripe does: signed over its timestamp and its exact bytes. */
    async deliver(
      postern: Postern,
      sent: StripeObject,
      { secret = WEBHOOK_SECRET, ageSeconds = 0, alter = (text: string) => text } = {},
    ): Promise<Answer> {
      const payload = JSON.stringify(sent)
      const timestamp = Math.floor(postern.clock.now() / 1_000) - ageSeconds
      const signature = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex')
      return postern.client().call('/v1/billing/stripe', {
        method: 'POST',
        body: alter(payload),
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': `t=${timestamp},v1=${signature},v0=ignored`,
        },
      })
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  function event(type: string, object: StripeObject): StripeObject {
    counter += 1
    return {
      id: `evt_${counter}`,
      object: 'event',
      type,
      livemode: false,
      api_version: '2026-10-28.endive',
      data: { object },
    }
  }

  return stripe
}

function metadataOf(form: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([key, value]) =>
      key.startsWith(`${name}[`) ? [[key.slice(name.length + 1, -1), value] as const] : [],
    ),
  )
}

function refuse(
  response: ServerResponse,
  status: number,
  type: string,
  code: string | undefined,
  message: string,
): ServerResponse {
  return send(
    response,
    status,
    { error: { type, code, message } },
    status === 429 ? { 'retry-after': '7' } : {},
  )
}

function send(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
): ServerResponse {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': 'req_of_stripe',
    ...headers,
  })
  return response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
