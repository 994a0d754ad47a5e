import { createServer } from 'node:http'
import { MINUTE, type Millis, pause, SECOND } from '#src/core/clock.ts'
import { cpuOf, errorOf, median, whole } from './figures.ts'
import type { Options } from './options.ts'
import { delivered, EVENT, type Publisher, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 64
/** More of the processor than without telemetry, at most. */
const MOST_SHARE = 1.05
/**
 * Events of a round per millisecond of `durationMs`. With fewer events the error of the measurement exceeds
 * the permitted cost of telemetry.
 */
const EVENTS_PER_MS = 5
/** What a round takes at most. */
const LONGEST: Millis = 10 * MINUTE
/** Within this the spans of a round are exported. */
const EXPORTED: Millis = 1.5 * SECOND

/** A collector that takes everything and reads nothing. */
async function startSink(): Promise<{ url: string; bytes: () => number; stop: () => void }> {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes, stop }
}

interface Measured {
  own: number
  rate: number
}

/**
 * Measures the cost of telemetry: an event of 1 KB with one delivery by a server that exports nothing, by one
 * that exports all traces and metrics, and by one that exports a tenth of the traces, in turns. The collector
 * runs in this process.
 */
export async function benchTracing({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const [receiver, sink] = [await startReceiver(), await startSink()]
  const told = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_LOGS_EXPORTER: 'none' }
  const tenth = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  const settings = { off: {}, all: told, tenth: { ...told, ...tenth } }
  const servers: { name: keyof typeof settings; served: Publisher; webhook: string; costs: Measured[] }[] = []
  for (const name of ['off', 'all', 'tenth'] as const) {
    const served = await publisher(engine, settings[name])
    const webhook = await served.webhook(`${receiver.url}/all`, { maxInFlight: CONNECTIONS })
    servers.push({ name, served, webhook, costs: [] })
  }
  for (let round = 0; round <= rounds; round += 1) {
    // The server before may change what one costs: the order turns with each round.
    const turn = round % 2 === 0 ? servers : servers.toReversed()
    for (const { name, served, webhook, costs } of turn) {
      progress(`${name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const before = cpuOf(served.server.pid)
      // Events are counted, not time: on a busy machine time would be over before the code is compiled.
      const most = durationMs * EVENTS_PER_MS
      let count = 0
      const { perSecond } = await delivered(
        receiver,
        { pid: served.server.pid, settled: () => served.settled(webhook) },
        async () => {
          count = (await served.load('/v1/events', EVENT, CONNECTIONS, LONGEST, most)).count
          return count
        },
      )
      await pause(EXPORTED)
      const own = ((cpuOf(served.server.pid) - before) * SECOND) / count
      if (round > 0) costs.push({ own, rate: perSecond })
    }
  }
  for (const { served } of servers) await served.stop()
  const bytes = sink.bytes()
  await receiver.stop()
  sink.stop()
  const of = (name: keyof typeof settings) => servers.find((one) => one.name === name)?.costs ?? []
  const ratios = (name: keyof typeof settings, what: keyof Measured) =>
    of(name).map((one, round) => one[what] / (of('off')[round]?.[what] ?? Number.NaN))
  const ratio = (name: keyof typeof settings, what: keyof Measured) => median(ratios(name, what))
  const tell = (costs: Measured[]) =>
    `${whole(median(costs.map(({ own }) => own)))} µs, ${whole(median(costs.map(({ rate }) => rate)))}/s`
  const row = (name: 'all' | 'tenth', what: string): Row => ({
    name: `an event of 1 KB with one delivery, ${what}`,
    measured: `${tell(of(name))} (${ratio(name, 'own').toFixed(2)} ± ${errorOf(ratios(name, 'own')).toFixed(2)} of the processor, ${ratio(name, 'rate').toFixed(2)} of the rate)`,
    raw: `${tell(of('off'))} without`,
    goal: '≤ 1.05 of the processor',
    isMet: ratio(name, 'own') <= MOST_SHARE,
  })
  return [
    row('all', 'all traces'),
    { ...row('tenth', 'a tenth of the traces'), raw: `${whole(bytes / 1_024)} KB sent in all` },
  ]
}
