import { median, memoryOf, ms, whole } from './figures.ts'
import type { LoadResult } from './load.ts'
import type { Options } from './options.ts'
import {
  BATCH,
  type Delivered,
  delivered,
  EVENT,
  publisher,
  startRawLoop,
  startReceiver,
} from './publisher.ts'
import type { Row } from './table.ts'

const FAN_OUT = 20
const MOST_MEMORY_MB = 200

/** Measures how many events one process accepts and sends at most. */
export async function benchPost({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, 'all')
  const quiet = await publisher(engine)
  const busy = await publisher(engine)
  const fan = await publisher(engine)
  const single = await busy.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const several: string[] = []
  for (let index = 0; index < FAN_OUT; index += 1)
    several.push(await fan.webhook(`${receiver.url}/all/${index}`))

  const accepts: { ours: LoadResult; raw: number }[] = []
  const batches: { ours: number; raw: number }[] = []
  const singles: { ours: Delivered; raw: Delivered }[] = []
  const fans: { ours: Delivered; raw: Delivered }[] = []
  // The first round is not counted: the code is compiled during it.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`accepting, ${nameOf(round, rounds)}`)
    accepts.push({
      ours: await quiet.load('/v1/events', EVENT, 64, durationMs),
      raw: (await bare.load('/validate', EVENT, 64, durationMs)).perSecond,
    })
    progress(`batches, ${nameOf(round, rounds)}`)
    batches.push({
      ours: (await quiet.load('/v1/events/batch', BATCH, 8, durationMs)).perSecond * 100,
      raw: (await bare.load('/batch', BATCH, 8, durationMs)).perSecond * 100,
    })
    progress(`delivering, ${nameOf(round, rounds)}`)
    singles.push({
      ours: await delivered(
        receiver,
        { pid: busy.server.pid, settled: () => busy.settled(single) },
        async () => (await busy.load('/v1/events', EVENT, 64, durationMs)).count,
      ),
      raw: await delivered(
        receiver,
        { pid: bare.server.pid, settled: bare.settled },
        async () => (await bare.load('/events', EVENT, 64, durationMs)).count,
      ),
    })
    progress(`fan-out, ${nameOf(round, rounds)}`)
    fans.push({
      ours: await delivered(
        receiver,
        { pid: fan.server.pid, settled: async () => void (await Promise.all(several.map(fan.settled))) },
        async () => (await fan.load('/v1/events', EVENT, 8, durationMs)).count,
        FAN_OUT,
      ),
      raw: await delivered(
        receiver,
        { pid: bare.server.pid, settled: bare.settled },
        async () => (await bare.load(`/events?fan=${FAN_OUT}`, EVENT, 8, durationMs)).count,
        FAN_OUT,
      ),
    })
  }
  const memory = [quiet, busy, fan].map(({ server }) => memoryOf(server.pid, 'VmHWM'))
  const bareMemory = memoryOf(bare.server.pid, 'VmHWM')
  for (const served of [quiet, busy, fan, bare, receiver]) await served.stop()
  for (const all of [accepts, batches, singles, fans]) all.shift()

  const accept = median(accepts.map(({ ours }) => ours.perSecond))
  const acceptP99 = median(accepts.map(({ ours }) => ours.p99))
  const acceptRatio = median(accepts.map(({ ours, raw }) => ours.perSecond / raw))
  const batch = median(batches.map(({ ours }) => ours))
  const singleRate = median(singles.map(({ ours }) => ours.perSecond))
  const singleRatio = median(singles.map(({ ours, raw }) => ours.perSecond / raw.perSecond))
  const singleCpu = median(singles.map(({ ours }) => ours.cpuMicros))
  const fanned = median(fans.map(({ ours }) => ours.perSecond))
  const fannedRatio = median(fans.map(({ ours, raw }) => ours.perSecond / raw.perSecond))
  const ratio = (some: number[]) => median(some).toFixed(2)
  const cpu = (some: Delivered[]) => `${whole(median(some.map(({ cpuMicros }) => cpuMicros)))} µs of CPU each`
  return [
    {
      name: '`POST /v1/events`, durable, 64 connections',
      measured: `${whole(accept)}/s, p99 ${ms(acceptP99)}`,
      raw: `${whole(median(accepts.map(({ raw }) => raw)))}/s only validated (ratio ${acceptRatio.toFixed(2)})`,
      goal: '≥ 5,000/s, ≥ 0.45 of raw, p99 ≤ 20 ms',
      isMet: accept >= 5_000 && acceptRatio >= 0.45 && acceptP99 <= 20,
    },
    {
      name: 'batches of 100',
      measured: `${whole(batch)} events/s`,
      raw: `${whole(median(batches.map(({ raw }) => raw)))} events/s only written (ratio ${ratio(batches.map(({ ours, raw }) => ours / raw))})`,
      goal: '≥ 25,000/s',
      isMet: batch >= 25_000,
    },
    {
      name: 'published → delivered and recorded, fan-out 1',
      measured: `${whole(singleRate)}/s, ${cpu(singles.map(({ ours }) => ours))}`,
      raw: `${whole(median(singles.map(({ raw }) => raw.perSecond)))}/s bare loop (ratio ${singleRatio.toFixed(2)}), ${cpu(singles.map(({ raw }) => raw))}`,
      goal: engine === 'sqlite' ? '≥ 0.6 of raw, ≤ 140 µs' : '≥ 0.55 of raw',
      isMet: engine === 'sqlite' ? singleRatio >= 0.6 && singleCpu <= 140 : singleRatio >= 0.55,
    },
    {
      name: `fan-out ${FAN_OUT}`,
      measured: `${whole(fanned)} deliveries/s, ${cpu(fans.map(({ ours }) => ours))}`,
      raw: `${whole(median(fans.map(({ raw }) => raw.perSecond)))}/s bare loop (ratio ${fannedRatio.toFixed(2)}), ${cpu(fans.map(({ raw }) => raw))}`,
      goal: engine === 'sqlite' ? '≥ 8,000/s' : '≥ 8,000/s, ≥ 0.45 of raw',
      isMet: fanned >= 8_000 && (engine === 'sqlite' || fannedRatio >= 0.45),
    },
    {
      name: `resident memory at most: accepting and batches; fan-out 1; fan-out ${FAN_OUT}`,
      measured: `${memory.map(whole).join('; ')} MB`,
      raw: `${whole(bareMemory)} MB bare loop, all of them`,
      goal: `≤ ${MOST_MEMORY_MB} MB`,
      isMet: Math.max(...memory) <= MOST_MEMORY_MB,
    },
  ]
}

function nameOf(round: number, rounds: number): string {
  return round === 0 ? 'warming up' : `round ${round} of ${rounds}`
}
