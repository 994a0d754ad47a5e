import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Millis, systemClock } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import type { Order, Report, Take } from './takings.ts'

/**
 * Receives webhooks in a process of its own, which is never killed, and reports each delivery that it accepts. The
 * first part of the path is the webhook's name, which selects its behaviour.
 */
const [port, seed, mostRefusals] = process.argv.slice(2).map(Number) as [number, number, number]

/** How long the slow one thinks. */
const SLOWNESS: Millis = 250
/** Takes are reported together. */
const REPORT_AFTER: Millis = 20

const dice = createDice(seed)
const refusals = new Map<string, number>()
/** The life of the server in which each connection was opened. Its deliveries were sent in that life. */
const lives = new WeakMap<Socket, number>()
let life = 0
let unreported: Take[] = []

function take(taken: Take): void {
  if (unreported.length === 0) systemClock.after(REPORT_AFTER, report)
  unreported.push(taken)
}

function report(): void {
  tell({ takes: unreported })
  unreported = []
}

function tell(message: Report): void {
  if (process.connected) process.send?.(message)
}

/** Half of the calls are refused, none more often than the run has time to wait for. */
function isRefused(deliveryId: string): boolean {
  const before = refusals.get(deliveryId) ?? 0
  if (before >= mostRefusals || dice.chance(0.5)) return false
  refusals.set(deliveryId, before + 1)
  return true
}

function answer(status: number, response: ServerResponse): void {
  response.writeHead(status).end()
}

const server = createServer((request, response) => {
  const taken: Take = {
    webhook: request.url?.split('/')[1] ?? '',
    deliveryId: String(request.headers['x-service-delivery']),
    eventId: String(request.headers['webhook-id']),
    life: lives.get(request.socket) ?? life,
  }
  request.on('error', () => {})
  request.resume().on('end', () => {
    if (taken.webhook === 'failing' && isRefused(taken.deliveryId)) return answer(503, response)
    // Recorded before the answer: a sender that gets no answer sends again.
    take(taken)
    if (taken.webhook === 'slow') systemClock.after(SLOWNESS, () => answer(204, response))
    else answer(204, response)
  })
})
server.keepAliveTimeout = 60_000
server.on('connection', (socket) => lives.set(socket, life))

/** What a dead process has put on its way has arrived when the event loop has gone round. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function obey(order: Order): Promise<void> {
  if (order.isOpen === false) {
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  }
  await turns()
  life = order.life
  if (order.isOpen === true) await listen()
  tell({ obeyed: order.life })
}

function listen(): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}

process.on('message', (order: Order) => void obey(order))
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
await listen()
tell({ obeyed: 0 })
