import { pause, SECOND } from '#src/core/clock.ts'
import { countsOf } from './cost.ts'
import { cpuOf, median, whole } from './figures.ts'
import type { Options } from './options.ts'
import { load, type Served, startPostern } from './processes.ts'
import { delivered, EVENT, type Organization, publisher, startReceiver } from './publisher.ts'
import type { Row } from './table.ts'

/** Each with a webhook of its own, so that both processes have some to send for. */
const ORGANIZATIONS = 8
/** Of all loads together. */
const CONNECTIONS = 64
/** How much more two may cost than one. */
const TOLERATED = 1.1
const POLL_EVERY_MS = 50
/** Has a row once both processes divide webhooks in the same way. */
const SHARED = `select divides from worker where queue = 'delivery' and divides is not null group by divides having count(*) = 2`

/** Microseconds an event, of all processes of Postern together and of PostgreSQL. */
interface Cost {
  own: number
  postgres: number
}

/** What an event with one delivery costs where two processes take events and send, beside one that does it alone. */
export async function benchSharing({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const first = await publisher(engine)
  const organizations: Organization[] = [first]
  while (organizations.length < ORGANIZATIONS)
    organizations.push(await first.neighbour(`other-${organizations.length}`))
  const webhooks: string[] = []
  for (const [index, one] of organizations.entries())
    webhooks.push(await one.webhook(`${receiver.url}/all/${index}`))
  const settled = async () => void (await Promise.all(webhooks.map(first.settled)))

  /** A load of each organization, by way of the processes in turn. */
  async function loadAll(servers: Served[]): Promise<number> {
    const results = await Promise.all(
      organizations.map(({ authorization }, index) =>
        load({
          url: (servers[index % servers.length] as Served).url,
          method: 'POST',
          path: '/v1/events',
          headers: { 'content-type': 'application/json', authorization },
          bodies: [EVENT],
          connections: CONNECTIONS / ORGANIZATIONS,
          durationMs,
          expect: 202,
        }),
      ),
    )
    return results.reduce((sum, { count }) => sum + count, 0)
  }

  async function costOf(servers: Served[]): Promise<Cost> {
    const own = () => servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
    const [before, ownBefore] = [await countsOf(first.store), own()]
    let events = 0
    await delivered(receiver, { pid: first.server.pid, settled }, async () => {
      events = await loadAll(servers)
      return events
    })
    const [used, after] = [own() - ownBefore, await countsOf(first.store)]
    return { own: (used * SECOND) / events, postgres: ((after.cpu - before.cpu) * SECOND) / events }
  }

  async function measure(servers: Served[]): Promise<Cost> {
    const costs: Cost[] = []
    // The first round is not counted: after it the code is compiled as it stays.
    for (let round = 0; round <= rounds; round += 1) {
      progress(`${servers.length} at work, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const cost = await costOf(servers)
      if (round > 0) costs.push(cost)
    }
    return {
      own: median(costs.map(({ own }) => own)),
      postgres: median(costs.map(({ postgres }) => postgres)),
    }
  }

  const alone = await measure([first.server])
  const { PORT: _, ...env } = first.server.env
  const second = await startPostern(env)
  while ((await first.store.query(SHARED)).length < 1) await pause(POLL_EVERY_MS)
  const shared = await measure([first.server, second])
  await second.stop()
  await first.stop()
  await receiver.stop()
  const ratio = (shared.own + shared.postgres) / (alone.own + alone.postgres)
  const tell = ({ own, postgres }: Cost) => `${whole(own)} µs, PostgreSQL ${whole(postgres)} µs`
  return [
    {
      name: 'an event of 1 KB with one delivery, taken and sent by two processes',
      measured: `${tell(shared)} (${ratio.toFixed(2)} of one)`,
      raw: `${tell(alone)}, by one`,
      goal: `the sum ≤ ${TOLERATED} of one`,
      isMet: ratio <= TOLERATED,
    },
  ]
}
