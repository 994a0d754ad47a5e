import { pause, SECOND } from '#src/core/clock.ts'
import { countsOf } from './cost.ts'
import { cpuOf, median, whole } from './figures.ts'
import type { Options } from './options.ts'
import { load, type Served, startPostern } from './processes.ts'
import { delivered, EVENT, type Organization, type Publisher, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

/** Each with a webhook of its own, so that both processes have some to send for. */
const ORGANIZATIONS = 8
/** Of the loads of one process. */
const CONNECTIONS = 64
/** How much more two may cost than one. */
const TOLERATED = 1.1
const POLL_EVERY_MS = 50
/** Has a row once both processes divide webhooks in the same way. */
const SHARED = `select divides from worker where divides is not null group by divides having count(*) = 2`

/** Microseconds an event, of all processes of Postern together and of PostgreSQL. */
interface Cost {
  own: number
  postgres: number
}

/** Processes on one store, and their load. */
interface Load {
  name: string
  installation: Installation
  /** Connections of the loads of all processes. */
  connections: number
}

interface Installation {
  first: Publisher
  servers: Served[]
  organizations: Organization[]
  settled(): Promise<void>
}

/**
 * Measures the cost of an event by two processes and by one, in turns. Events that arrive during a commit
 * share the next one, so two processes with the connections of one share commits among half as many events:
 * two are measured with as many connections each, and with as many in all.
 */
export async function benchSharing({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()

  async function install(name: string, processes: number): Promise<Installation> {
    const first = await publisher(engine)
    const organizations: Organization[] = [first]
    while (organizations.length < ORGANIZATIONS)
      organizations.push(await first.neighbour(`${name}-${organizations.length}`))
    const webhooks: string[] = []
    for (const [index, one] of organizations.entries())
      webhooks.push(await one.webhook(`${receiver.url}/all/${name}-${index}`))
    const servers = [first.server]
    const { PORT: _, ...env } = first.server.env
    while (servers.length < processes) servers.push(await startPostern(env))
    while (processes > 1 && (await first.store.query(SHARED)).length < 1) await pause(POLL_EVERY_MS)
    const settled = async () => void (await Promise.all(webhooks.map(first.settled)))
    return { first, servers, organizations, settled }
  }

  /** A load of each organization, by way of the processes in turn. */
  async function loadAll({ installation: { organizations, servers }, connections }: Load): Promise<number> {
    const results = await Promise.all(
      organizations.map(({ authorization }, index) =>
        load({
          url: (servers[index % servers.length] as Served).url,
          method: 'POST',
          path: '/v1/events',
          headers: { 'content-type': 'application/json', authorization },
          bodies: [EVENT],
          connections: connections / ORGANIZATIONS,
          durationMs,
          expect: 202,
        }),
      ),
    )
    return results.reduce((sum, { count }) => sum + count, 0)
  }

  async function costOf(one: Load): Promise<Cost> {
    const { first, servers, settled } = one.installation
    const own = () => servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
    const [before, ownBefore] = [await countsOf(first.store), own()]
    let events = 0
    await delivered(receiver, { pid: first.server.pid, settled }, async () => {
      events = await loadAll(one)
      return events
    })
    const [used, after] = [own() - ownBefore, await countsOf(first.store)]
    return { own: (used * SECOND) / events, postgres: ((after.cpu - before.cpu) * SECOND) / events }
  }

  const [single, pair] = [await install('single', 1), await install('pair', 2)]
  const loads: Load[] = [
    { name: 'one', installation: single, connections: CONNECTIONS },
    { name: 'two, as many connections each', installation: pair, connections: 2 * CONNECTIONS },
    { name: 'two, as many connections in all', installation: pair, connections: CONNECTIONS },
  ]
  const costs: Cost[][] = loads.map(() => [])
  // The first round is not counted: the code is compiled during it.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, one] of loads.entries()) {
      progress(`${one.name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const cost = await costOf(one)
      if (round > 0) costs[index]?.push(cost)
    }
  for (const server of pair.servers.slice(1)) await server.stop()
  for (const { first } of [pair, single]) await first.stop()
  await receiver.stop()
  const [alone, ...shared] = costs.map(middle) as [Cost, ...Cost[]]
  return shared.map((cost, index) => {
    const ratio = (cost.own + cost.postgres) / (alone.own + alone.postgres)
    return {
      name: `an event of 1 KB with one delivery, accepted and sent by ${loads[index + 1]?.name}`,
      measured: `${tell(cost)} (${ratio.toFixed(2)} of one)`,
      raw: `${tell(alone)}, by one`,
      goal: `the sum ≤ ${TOLERATED} of one`,
      isMet: ratio <= TOLERATED,
    }
  })
}

function middle(costs: Cost[]): Cost {
  return {
    own: median(costs.map(({ own }) => own)),
    postgres: median(costs.map(({ postgres }) => postgres)),
  }
}

const tell = ({ own, postgres }: Cost) => `${whole(own)} µs, PostgreSQL ${whole(postgres)} µs`
