import { MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import { benchByPart, type Costs } from './by-part.ts'
import { countsOf } from './cost.ts'
import { cpuOf } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { type PartRule, profileThread } from './profile.ts'
import { delivered, EVENT, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const FAN_OUT = 20
const CONNECTIONS = 8
const LONGEST: Millis = 10 * MINUTE
const ALL = 'all parts of a delivery'

/** Where the processor time of a function goes. */
const PARTS: PartRule[] = [
  ['collecting garbage', /^\(garbage collector\)$/, /^$/],
  ['writing to sockets', /^(writev|write(Utf8String|Latin1String|Buffer))$/, /^$/],
  ['signing', /./, /crypto\/hash$|attempt\/signature\.ts$/],
  ['opening secrets', /./, /crypto\/cipher$|core\/secret\.ts$/],
  ['statements of SQLite', /./, /db\/sqlite\/connection\.ts$/],
  ['commits of SQLite', /./, /db\/sqlite\//],
  ['driver of PostgreSQL', /./, /node_modules\/pg|db\/postgres\//],
  ['values of statements', /./, /db\/engine\//],
  ['HTTP client: request and answer', /./, /node_modules\/undici\/|^wasm|src\/net\//],
  ['metrics', /./, /@prometheus-io/],
  ['record and result', /./, /attempt\/(kept-|attempt-row)|queue\/settle|delivery\/counts\//],
  [
    'attempt: headers, target, verdict',
    /./,
    /delivery\/(attempt|delivery-worker|delivery-store|create-delivery)/,
  ],
  [
    'lanes and turns',
    /./,
    /src\/jobs\/|core\/(fair-limiter|round-robin|batcher|background-tasks|bounded-map)/,
  ],
  ['accepting the event, ids, time', /./, /src\/|node_modules\//],
  ['event loop, promises, sockets of Node', /./, /^/],
]

/**
 * Measures what one more delivery of an event costs at fan-out 20, by part: the profile of the server's thread, scaled to its processor
 * time, because the profile counts time in which other programs had the processor as well.
 */
export function benchParts(options: Options): Promise<Row[]> {
  return benchByPart(options, { all: ALL, digits: 1 }, costsOf)
}

/** Microseconds of processor time for a delivery by part, and of all. */
async function costsOf(
  engine: Options['engine'],
  events: number,
  program: string | undefined,
): Promise<Costs> {
  const profile = profileThread('delivery/attempt/send.ts')
  const receiver = await startReceiver()
  const served = await publisher(engine, profile.env, program)
  const { pid } = served.server
  const webhooks: string[] = []
  for (let index = 0; index < FAN_OUT; index += 1)
    webhooks.push(await served.webhook(`${receiver.url}/all/${index}`))
  const settled = async () => void (await Promise.all(webhooks.map(served.settled)))
  const run = (most: number) => {
    const load = async () => (await served.load('/v1/events', EVENT, CONNECTIONS, LONGEST, most)).count
    return delivered(receiver, { pid, settled }, load, FAN_OUT)
  }
  const count = async () => ({
    at: moment() * SECOND,
    thread: cpuOf(`${pid}/task/${pid}`),
    database: (await countsOf(served.store)).cpu,
  })
  // The code is compiled during the first load.
  await run(events)
  const before = await count()
  await run(events)
  const after = await count()
  await served.stop()
  await receiver.stop()
  const each = (name: keyof typeof before) => ((after[name] - before[name]) * SECOND) / events / FAN_OUT
  const parts: [string, number][] = [['PostgreSQL', each('database')]]
  for (const [part, share] of profile.shares(PARTS, before.at, after.at))
    parts.push([part, share * each('thread')])
  profile.remove()
  // The other threads are left out: most of their time is that of the profiler.
  return new Map([...parts, [ALL, each('thread') + each('database')]])
}
