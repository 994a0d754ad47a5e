import { freePort } from '../test/support/free-port.ts'
import { ms } from './figures.ts'
import type { Options } from './options.ts'
import { startBlackHole } from './processes.ts'
import { type Publisher, publisher, type Receiver, startReceiver, TYPE } from './publisher.ts'
import type { Row } from './table.ts'

interface Crowd {
  name: string
  /** Event types; each endpoint asks for one of them. */
  types: string[]
  healthy: number
  /** Endpoints that accept and never answer, and endpoints that refuse the connection. */
  silent: number
  refusing: number
  /** Events a second. */
  rate: number
}

const CROWDS: Crowd[] = [
  {
    name: '1 of 10 endpoints never answers, 100 events/s',
    types: [TYPE],
    healthy: 9,
    silent: 1,
    refusing: 0,
    rate: 100,
  },
  {
    name: '100 of 1,000 endpoints dead, 1,000 deliveries/s',
    types: Array.from({ length: 50 }, (_, index) => `bench.type_${index}`),
    healthy: 900,
    silent: 50,
    refusing: 50,
    rate: 50,
  },
]

/** The healthy ones may take so much longer than when they are alone. */
const TOLERATED = 1.3

/** Measures healthy endpoints beside dead ones. The healthy ones alone, just before, are the baseline. */
export async function benchDead({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const hole = await startBlackHole()
  const nobody = await freePort()
  const rows: Row[] = []
  for (const crowd of CROWDS) {
    const ours = await publisher(engine)
    progress(`${crowd.healthy} endpoints are made`)
    for (const name of crowd.types) if (name !== TYPE) await ours.call('POST', '/v1/event-types', { name })
    // Each has an address of its own, as in the world, and with it connections of its own.
    await makeWebhooks(ours, crowd, crowd.healthy, (index) => `${destination(1, index, receiver.port)}/each`)
    progress(`${crowd.name}: without the dead`)
    await run(ours, receiver, crowd, Math.min(steadyMs, 2_000))
    const before = await run(ours, receiver, crowd, steadyMs)
    await makeWebhooks(ours, crowd, crowd.silent, (index) => destination(2, index, hole.port))
    await makeWebhooks(ours, crowd, crowd.refusing, (index) => destination(3, index, nobody))
    progress(crowd.name)
    const after = await run(ours, receiver, crowd, steadyMs)
    await ours.stop('kill')
    const ratio = after.latency.p99 / before.latency.p99
    const missed = after.missed + before.missed
    rows.push({
      name: crowd.name,
      measured: `healthy p50 ${ms(after.latency.p50)}, p99 ${ms(after.latency.p99)} (ratio ${ratio.toFixed(2)}), ${missed} missed`,
      raw: `p50 ${ms(before.latency.p50)}, p99 ${ms(before.latency.p99)} without the dead`,
      goal: `p99 ≤ ${TOLERATED} × without, none missed`,
      isMet: ratio <= TOLERATED && missed === 0,
    })
  }
  for (const served of [receiver, hole]) await served.stop()
  return rows
}

/** One of this machine's own addresses for each endpoint. */
function destination(network: number, index: number, port: number): string {
  return `http://127.${network}.${index >> 8}.${index & 255 || 255}:${port}`
}

const AT_ONCE = 50

async function makeWebhooks(
  { webhook }: Publisher,
  { types }: Crowd,
  count: number,
  url: (index: number) => string,
): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, index) => made + index)
    await Promise.all(
      some.map((index) => webhook(url(index), { events: [types[index % types.length] ?? TYPE] })),
    )
  }
}

async function run({ paced }: Publisher, receiver: Receiver, crowd: Crowd, durationMs: number) {
  await receiver.reset()
  const { sent } = await paced(crowd.rate, durationMs, crowd.types)
  const wanted = (sent * crowd.healthy) / crowd.types.length
  const missed = wanted - (await receiver.until('each', wanted))
  return { missed, latency: (await receiver.report('each')).latency }
}
