import { HOUR, MINUTE, systemClock } from '#src/core/clock.ts'
import { freePort } from '../test/support/free-port.ts'
import { median, memoryOf, ms, whole } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import type { Receiver } from './publisher.ts'
import { type Delivered, delivered, EVENT, type Publisher, publisher, startReceiver } from './publisher.ts'
import { type Seed, seedStatements } from './seed.ts'
import type { Row } from './table.ts'

const PARKED = 1_000_000
/** Many deliveries of one event, so that the bodies do not make the file. */
const EVENTS = 50_000

/** Deliveries that wait in the table, all for one webhook. */
interface Kind {
  name: string
  status: 'active' | 'paused'
  /** When the first delivery is due, from now, and the interval to each further one. */
  dueIn: number
  dueEvery: number
}

const KINDS: Kind[] = [
  { name: 'due later, of a dead destination', status: 'active', dueIn: HOUR, dueEvery: 50 },
  { name: 'due now, of a dead destination', status: 'active', dueIn: -HOUR, dueEvery: 1 },
  { name: 'due now, of a paused webhook', status: 'paused', dueIn: -HOUR, dueEvery: 1 },
]

/** Fresh events may be so much slower than on an empty table. */
const TOLERATED = 0.15
const MOST_MEMORY_MB = 300
const LONGEST_START_MS = 2_000
/** Events a second at which the latency is measured: about a third of what one process sends. */
const RATE = 500

interface Stand {
  publisher: Publisher
  /** The webhook that the fresh events are for. */
  fresh: string
  /** From its start to the arrival of the first delivery. */
  startMs: number
  rates: Delivered[]
  p99s: number[]
}

/** Measures fresh events beside a table full of waiting deliveries. */
export async function benchParked({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  progress('an empty table')
  const empty = await startStand(await publisher(engine), receiver)
  const stands: Stand[] = []
  for (const kind of KINDS) {
    progress(`${whole(PARKED)} deliveries are written, ${kind.name}`)
    stands.push(await startStand(await publisher(engine), receiver, kind))
  }
  for (let round = 1; round <= rounds; round += 1) {
    progress(`fresh events, round ${round} of ${rounds}`)
    for (const stand of [empty, ...stands]) await measure(stand, receiver, durationMs)
  }
  const rows = KINDS.flatMap((kind, index) => toRows(kind, stands[index] ?? empty, empty))
  for (const stand of [empty, ...stands]) await stand.publisher.stop()
  await receiver.stop()
  return rows
}

/** A server that has been started on a table with so much in it, and has sent its first delivery. */
async function startStand(publisher: Publisher, receiver: Receiver, kind?: Kind): Promise<Stand> {
  const { store, organizationId } = publisher
  const fresh = await publisher.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const dead = await publisher.webhook(`http://127.0.0.1:${await freePort()}/`, {
    events: ['file.processed'],
  })
  if (kind !== undefined) await publisher.call('PATCH', `/v1/webhooks/${dead}`, { status: kind.status })
  const now = systemClock.now()
  const pending = { organizationId, createdAt: now - MINUTE, status: 'pending' as const }
  const seeds: Seed[] = [{ ...pending, webhookId: fresh, deliveries: 1, events: 1, dueAt: now - MINUTE }]
  if (kind !== undefined) {
    const { dueIn, dueEvery } = kind
    const many = { deliveries: PARKED, events: EVENTS, dueAt: now + dueIn, dueEvery, number: 1 }
    seeds.push({ ...pending, webhookId: dead, ...many })
  }
  await receiver.reset()
  let startedAt = 0
  await publisher.restart(async () => {
    await store.seed(seeds.flatMap((seed) => seedStatements(store.engine, seed)))
    startedAt = moment()
  })
  await receiver.until('all', 1)
  const { firstAt } = await receiver.report('all')
  return { publisher, fresh, startMs: firstAt - startedAt, rates: [], p99s: [] }
}

async function measure(
  { publisher, fresh, rates, p99s }: Stand,
  receiver: Receiver,
  durationMs: number,
): Promise<void> {
  const { server, load, paced, settled } = publisher
  const run = async () => (await load('/v1/events', EVENT, 64, durationMs)).count
  rates.push(await delivered(receiver, { pid: server.pid, settled: () => settled(fresh) }, run))
  await receiver.reset()
  await receiver.until('all', (await paced(RATE, durationMs)).sent)
  p99s.push((await receiver.report('all')).latency.p99)
}

function toRows(kind: Kind, stand: Stand, empty: Stand): Row[] {
  const rate = ({ rates }: Stand) => median(rates.map(({ perSecond }) => perSecond))
  const cpu = ({ rates }: Stand) => `${whole(median(rates.map(({ cpuMicros }) => cpuMicros)))} µs of CPU each`
  const p99 = ({ p99s }: Stand) => median(p99s)
  const memory = ({ publisher }: Stand) => memoryOf(publisher.server.pid, 'VmHWM')
  // Each round compares two measurements that follow each other.
  const faster = median(
    stand.rates.map(({ perSecond }, round) => perSecond / (empty.rates[round]?.perSecond ?? 0)),
  )
  const longer = median(stand.p99s.map((one, round) => one / (empty.p99s[round] ?? 0)))
  const parked = `${whole(PARKED)} parked, ${kind.name}`
  return [
    {
      name: `${parked}: fresh events`,
      measured: `${whole(rate(stand))}/s (${faster.toFixed(2)} of empty), p99 ${ms(p99(stand))} (${longer.toFixed(2)} of empty), ${cpu(stand)}`,
      raw: `${whole(rate(empty))}/s, p99 ${ms(p99(empty))} at ${RATE}/s, ${cpu(empty)} on an empty table`,
      goal: `within ${TOLERATED * 100} %`,
      isMet: faster >= 1 - TOLERATED && longer <= 1 + TOLERATED,
    },
    {
      name: `${parked}: memory at most, start to first send`,
      measured: `${whole(memory(stand))} MB, ${ms(stand.startMs)}`,
      raw: `${whole(memory(empty))} MB, ${ms(empty.startMs)} on an empty table`,
      goal: `≤ ${MOST_MEMORY_MB} MB, ≤ ${whole(LONGEST_START_MS)} ms`,
      isMet: memory(stand) <= MOST_MEMORY_MB && stand.startMs <= LONGEST_START_MS,
    },
  ]
}
