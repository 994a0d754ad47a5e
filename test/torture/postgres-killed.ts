import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { FEWEST_EVENTS, type ScenarioOptions } from './scenario.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/** The shortest and the longest outage of PostgreSQL. */
export const SHORTLY: [Millis, Millis] = [500, 4 * SECOND]
/** Longer than a worker's lease. */
export const BEYOND_LEASE: [Millis, Millis] = [46 * SECOND, 50 * SECOND]

/** PostgreSQL is killed under a server that lives on, and started again. */
export async function killPostgres(
  [shortest, longest]: [Millis, Millis],
  options: ScenarioOptions,
): Promise<Verdict> {
  const { outages, longestLife, rate, seed, mostRefusals, say } = options
  const dice = createDice(seed)
  const stand = await startStand({ engine: 'postgres', rate, seed, mostRefusals })
  const { store, load, server } = stand
  try {
    const recoveries: Millis[] = []
    for (let outage = 1; outage <= outages; outage += 1) {
      await pause(dice.between(longestLife / 2, longestLife))
      await store.postgres?.kill()
      await pause(dice.between(shortest, longest))
      await store.postgres?.restart()
      const back = stopwatch()
      const before = load.acknowledged.size
      await stand.acknowledgesMoreThan(before)
      recoveries.push(back())
      say(`${outage}/${outages} outages, acknowledged again after ${Math.round(back())} ms`)
      if (server.hasCrashed()) break
    }
    if (server.hasCrashed()) return { failures: [`the server ended: ${server.lastWords()}`], figures: {} }
    await pause(longestLife / 2)
    await stand.acknowledgesMoreThan(FEWEST_EVENTS)
    await load.stop()
    const draining = stopwatch()
    await stand.drained()
    const drained = draining()
    const code = await server.end()
    // The server and its deliveries in flight survive, so nothing is sent twice.
    const { failures, figures } = await judge(stand, { interruptions: 0, isShared: true })
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return {
      failures,
      figures: {
        'kills of PostgreSQL': outages,
        ...figures,
        'acknowledged again after at most': `${Math.round(Math.max(...recoveries))} ms`,
        'drained after the load': `${(drained / SECOND).toFixed(1)} s`,
      },
    }
  } finally {
    await stand.remove()
  }
}
