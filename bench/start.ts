import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, SECOND } from '#src/core/clock.ts'
import { installTree, type Processor } from '../packaging/platform.ts'
import { makeTree } from '../packaging/tree.ts'
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

/** What the starts of a program took, by round. */
interface Starts {
  cold: number[]
  again: number[]
  cpu: number[]
  memory: number[]
}

/** Measures how long a start takes, from the clone and from a package, in turns, and the memory of an idle server. */
export async function benchStart({ engine, rounds, progress }: Options): Promise<Row[]> {
  const [ours, packaged]: [Starts, Starts] = [noStarts(), noStarts()]
  const bareReady: number[] = []
  progress('making a package')
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-package-'))
  try {
    const program = await makePackage(folder)
    for (let round = 1; round <= rounds; round += 1) {
      progress(`starting, round ${round} of ${rounds}`)
      await measure(ours, engine)
      await measure(packaged, engine, program)
      const bare = await startBare('./raw-fastify.ts')
      bareReady.push(bare.readyMs)
      await bare.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const raw = `${ms(median(bareReady))} for a bare Fastify`
  return [...rowsOf(ours, '', raw), ...rowsOf(packaged, 'package: ', raw)]
}

const noStarts = (): Starts => ({ cold: [], again: [], cpu: [], memory: [] })

/** @returns the program of a package in `folder` */
async function makePackage(folder: string): Promise<string> {
  const [tree, installed] = [join(folder, 'tree'), join(folder, 'installed')]
  await makeTree(tree)
  installTree(tree, installed, join(folder, 'node'), process.arch as Processor)
  return join(installed, 'bin', 'postern.js')
}

async function measure(starts: Starts, engine: Options['engine'], program?: string): Promise<void> {
  const started = await publisher(engine, {}, program)
  starts.cold.push(started.server.readyMs)
  await started.restart(async () => {}, 'kill')
  starts.again.push(started.server.readyMs)
  starts.cpu.push(cpuOf(started.server.pid))
  await pause(QUIET_AFTER)
  starts.memory.push(memoryOf(started.server.pid))
  await started.stop()
}

function rowsOf({ cold, again, cpu, memory }: Starts, prefix: string, raw: string): Row[] {
  return [
    {
      name: `${prefix}cold start on an empty store to \`/readyz\``,
      measured: ms(median(cold)),
      raw,
      goal: `< ${ms(LONGEST_START_MS)}`,
      isMet: median(cold) < LONGEST_START_MS,
    },
    {
      name: `${prefix}killed → accepting again, same data`,
      measured: `${ms(median(again))}, ${ms(median(cpu))} of CPU`,
      raw,
      goal: `≤ ${ms(LONGEST_RETURN_MS)}`,
      isMet: median(again) <= LONGEST_RETURN_MS,
    },
    {
      name: `${prefix}idle memory`,
      measured: `${whole(median(memory))} MB`,
      raw: '',
      goal: `< ${MOST_IDLE_MB} MB`,
      isMet: median(memory) < MOST_IDLE_MB,
    },
  ]
}
