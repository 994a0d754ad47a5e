import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client'
import type { Traffic } from './failures.ts'
import type { Send } from './server-fetch.ts'

/** One use of a session: how its requests are sent, and what comes of them. */
export interface Exchange {
  send: Send
  traffic: Traffic
  onLost(): void
  /** Aborts with that. */
  lost: AbortSignal
}

/**
 * Calls `onLost` when a request is over without its answer: a whole body that answers another request, or a stream that ended
 * for good. The client would wait until the deadline, and report a timeout.
 * @param transport not connected yet: the client keeps the handlers it finds there
 * @param exchange the one under way
 */
export function watchAnswers(transport: Transport, exchange: () => Exchange): void {
  const open = new Set<RequestId>()
  const send = transport.send.bind(transport)
  transport.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) open.delete(message.id)
  }
  transport.send = async (message, options) => {
    const id = requestIdOf(message)
    if (id === undefined) return send(message, options)
    const { traffic, onLost } = exchange()
    open.add(id)
    await send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.()
        if (open.has(id)) onLost()
      },
    })
    // A whole body has been read here; a stream has only begun.
    if (!traffic.isStream && open.has(id)) onLost()
  }
}

/** @returns none of a notification, nor of the question for versions, whose answers are not shown to others */
function requestIdOf(message: JSONRPCMessage | JSONRPCMessage[]): RequestId | undefined {
  if (Array.isArray(message) || !('id' in message && 'method' in message)) return undefined
  return typeof message.id === 'number' ? message.id : undefined
}
