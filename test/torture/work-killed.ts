import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/waits.ts'
import type { ScenarioOptions } from './scenario.ts'
import { createServer, type Server } from './server.ts'
import { type Stand, startStand } from './stand.ts'
import type { EngineName } from './store.ts'
import { judge, type Verdict } from './verdict.ts'

/** Events a second beside the work, whose own events are sent by the same engine. */
const RATE = 20
/** Work that has made no progress for this time is stuck. */
const STUCK: Millis = 90 * SECOND
/** Fewer prove nothing. */
const FEWEST = 15
const POLL_EVERY: Millis = 200

/** Work that is sent while servers are killed. */
export interface Begun {
  /** How much has been acknowledged. */
  count(): number
  /** Stops sending. Resolves when every request has its answer. */
  stop(): Promise<void>
  /** Compares the acknowledged work with its results, once all work has ended. */
  judge(): Promise<Verdict>
}

export interface Kind {
  env?: Record<string, string>
  begin(stand: Stand, urls: string[]): Promise<Begun>
}

/** Kills servers that do work of a kind; on PostgreSQL two of them, in turns. */
export async function killWork(
  engine: EngineName,
  { kills, longestLife, rate, seed, say }: ScenarioOptions,
  kind: Kind,
): Promise<Verdict> {
  const dice = createDice(seed)
  const env = { DEFAULT_PLAN: 'scale', ...kind.env }
  const stand = await startStand({ engine, rate: Math.min(rate, RATE), seed, mostRefusals: 1, env })
  const servers: Server[] = [stand.server]
  try {
    if (engine === 'postgres') {
      const second = createServer(stand.env, await freePort())
      servers.push(second)
      await second.start()
    }
    const urls = servers.map(({ url }) => url)
    const work = await kind.begin(stand, urls)
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(dice.between(0, longestLife))
      const server = servers[kill % servers.length] as Server
      await server.kill()
      await stand.takings.nextLife()
      await server.start()
      if (kill % 10 === 9) say(`${kill + 1}/${kills} kills, ${work.count()} acknowledged`)
    }
    await until(work.count, (count) => count >= FEWEST, {
      what: `${FEWEST} that are acknowledged`,
      patience: 3 * STUCK,
    })
    await work.stop()
    await stand.load.stop()
    say('nothing more is sent; what is left is being done')
    const waiting = stopwatch()
    const isDone = await done(stand)
    const drained = waiting()
    await stand.drained()
    const codes = await Promise.all(servers.map((server) => server.end()))
    const common = await judge(stand, { interruptions: kills, isShared: true })
    const own = await work.judge()
    const failures = [...common.failures, ...own.failures]
    if (!isDone) failures.push(`nothing was done for ${STUCK / SECOND} s, and something was left`)
    if (codes.some((code) => code !== 0)) failures.push(`the servers ended with ${codes}`)
    return {
      failures,
      figures: {
        kills,
        ...own.figures,
        ...common.figures,
        'done after the last was sent': `${(drained / SECOND).toFixed(1)} s`,
      },
    }
  } finally {
    for (const server of servers) await server.kill()
    await stand.remove()
  }
}

/** @returns whether no job is left, no run, and nothing that was to be removed */
async function done({ store }: Stand): Promise<boolean> {
  let still = stopwatch()
  let before = -1
  while (still() <= STUCK) {
    const [row] = await store.query<{ count: number }>(
      `select cast((select count(*) from job where status = 'pending') + (select count(*) from removal)
        + (select count(*) from run where ended_at is null) as integer) as count`,
    )
    const left = row?.count ?? 0
    if (left === 0) return true
    if (left !== before) still = stopwatch()
    before = left
    await pause(POLL_EVERY)
  }
  return false
}
