import { pause, SECOND } from '#src/core/clock.ts'
import { cpuOf, median, memoryOf, ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import { startBare } from './processes.ts'
import { publisher } from './publisher.ts'
import type { Row } from './table.ts'

const LONGEST_START_MS = 1_000
const LONGEST_RETURN_MS = 350
const MOST_IDLE_MB = 120
/** The first quiet second after a start is when it gives back what starting took. */
const QUIET_AFTER = 3 * SECOND

/** Measures how long a start takes, and the memory of an idle server. */
export async function benchStart({ engine, rounds, progress }: Options): Promise<Row[]> {
  const cold: number[] = []
  const again: number[] = []
  const cpu: number[] = []
  const memory: number[] = []
  const bareReady: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    progress(`starting, round ${round} of ${rounds}`)
    const ours = await publisher(engine)
    cold.push(ours.server.readyMs)
    await ours.restart(async () => {}, 'kill')
    again.push(ours.server.readyMs)
    cpu.push(cpuOf(ours.server.pid))
    await pause(QUIET_AFTER)
    memory.push(memoryOf(ours.server.pid))
    await ours.stop()
    const bare = await startBare('./raw-fastify.ts')
    bareReady.push(bare.readyMs)
    await bare.stop()
  }
  const raw = `${ms(median(bareReady))} for a bare Fastify`
  return [
    {
      name: 'cold start on an empty store to `/readyz`',
      measured: ms(median(cold)),
      raw,
      goal: `< ${ms(LONGEST_START_MS)}`,
      isMet: median(cold) < LONGEST_START_MS,
    },
    {
      name: 'killed → accepting again, same data',
      measured: `${ms(median(again))}, ${ms(median(cpu))} of CPU`,
      raw,
      goal: `≤ ${ms(LONGEST_RETURN_MS)}`,
      isMet: median(again) <= LONGEST_RETURN_MS,
    },
    {
      name: 'idle memory',
      measured: `${whole(median(memory))} MB`,
      raw: '',
      goal: `< ${MOST_IDLE_MB} MB`,
      isMet: median(memory) < MOST_IDLE_MB,
    },
  ]
}
