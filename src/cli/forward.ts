import { type Clock, SECOND, stopwatch } from '../core/clock.ts'
import type { Failure } from '../delivery/attempt/outcome.ts'
import { DEADLINE, describe, failureOf, flatten, KEPT_BODY } from '../delivery/attempt/send.ts'
import { createAgent } from '../net/agent.ts'
import { postTo } from '../net/exchange.ts'
import { createResolver } from '../net/resolver.ts'

/** A delivery as the server returns it. */
export interface Fetched {
  receipt: string
  deliveryId: string
  eventType: string
  attempt: number
  headers: Record<string, string>
  previousSignatures: string[]
  bodyBase64: string
}

/** The result of an attempt as it is reported to the server. */
export interface ForwardResult {
  receipt: string
  durationMs: number
  signature: number
  status?: number
  headers?: Record<string, string>
  bodyBase64?: string
  failure?: Exclude<Failure, 'blocked_address'>
  error?: string
}

/** Sends deliveries to one address on this machine or its network. */
interface Forwarder {
  /** Makes one attempt with the bytes, headers and deadline from the server. */
  send(delivery: Fetched): Promise<ForwardResult>
  close(): Promise<void>
}

/** Allows private addresses: the address comes from the person at the terminal. */
const anywhere = () => true

class TimeoutError extends Error {}

/** @param target the URL of each request, with its path and query */
export function createForwarder({ origin, pathname, search }: URL, clock: Clock): Forwarder {
  const agent = createAgent({ isAllowed: anywhere, resolve: createResolver({ clock }), idle: 10 * SECOND })

  async function post(
    { receipt, headers, bodyBase64, previousSignatures }: Fetched,
    signature: number,
    left: number,
  ): Promise<ForwardResult> {
    const elapsed = stopwatch()
    const place = await agent.reserve('', origin)
    const signed = previousSignatures[signature - 1]
    const question = {
      ...{ origin, path: pathname + search, body: Buffer.from(bodyBase64, 'base64') },
      headers: signed === undefined ? headers : { ...headers, 'x-service-signature': signed },
    }
    const exchange = postTo(place.dispatcher, question, KEPT_BODY)
    const cancel = clock.after(left, () => exchange.abort(new TimeoutError()))
    try {
      const { status, headers: answered, body } = await exchange.answer
      return {
        ...{ receipt, signature, status, headers: reportable(flatten(answered)) },
        bodyBase64: Buffer.from(body).toString('base64'),
        durationMs: Math.round(elapsed()),
      }
    } catch (thrown) {
      const isLate = thrown instanceof TimeoutError
      const failure = isLate ? 'timeout' : (failureOf(thrown) as ForwardResult['failure'] & string)
      const error = isLate ? `no whole answer within ${DEADLINE / SECOND} s` : describe(thrown)
      return { receipt, signature, failure, error, durationMs: Math.round(elapsed()) }
    } finally {
      cancel()
      place.release()
    }
  }

  return {
    async send(delivery) {
      const elapsed = stopwatch()
      const left = () => Math.max(1, DEADLINE - elapsed())
      let result = await post(delivery, 0, left())
      // A receiver that still holds an older secret refuses the newer signature, as for the server's own attempts.
      for (let index = 1; index <= delivery.previousSignatures.length && isRefused(result); index += 1)
        result = await post(delivery, index, left())
      return { ...result, durationMs: Math.round(elapsed()) }
    },
    close: () => agent.close(),
  }
}

/** The first headers of an answer, up to the limit of a report. */
function reportable(headers: Record<string, string>): Record<string, string> {
  const fitting = Object.entries(headers).filter(([name]) => name.length <= 256)
  return Object.fromEntries(fitting.slice(0, 100))
}

function isRefused({ status }: ForwardResult): boolean {
  return status === 401 || status === 403
}
