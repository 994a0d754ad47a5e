import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { type Cluster, noCluster, startCluster } from '../ha/cluster.ts'
import { createDice } from '../simulator/world.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/waits.ts'
import { FEWEST_EVENTS, type ScenarioOptions, type Skipped } from './scenario.ts'
import { createServer } from './server.ts'
import { startStand } from './stand.ts'
import type { Store } from './store.ts'
import { judge, type Verdict } from './verdict.ts'

/** Every so often Patroni dies with its PostgreSQL, as with their machine: the others have to wait for its lock to run out. */
const MACHINE_EVERY = 4
/** From the moment at which another PostgreSQL takes writes. */
const SENDS_WITHIN: Millis = 30 * SECOND
const PATIENCE: Millis = 120 * SECOND

/** The primary of three is killed under two servers that live on, and comes back as a standby of the next. */
export async function failOver(
  { kills, longestLife, rate, seed, mostRefusals, say }: ScenarioOptions,
  { isProxied = false } = {},
): Promise<Verdict | Skipped> {
  const skipped = noCluster(isProxied)
  if (skipped !== undefined) return { skipped }
  const dice = createDice(seed)
  const cluster = await startCluster({ isProxied })
  const stand = await startStand({
    engine: 'postgres',
    store: storeOf(cluster),
    rate,
    seed,
    mostRefusals,
  }).catch(async (error: unknown) => {
    await cluster.remove()
    throw error
  })
  const { load, server, takings, store } = stand
  const second = createServer(stand.env, await freePort())
  try {
    await second.start()
    const [elections, acknowledging, sending]: [Millis[], Millis[], Millis[]] = [[], [], []]
    const late: string[] = []
    let killed = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      const primary = await cluster.isWhole().catch((error: Error) => {
        late.push(`before kill ${kill}: ${error.message}`)
        return undefined
      })
      // What happened until then is judged all the same.
      if (primary === undefined) break
      await pause(dice.between(0, longestLife))
      const isMachine = kill % MACHINE_EVERY === 0
      cluster.kill(primary, isMachine)
      killed = kill
      const elapsed = stopwatch()
      const next = await until(cluster.primary, (member) => member !== undefined, {
        what: 'another PostgreSQL to take writes',
        patience: PATIENCE,
      })
      elections.push(elapsed())
      const elected = stopwatch()
      const [acknowledged, taken] = [load.acknowledged.size, takings.count()]
      await stand.acknowledgesMoreThan(acknowledged)
      acknowledging.push(elected())
      await until(takings.count, (count) => count > taken || server.hasCrashed(), {
        what: 'deliveries to be taken in',
        patience: PATIENCE,
      })
      sending.push(elected())
      if (elected() > SENDS_WITHIN) late.push(`kill ${kill}: after ${Math.round(elected())} ms`)
      say(
        `${kill}/${kills} ${isMachine ? 'machines' : 'PostgreSQL'} killed (${primary.name}), ${next?.name} after ${Math.round(elections.at(-1) ?? 0)} ms, acknowledged ${Math.round(acknowledging.at(-1) ?? 0)} ms later, sent ${Math.round(sending.at(-1) ?? 0)} ms later`,
      )
      cluster.revive(primary)
      if (server.hasCrashed() || second.hasCrashed()) break
    }
    await stand.acknowledgesMoreThan(FEWEST_EVENTS)
    await load.stop()
    say('the load has ended; what is left is being delivered')
    const draining = stopwatch()
    await stand.drained()
    const drained = draining()
    const codes = [await second.end(), await server.end()]
    // Both servers live on, so that what was in flight stays theirs.
    const { failures, figures } = await judge(stand, { interruptions: killed, isShared: true })
    if (late.length > 0) failures.push('not in time:', ...late)
    for (const [index, one] of [second, server].entries())
      if (codes[index] !== 0) failures.push(`a server ended with ${codes[index]}: ${one.lastWords()}`)
    const longest = (all: Millis[]) => `${(Math.max(...all) / SECOND).toFixed(1)} s`
    const [row] = await store.query<{ timeline: number }>(
      'select timeline_id as timeline from pg_control_checkpoint()',
    )
    return {
      failures,
      figures: {
        'kills of the primary': killed,
        ...figures,
        'timelines of PostgreSQL': row?.timeline ?? 0,
        'another primary after at most': longest(elections),
        'acknowledged again, from then, after at most': longest(acknowledging),
        'sent again, from then, after at most': longest(sending),
        'drained after the load': `${(drained / SECOND).toFixed(1)} s`,
      },
    }
  } finally {
    await second.kill()
    await stand.remove()
  }
}

function storeOf(cluster: Cluster): Store {
  const folder = mkdtempSync(join(tmpdir(), 'postern-torture-'))
  chmodSync(folder, 0o700)
  return {
    env: { DATA_DIR: folder, DATABASE_URL: cluster.url },
    postgres: undefined,
    query: cluster.query,
    async remove() {
      await cluster.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
