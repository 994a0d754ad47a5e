import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE, type Millis, SECOND } from '#src/core/clock.ts'
import { countsOf } from './cost.ts'
import { cpuOf, median } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { delivered, EVENT, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const FAN_OUT = 20
const CONNECTIONS = 8
const LONGEST: Millis = 10 * MINUTE
/** The sum, and the ten largest. */
const SHOWN = 11

/** Where the processor time of a function goes: the first rule that knows it, else that of its caller. */
const PARTS: [part: string, name: RegExp, file: RegExp][] = [
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

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/**
 * Measures what one more delivery of an event costs at fan-out 20, by part: the profile of the server's thread, scaled to its processor
 * time, because the profile counts time in which other programs had the processor as well. Each round is a server of its own, in turns
 * with another checkout; the figures are medians.
 */
export async function benchParts({ engine, rounds, durationMs, beside, progress }: Options): Promise<Row[]> {
  const measured = [undefined, ...(beside === undefined ? [] : [join(beside, 'bin/postern.js')])].map(
    (program) => ({ program, costs: [] as Map<string, number>[] }),
  )
  for (let round = 1; round <= rounds; round += 1)
    for (const { program, costs } of round % 2 === 0 ? measured : measured.toReversed()) {
      progress(`round ${round} of ${rounds}${program === undefined ? '' : `, ${program}`}`)
      costs.push(await costsOf(engine, durationMs, program))
    }
  const [ours = [], others = []] = measured.map(({ costs }) => costs)
  const middle = (costs: Map<string, number>[], part: string) =>
    median(costs.map((one) => one.get(part) ?? 0))
  const tell = (costs: Map<string, number>[], part: string) => `${middle(costs, part).toFixed(1)} µs`
  return [...new Set(ours.flatMap((one) => [...one.keys()]))]
    .sort((one, other) => middle(ours, other) - middle(ours, one))
    .slice(0, SHOWN)
    .map((part) => ({
      name: part,
      measured: tell(ours, part),
      raw: beside === undefined ? '' : `${tell(others, part)}, by ${beside}`,
      goal: '',
      isMet: true,
    }))
}

/** Microseconds of processor time for a delivery by part, and of all. */
async function costsOf(
  engine: Options['engine'],
  events: number,
  program: string | undefined,
): Promise<Map<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-profile-'))
  const receiver = await startReceiver()
  const profiling = `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${folder}`
  const served = await publisher(engine, { NODE_OPTIONS: profiling }, program)
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
  for (const [part, share] of sharesOf(readProfile(folder), before.at, after.at))
    parts.push([part, share * each('thread')])
  rmSync(folder, { recursive: true })
  // The other threads are left out: most of their time is that of the profiler.
  return new Map([...parts, ['all parts of a delivery', each('thread') + each('database')]])
}

/** The profile of the thread that sends. */
function readProfile(folder: string): Profile {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return JSON.parse(texts.find((text) => text.includes('delivery/attempt/send.ts')) ?? '') as Profile
}

/** Which share of the time between two moments, in microseconds, belongs to each part. */
function sharesOf(
  { nodes, startTime, samples, timeDeltas }: Profile,
  from: number,
  to: number,
): Map<string, number> {
  const partOf = new Map<number, string>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const visit = (id: number, ofCaller: string) => {
    const node = byId.get(id)
    const { functionName, url } = node?.callFrame ?? { functionName: '', url: '' }
    // What Node does itself, and what has no file, is its caller's, unless a rule names it.
    const isNamed = url !== '' && !url.startsWith('node:')
    const rule = PARTS.find(([, name, file], index) => {
      const isLast = index >= PARTS.length - 2
      return name.test(functionName) && file.test(url) && (isNamed || !isLast)
    })
    const part = rule?.[0] ?? ofCaller
    partOf.set(id, part)
    for (const child of node?.children ?? []) visit(child, part)
  }
  visit(nodes[0]?.id ?? 0, PARTS.at(-1)?.[0] ?? '')
  const idle = new Set(
    nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === '(idle)' ? [id] : [])),
  )
  const times = new Map<string, number>()
  let [at, all] = [startTime, 0]
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    if (at < from || at > to || idle.has(id)) continue
    const part = partOf.get(id) ?? ''
    times.set(part, (times.get(part) ?? 0) + took)
    all += took
  }
  return new Map([...times].map(([part, time]) => [part, time / all]))
}
