import { MINUTE, SECOND, stopwatch, systemClock } from '#src/core/clock.ts'
import { cpuOf, median, whole } from './figures.ts'
import type { Options } from './options.ts'
import { type Served, startWorker } from './processes.ts'
import { publisher, type Receiver, startReceiver } from './publisher.ts'
import { seedStatements } from './seed.ts'
import type { Row } from './table.ts'

/** Few, so that the lanes of one process do not hold the whole backlog. */
const WEBHOOKS = 4
const IN_FLIGHT = 64
/** By then both processes have looked, and wait for the moment at which everything is due. */
const DUE_IN = 3 * SECOND
/** A backlog that one process works on for about a round. */
const PER_SECOND = 2_000
const FASTER = 1.6
/** The goal on few cores: the same throughput, at this share of the processor time of one process each. */
const [SAME, HALF] = [0.95, 0.6]

interface Measured {
  perSecond: number
  /** Processor time of each process, microseconds a delivery of all. */
  cpuMicros: number[]
}

/** One process that only sends, and two, on the same backlog. */
export async function benchWorkers({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine, { ROLE: 'api' })
  const webhooks: string[] = []
  for (let index = 0; index < WEBHOOKS; index += 1)
    webhooks.push(
      await ours.webhook(`http://127.1.0.${index + 1}:${receiver.port}/all`, { maxInFlight: IN_FLIGHT }),
    )
  const { env } = ours.server
  const each = Math.ceil((PER_SECOND * durationMs) / SECOND / WEBHOOKS)
  let seeds = 0

  async function drain(workers: Served[]): Promise<Measured> {
    const now = systemClock.now()
    await receiver.reset()
    const statements = webhooks.flatMap((webhookId) => {
      seeds += 1
      const pending = { status: 'pending' as const, createdAt: now - MINUTE, dueAt: now + DUE_IN }
      const { organizationId } = ours
      return seedStatements(engine, {
        ...pending,
        organizationId,
        webhookId,
        deliveries: each,
        events: each,
        number: seeds,
      })
    })
    const before = workers.map(({ pid }) => cpuOf(pid))
    await ours.store.seed(statements)
    const count = each * WEBHOOKS
    await arriveAll(receiver, count)
    const { firstAt, lastAt } = await receiver.report('all')
    await Promise.all(webhooks.map((webhookId) => ours.settled(webhookId)))
    const used = workers.map(({ pid }, index) => cpuOf(pid) - (before[index] ?? 0))
    return {
      perSecond: (count * SECOND) / (lastAt - firstAt),
      cpuMicros: used.map((time) => (time * SECOND) / count),
    }
  }

  const [one, two]: [Measured[], Measured[]] = [[], []]
  for (let round = 1; round <= rounds; round += 1) {
    const first = await startWorker(env)
    progress(`one process, round ${round} of ${rounds}`)
    one.push(await drain([first]))
    const second = await startWorker(env)
    progress(`two processes, round ${round} of ${rounds}`)
    two.push(await drain([first, second]))
    for (const worker of [first, second]) await worker.stop()
  }
  await ours.stop()
  await receiver.stop()

  const rate = (some: Measured[]) => median(some.map(({ perSecond }) => perSecond))
  const cpu = (some: Measured[], worker: number) =>
    median(some.map(({ cpuMicros }) => cpuMicros[worker] ?? 0))
  const faster = median(two.map(({ perSecond }, round) => perSecond / (one[round]?.perSecond ?? 0)))
  const most = Math.max(cpu(two, 0), cpu(two, 1)) / cpu(one, 0)
  return [
    {
      name: 'a backlog, sent by two processes',
      measured: `${whole(rate(two))}/s (${faster.toFixed(2)} of one), ${whole(cpu(two, 0))} and ${whole(cpu(two, 1))} µs of CPU a delivery`,
      raw: `${whole(rate(one))}/s, ${whole(cpu(one, 0))} µs, by one`,
      goal: `≥ ${FASTER} of one, or the same at half the CPU each`,
      isMet: faster >= FASTER || (faster >= SAME && most <= HALF),
    },
  ]
}

async function arriveAll(receiver: Receiver, count: number): Promise<void> {
  const elapsed = stopwatch()
  const arrived = await receiver.until('all', count)
  if (arrived < count)
    throw new Error(`${count - arrived} of ${count} did not arrive in ${whole(elapsed())} ms`)
}
