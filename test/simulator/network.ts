import type { Dispatcher } from 'undici'
import type { Clock, Millis } from '#src/core/clock.ts'
import type { Result } from '#src/delivery/attempt/outcome.ts'
import { createSend, type Send } from '#src/delivery/attempt/send.ts'

/** The reaction of a destination to a call, and its delay. */
export interface Reply {
  result: Result
  after: Millis
}

/** One request, as the destination gets it. */
export interface Call {
  url: string
  deliveryId: string
  attempt: number
  /** `X-Service-Signature`; undefined where the call was not signed for brevity. */
  signature: string | undefined
  body: Uint8Array
}

interface NetworkDeps {
  clock: Clock
  /** Whether requests go the whole way through the real sender, signatures and deadline included. */
  isWhole: boolean
  /** Calls a destination. */
  call: (call: Call) => Reply
  /** Resolves after a delay, unless the process has crashed. */
  wait: (delay: Millis) => Promise<void>
}

const CODES: Record<string, string> = { refused: 'ECONNREFUSED', reset: 'ECONNRESET' }

/** The way from one process to the destinations. */
export function createNetwork({ clock, isWhole, call, wait }: NetworkDeps): Send {
  if (isWhole) {
    const dispatcher = { dispatch } as unknown as Dispatcher
    return createSend({
      clock,
      agent: { reserve: async () => ({ dispatcher, release: () => {} }), close: async () => {} },
    })
  }
  return async ({ url }, { deliveryId, attempt, body }) => {
    const { result, after } = call({ url, deliveryId, attempt, signature: undefined, body })
    await wait(after)
    return {
      result,
      durationMs: after,
      secretIndex: 0,
      requestHeaders: '{}',
      responseHeaders: null,
      responseBody: null,
      reach: '0',
      error: null,
    }
  }

  function dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const headers = options.headers as Record<string, string>
    let isAborted = false
    const controller = {
      abort: () => {
        isAborted = true
      },
    } as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, {})
    const { result, after } = call({
      url: `${options.origin}${options.path}`,
      deliveryId: headers['x-service-delivery'] ?? '',
      attempt: Number(headers['x-service-attempt']),
      signature: headers['x-service-signature'],
      body: options.body as Uint8Array,
    })
    // A call without answer ends by the sender's deadline.
    if ('failure' in result && result.failure === 'timeout') return true
    void wait(after).then(() => {
      if (isAborted) return
      if ('failure' in result) {
        const code = CODES[result.failure]
        return handler.onResponseError?.(controller, Object.assign(new Error(result.failure), { code }))
      }
      const { status, retryAfter } = result
      const answered = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      handler.onResponseStart?.(controller, status, answered, '')
      handler.onResponseEnd?.(controller, {})
    })
    return true
  }
}
