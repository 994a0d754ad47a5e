import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { FEWEST_EVENTS, type ScenarioOptions } from './scenario.ts'
import { startStand } from './stand.ts'
import type { EngineName } from './store.ts'
import { judge, type Verdict } from './verdict.ts'

/** One of this many kills happens while the server is starting. */
const IN_START = 5
const LONGEST_START: Millis = 500

/**
 * Kills the server at any moment of its life, again and again, and starts it on the same data, while the load goes
 * on as if nothing were the matter.
 */
export async function killServer(
  engine: EngineName,
  { kills, longestLife, rate, seed, mostRefusals, say }: ScenarioOptions,
): Promise<Verdict> {
  const dice = createDice(seed)
  const stand = await startStand({ engine, rate, seed, mostRefusals })
  const { server, takings, load } = stand
  try {
    const total = stopwatch()
    const starts: Millis[] = []
    let ready = stopwatch()
    let [up, before, acknowledgedWhileUp] = [0, 0, 0]
    for (let kill = 1; kill <= kills; kill += 1) {
      await pause(dice.between(0, longestLife))
      up += ready()
      acknowledgedWhileUp += load.acknowledged.size - before
      await server.kill()
      await takings.nextLife()
      if (kill < kills && kill % IN_START === 0) {
        server.launch()
        await pause(dice.between(0, LONGEST_START))
      } else starts.push(await server.start())
      ready = stopwatch()
      before = load.acknowledged.size
      if (kill % 10 === 0) {
        const rows = `${load.acknowledged.size} acknowledged, ${takings.count()} taken in`
        say(`${kill}/${kills} kills, ${rows}, ${load.unanswered()} requests without an answer`)
      }
    }
    await pause(longestLife / 2)
    await stand.acknowledgesMoreThan(FEWEST_EVENTS)
    const loaded = total()
    await load.stop()
    say('the load has ended; what is left is being delivered')
    const draining = stopwatch()
    await stand.drained()
    const drained = draining()
    const code = await server.end()
    const { failures, figures } = await judge(stand, { interruptions: kills })
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return {
      failures,
      figures: {
        kills,
        ...figures,
        'acknowledged a second while it was up': Math.round(acknowledgedWhileUp / (up / SECOND)),
        'acknowledged a second, its starts included': Math.round(load.acknowledged.size / (loaded / SECOND)),
        'slowest start after a kill': `${Math.round(Math.max(...starts))} ms`,
        'drained after the load': `${(drained / SECOND).toFixed(1)} s`,
      },
    }
  } finally {
    await stand.remove()
  }
}
