import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { within } from './waits.ts'

/** A call that a receiver got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** The envelope, read. */
  event: { id: string; type: string; createdAt: string; data: Record<string, unknown> }
}

export interface Receiver {
  url: string
  received: Received[]
  /** Answers a call; 204 unless a test sets its own. */
  answer: (call: Received, response: ServerResponse) => void
  /** Resolves when a number of calls have arrived in all. */
  count(calls: number): Promise<Received[]>
  stop(): Promise<void>
}

/** A real HTTP server that receives webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const waiting: { calls: number; resolve: (received: Received[]) => void }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const call = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: JSON.parse(body.toString()) as Received['event'],
      }
      receiver.received.push(call)
      receiver.answer(call, response)
      for (const waiter of waiting)
        if (receiver.received.length >= waiter.calls) waiter.resolve(receiver.received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    answer: (_call, response) => void response.writeHead(204).end(),
    count(calls) {
      if (receiver.received.length >= calls) return Promise.resolve(receiver.received)
      const enough = new Promise<Received[]>((resolve) => waiting.push({ calls, resolve }))
      return within(`${calls} calls at ${receiver.url}`, enough, { now: () => receiver.received.length })
    },
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}
