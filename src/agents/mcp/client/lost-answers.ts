import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client'

/**
 * Calls `onLost` when the stream of a request has ended for good without its answer. The client would wait for that
 * until the deadline, and then blame the time.
 * @param transport not connected yet: the client keeps what it finds there
 */
export function watchAnswers(transport: Transport, onLost: () => void): void {
  const open = new Set<RequestId>()
  const send = transport.send.bind(transport)
  transport.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) open.delete(message.id)
  }
  transport.send = (message, options) => {
    const id = requestIdOf(message)
    if (id === undefined) return send(message, options)
    open.add(id)
    return send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.()
        if (open.has(id)) onLost()
      },
    })
  }
}

/** @returns none of a notification, nor of the question for versions, whose answers are not shown to others */
function requestIdOf(message: JSONRPCMessage | JSONRPCMessage[]): RequestId | undefined {
  if (Array.isArray(message) || !('id' in message && 'method' in message)) return undefined
  return typeof message.id === 'number' ? message.id : undefined
}
