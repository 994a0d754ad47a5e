import { pause } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { put, THREAD_HOOK, troublePath } from '../support/trouble.ts'
import { until } from '../support/waits.ts'
import type { ScenarioOptions } from './scenario.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/** The message in the server's log. */
const ENDED = 'the sending thread has ended'

/** The thread that sends the deliveries of one server ends with an error at a random moment, again and again, under load. */
export async function endThread(options: ScenarioOptions): Promise<Verdict> {
  const { kills, longestLife, rate, seed, mostRefusals, say } = options
  const dice = createDice(seed)
  const trouble = troublePath()
  const env = { SENDING_THREAD: 'on', NODE_OPTIONS: `--import=${THREAD_HOOK}`, THREAD_TROUBLE: trouble }
  const stand = await startStand({ engine: 'sqlite', rate, seed, mostRefusals, env })
  const { server, load } = stand
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await pause(dice.between(0, longestLife))
      put(trouble, 'throw')
      await until(
        () => server.errors().get(ENDED) ?? 0,
        (count) => count >= kill,
        { what: 'the thread to end' },
      )
      if (kill % 10 === 0) say(`${kill}/${kills} threads ended, ${load.acknowledged.size} acknowledged`)
    }
    await load.stop()
    await stand.drained()
    const code = await server.end()
    const { failures, figures } = await judge(stand, { interruptions: kills, isShared: true })
    const ends = server.errors().get(ENDED) ?? 0
    if (ends !== kills) failures.push(`${ends} threads ended, ${kills} were to`)
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return { failures, figures: { 'threads ended': ends, ...figures } }
  } finally {
    await stand.remove()
  }
}
