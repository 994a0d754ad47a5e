import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fromIso, pause, SECOND, systemClock } from '#src/core/clock.ts'
import { memoryOf, ms, type Spread, spreadOf } from './figures.ts'
import type { Options } from './options.ts'
import { type Organization, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const [ORGANIZATIONS, READERS] = [10, 100]
/** Events a second of the organization whose readers are measured, and of the noisy one. */
const [RATE, NOISE] = [20, 500]
const [MOST_MEMORY, MOST_P99] = [30, 250]

/** Measures the memory of open streams, and how late their readers receive an event. */
export async function benchStreams({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const sockets: Socket[] = []
  try {
    const { port } = new URL(ours.server.url)
    const neighbours: Organization[] = []
    for (let index = 1; index < ORGANIZATIONS; index += 1)
      neighbours.push(await ours.neighbour(`neighbour-${index}`))
    await ours.webhook(`${receiver.url}/ours`)
    const [noisy] = neighbours as [Organization]
    await noisy.webhook(`${receiver.url}/noisy`)
    await ours.paced(RATE, SECOND)
    await pause(2 * SECOND)

    progress(`${ORGANIZATIONS * READERS} streams`)
    // The first of anything makes the heap grow by more than it keeps.
    for (const { authorization } of [ours, ...neighbours]) {
      const first = await Promise.all(
        Array.from({ length: READERS }, () => open(Number(port), authorization)),
      )
      for (const socket of first) socket.destroy()
    }
    await pause(2 * SECOND)
    const before = memoryOf(ours.server.pid)
    const seen: number[] = []
    for (const organization of [ours, ...neighbours]) {
      const opened = Array.from({ length: READERS }, () => open(Number(port), organization.authorization))
      const own = await Promise.all(opened)
      sockets.push(...own)
      // The readers of the noisy organization take nothing.
      if (organization === noisy) for (const socket of own) socket.pause()
      else for (const socket of own) read(socket, organization === ours ? seen : [])
    }
    const memory = memoryOf(ours.server.pid) - before
    const alone = await lateness(ours, seen, steadyMs)
    progress(`${NOISE} deliveries a second that no reader takes`)
    const noise = noisy.paced(NOISE, steadyMs + 3 * SECOND)
    await pause(SECOND)
    const beside = await lateness(ours, seen, steadyMs)
    await noise
    const grown = memoryOf(ours.server.pid) - before
    return [
      {
        name: `${ORGANIZATIONS * READERS} open streams of ${ORGANIZATIONS} organizations`,
        measured: `${Math.round(memory)} MB; ${READERS} readers of one are late by p50 ${ms(alone.p50)}, p99 ${ms(alone.p99)}`,
        raw: '',
        goal: `≤ ${MOST_MEMORY} MB, p99 ≤ ${MOST_P99} ms`,
        isMet: memory <= MOST_MEMORY && alone.p99 <= MOST_P99,
      },
      {
        name: `the same beside ${READERS} readers of ${NOISE} deliveries/s that take nothing`,
        measured: `p50 ${ms(beside.p50)}, p99 ${ms(beside.p99)}; ${Math.round(grown)} MB in all`,
        raw: `p99 ${ms(alone.p99)} without them`,
        goal: `p99 ≤ ${MOST_P99} ms`,
        isMet: beside.p99 <= MOST_P99,
      },
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    await ours.stop('kill')
    await receiver.stop()
  }
}

async function lateness(ours: Organization, seen: number[], durationMs: number): Promise<Spread> {
  seen.length = 0
  await ours.paced(RATE, durationMs)
  await pause(2 * SECOND)
  if (seen.length === 0) throw new Error('no reader has heard anything')
  return spreadOf([...seen])
}

async function open(port: number, authorization: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head))
  return socket
}

/** Notes how long after its end each delivery was seen. */
function read(socket: Socket, seen: number[]): void {
  socket.on('data', (bytes: Buffer) => {
    const now = systemClock.now()
    for (const [, at = ''] of bytes.toString('latin1').matchAll(/"endedAt":"([^"]+)"/g))
      seen.push(Math.max(0, now - (fromIso(at) ?? now)))
  })
}
