import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SECOND } from '#src/core/clock.ts'
import { newIdentity } from '../test/support/certificate.ts'
import { freePort } from '../test/support/free-port.ts'
import { cpuOf, median, memoryOf, whole } from './figures.ts'
import type { Options } from './options.ts'
import { delivered, EVENT, type Organization, type Publisher, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

/** Deliveries of one event. */
const FAN_OUTS = [1, 20]
const IN_FLIGHT = 64
/** Connections of the load. */
const CONNECTIONS: Record<number, number> = { 1: 64, 20: 8 }
/** Events of a round, so that both servers do the same in it. */
const EVENTS_PER_SECOND: Record<number, number> = { 1: 800, 20: 80 }
const MOST_MEMORY_MB = 64
/** An organization for each case, whose names are not alike. */
const OWNERS = ['alder', 'birch', 'cedar', 'dogwood']

interface Measured {
  perSecond: number
  /** Microseconds of processor time a delivery: of the whole process, and of its first thread. */
  all: number
  first: number
}

interface Server {
  served: Publisher
  /** By scheme and fan-out. */
  organizations: Map<string, { organization: Organization; webhooks: string[] }>
  measured: Map<string, Measured[]>
}

/**
 * Two servers, one with a sending thread, in turns: over HTTP and over HTTPS, to one webhook and to twenty. With less than four cores the
 * load and the receiver take processor time from both threads, so the time of the first thread says more than the rate.
 */
export async function benchSending({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const identity = newIdentity({ name: 'localhost' })
  writeFileSync(certificate, identity.certificate)
  writeFileSync(key, identity.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const securePort = await freePort()
  const receiver = await startReceiver([String(securePort), certificate, key])
  const bases = { http: `http://localhost:${receiver.port}`, https: `https://localhost:${securePort}` }
  const cases = Object.entries(bases).flatMap(([scheme, base]) =>
    FAN_OUTS.map((fan) => ({ name: `${scheme} ${fan}`, scheme, base, fan })),
  )

  /** @param way the value of SENDING_THREAD */
  async function start(way: 'on' | 'off'): Promise<Server> {
    const served = await publisher(engine, { SENDING_THREAD: way, NODE_EXTRA_CA_CERTS: certificate })
    const organizations: Server['organizations'] = new Map()
    for (const { name, base, fan } of cases) {
      const organization = await served.neighbour(OWNERS[organizations.size] ?? '')
      const webhooks: string[] = []
      for (let index = 0; index < fan; index += 1)
        webhooks.push(await organization.webhook(`${base}/all/${index}`, { maxInFlight: IN_FLIGHT }))
      organizations.set(name, { organization, webhooks })
    }
    return { served, organizations, measured: new Map(cases.map(({ name }) => [name, []])) }
  }

  async function measure({ served, organizations }: Server, name: string, fan: number): Promise<Measured> {
    const { pid } = served.server
    const { organization, webhooks = [] } = organizations.get(name) ?? {}
    const events = Math.ceil(((EVENTS_PER_SECOND[fan] ?? 0) * durationMs) / SECOND)
    const first = firstThread(pid)
    const { perSecond, cpuMicros } = await delivered(
      receiver,
      { pid, settled: async () => void (await Promise.all(webhooks.map(served.settled))) },
      async () =>
        (await organization?.load('/v1/events', EVENT, CONNECTIONS[fan] ?? 1, 10 * durationMs, events))
          ?.count ?? 0,
      fan,
    )
    const took = firstThread(pid) - first
    return { perSecond, all: cpuMicros, first: (took * SECOND) / (events * fan) }
  }

  const servers = [await start('off'), await start('on')]
  for (let round = 0; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds}`)
    for (const { name, fan } of cases)
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const measured = await measure(server, name, fan)
        // The first round opens connections and compiles.
        if (round > 0) server.measured.get(name)?.push(measured)
      }
  }
  const memory = servers.map(({ served }) => memoryOf(served.server.pid, 'VmHWM'))
  for (const { served } of servers) await served.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true })

  const [off, on] = servers
  const of = (server: Server | undefined, name: string, figure: keyof Measured) =>
    (server?.measured.get(name) ?? []).map((one) => one[figure])
  const ratio = (name: string, figure: keyof Measured) =>
    median(of(on, name, figure).map((one, round) => one / (of(off, name, figure)[round] ?? 0)))
  const described = (server: Server | undefined, name: string) =>
    `${whole(median(of(server, name, 'perSecond')))}/s, ${whole(median(of(server, name, 'first')))} µs of the first thread, ${whole(median(of(server, name, 'all')))} in all`
  const rows = cases.map(({ name, scheme, fan }): Row => {
    const first = ratio(name, 'first')
    const goal = fan === 1 ? 0.9 : 0.7
    return {
      name: `sending in a thread, ${scheme.toUpperCase()}, fan-out ${fan}`,
      measured: `${described(on, name)} (${ratio(name, 'perSecond').toFixed(2)}, ${first.toFixed(2)}, ${ratio(name, 'all').toFixed(2)})`,
      raw: described(off, name),
      goal: `≤ ${goal} of the first thread's time`,
      isMet: first <= goal,
    }
  })
  const [without = 0, most = 0] = memory
  return [
    ...rows,
    {
      name: 'most memory with a sending thread',
      measured: `${whole(most)} MB`,
      raw: `${whole(without)} MB`,
      goal: `≤ ${MOST_MEMORY_MB} MB more`,
      isMet: most - without <= MOST_MEMORY_MB,
    },
  ]
}

/** Milliseconds of processor time that the first thread of a process has used. */
function firstThread(pid: number): number {
  return cpuOf(`${pid}/task/${pid}`)
}
