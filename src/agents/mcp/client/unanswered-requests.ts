import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client'
import type { Traffic } from './failures.ts'
import type { Send } from './server-fetch.ts'

/** One use of a session: how it sends requests, and the facts about them. */
export interface SessionUse {
  send: Send
  traffic: Traffic
  onLost(): void
  /** Aborts when a request ends unanswered. */
  lost: AbortSignal
}

/**
 * Calls `onLost` when a request ends without its answer: the whole body answers another request, or the stream has
 * ended for good. The client itself would wait until the deadline and report a timeout.
 * @param transport not yet connected: the client keeps handlers that it finds
 * @param exchange returns the current use of the session
 */
export function watchUnanswered(transport: Transport, exchange: () => SessionUse): void {
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
    // A plain body has been read completely here; a stream has only begun.
    if (!traffic.isStream && open.has(id)) onLost()
  }
}

/** @returns undefined for a notification, and for the version request, whose answer never reaches these handlers */
function requestIdOf(message: JSONRPCMessage | JSONRPCMessage[]): RequestId | undefined {
  if (Array.isArray(message) || !('id' in message && 'method' in message)) return undefined
  return typeof message.id === 'number' ? message.id : undefined
}
