import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fromIso, pause, SECOND, systemClock } from '#src/core/clock.ts'
import { type Agent, type Agents, TOOL } from './agents.ts'
import { cpuOf, memoryOf, ms, spreadOf, whole } from './figures.ts'
import type { Options } from './options.ts'
import type { Row } from './table.ts'

/** Organizations, the runs of each, which may all be stepped at once, and the readers of each run. */
const [ORGANIZATIONS, RUNS, READERS] = [25, 4, 20]
/** The model and the tool of a run answer after this, in turn: of 64 runs at once that is 64 at most a second. */
const DELAY_MS = SECOND
/** A run has 50 steps at most. */
const MOST_CALLS = 24
const [MOST_MEMORY, MOST_P99] = [60, 250]

/** What 2,000 readers of 100 runs cost, and how late they hear of a step. */
export async function benchReaders({ ours, agent }: Agents, { steadyMs, progress }: Options): Promise<Row> {
  const sockets: Socket[] = []
  try {
    progress(`${ORGANIZATIONS * RUNS * READERS} readers of ${ORGANIZATIONS * RUNS} runs`)
    const all: Agent[] = []
    for (let index = 0; index < ORGANIZATIONS; index += 1) all.push(await agent(`readers-${index}`))
    const port = Number(new URL(ours.server.url).port)
    const calls = Math.ceil((4 * steadyMs + 60 * SECOND) / (2 * DELAY_MS))
    const part = { name: 'readers', delayMs: DELAY_MS, calls: Math.min(calls, MOST_CALLS), tool: TOOL }
    const runs: { one: Agent; id: string }[] = []
    for (const one of all) for (let run = 0; run < RUNS; run += 1) runs.push({ one, id: await one.run(part) })

    async function openAll(): Promise<Socket[]> {
      const opened: Socket[] = []
      for (const { one, id } of runs) {
        const some = Array.from({ length: READERS }, () => open(port, one.authorization, id))
        opened.push(...(await Promise.all(some)).filter((socket) => socket !== undefined))
      }
      return opened
    }

    // The first of anything makes the heap grow by more than it keeps.
    for (const socket of await openAll()) socket.destroy()
    await pause(2 * SECOND)
    const before = memoryOf(ours.server.pid)
    const seen: number[] = []
    sockets.push(...(await openAll()))
    for (const socket of sockets) read(socket, seen)
    await pause(2 * SECOND)
    const memory = memoryOf(ours.server.pid) - before
    seen.length = 0
    const cpu = cpuOf(ours.server.pid)
    await pause(steadyMs)
    const load = (cpuOf(ours.server.pid) - cpu) / steadyMs
    if (seen.length === 0) throw new Error('no reader has heard anything')
    const perSecond = Math.round(seen.length / (steadyMs / SECOND))
    const late = spreadOf(seen)
    return {
      name: `${whole(sockets.length)} readers of ${ORGANIZATIONS * RUNS} runs of ${ORGANIZATIONS} organizations`,
      measured: `${Math.round(memory)} MB; late by p50 ${ms(late.p50)}, p99 ${ms(late.p99)} of ${perSecond} ends of steps/s; ${Math.round(load * 100)} % of a core`,
      raw: '',
      goal: `≤ ${MOST_MEMORY} MB, p99 ≤ ${MOST_P99} ms`,
      isMet: memory <= MOST_MEMORY && late.p99 <= MOST_P99,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** @returns undefined when the limit of open streams of the organization is reached */
async function open(port: number, authorization: string, id: string): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `GET /v1/runs/${id}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`,
  )
  const [head] = await once(socket, 'data')
  if (String(head).startsWith('HTTP/1.1 200')) return socket
  if (!String(head).startsWith('HTTP/1.1 429')) throw new Error(String(head))
  socket.destroy()
  return undefined
}

/** Notes how long after its end each step was seen. */
function read(socket: Socket, seen: number[]): void {
  socket.on('data', (bytes: Buffer) => {
    const now = systemClock.now()
    for (const [, moment = ''] of bytes.toString('latin1').matchAll(/"endedAt":"([^"]+)"/g))
      seen.push(Math.max(0, now - (fromIso(moment) ?? now)))
  })
}
