import { pause, SECOND, stopwatch } from '#src/core/clock.ts'
import type { ScenarioOptions } from './scenario.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/**
 * Every destination disappears and returns each second, also in the middle of an answer. No destination refuses
 * anything otherwise, because a delivery that fails four times waits for five minutes.
 */
export async function flap(options: ScenarioOptions): Promise<Verdict> {
  const { outages, rate, seed, say } = options
  const stand = await startStand({ engine: 'sqlite', rate, seed, mostRefusals: 0 })
  const { takings, load, server } = stand
  try {
    for (let outage = 1; outage <= outages; outage += 1) {
      await pause(SECOND)
      await takings.nextLife(false)
      await pause(SECOND)
      await takings.nextLife(true)
    }
    say(`the destinations went away ${outages} times, ${takings.count()} deliveries taken in`)
    await load.stop()
    const draining = stopwatch()
    await stand.drained()
    const drained = draining()
    const code = await server.end()
    const { failures, figures } = await judge(stand, { interruptions: outages })
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return {
      failures,
      figures: { outages, ...figures, 'drained after the load': `${(drained / SECOND).toFixed(1)} s` },
    }
  } finally {
    await stand.remove()
  }
}
