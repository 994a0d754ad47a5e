import { fromIso, pause, SECOND, stopwatch, systemClock } from '#src/core/clock.ts'
import { type Agent, type Agents, type Step, startAgents, TOOL } from './agents.ts'
import { cpuOf, median, ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import { type Served, startWorker } from './processes.ts'
import { openRawStore } from './raw-store.ts'
import { benchReaders } from './run-readers.ts'
import { createStore, type EngineName } from './store.ts'
import type { Row } from './table.ts'

/** Organizations that start runs, and the runs of each at once: as many as the server steps at once. */
const [ORGANIZATIONS, AT_ONCE] = [8, 4]
const LOOK_EVERY_MS = 20
const [LEAST_OF_RAW, MOST_ADDED] = [0.5, 0.02]
/** What a run of 20 steps waits for. */
const [CALLS, DELAY_MS] = [10, 50]

/** Measures what runs of agents cost beside the time of model and tools, and how a run continues when its process dies. */
export async function benchRuns(options: Options): Promise<Row[]> {
  const { engine, progress } = options
  const agents = await startAgents(engine)
  try {
    const rows = [await rate(agents, options)]
    progress('a run of 20 steps')
    rows.push(await added(agents, options))
    progress('a run whose process is killed')
    rows.push(await killed(agents, engine))
    rows.push(await benchReaders(agents, options))
    return rows
  } finally {
    await agents.stop()
  }
}

/** As many runs of one step as possible, beside the two commits of such a step alone. */
async function rate(
  { ours, agent }: Agents,
  { engine, rounds, durationMs, progress }: Options,
): Promise<Row> {
  const all: Agent[] = []
  for (let index = 0; index < ORGANIZATIONS; index += 1) all.push(await agent(`runs-${index}`, false))
  const measured: { perSecond: number; cpu: number; raw: number }[] = []
  // The first round compiles the code and fills the caches.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`runs of one step, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
    const [elapsed, cpu] = [stopwatch(), cpuOf(ours.server.pid)]
    const counts = await Promise.all(all.flatMap((one) => Array.from({ length: AT_ONCE }, () => start(one))))
    const count = counts.reduce((sum, one) => sum + one, 0)
    await untilAllEnded()
    measured.push({
      perSecond: count / (elapsed() / SECOND),
      cpu: (cpuOf(ours.server.pid) - cpu) / count,
      raw: await commits(engine, durationMs),
    })
  }
  measured.shift()

  async function start(one: Agent): Promise<number> {
    const elapsed = stopwatch()
    let count = 0
    for (; elapsed() < durationMs; count += 1)
      await one.run({ name: 'rate', delayMs: 0, calls: 0, tool: TOOL })
    return count
  }

  async function untilAllEnded(): Promise<void> {
    const open = `select 1 from run where status in ('queued', 'running') limit 1`
    while ((await ours.store.query(open)).length > 0) await pause(LOOK_EVERY_MS)
  }

  const [perSecond, raw, cpu] = (['perSecond', 'raw', 'cpu'] as const).map((name) =>
    median(measured.map((one) => one[name])),
  ) as [number, number, number]
  return {
    name: 'runs of one step, of a model that answers at once',
    measured: `${whole(perSecond)}/s, ${cpu.toFixed(1)} ms of CPU each`,
    raw: `${whole(raw)}/s: only the two commits of a step, one after another (ratio ${(perSecond / raw).toFixed(2)})`,
    goal: `≥ ${LEAST_OF_RAW} of raw`,
    isMet: perSecond >= LEAST_OF_RAW * raw,
  }
}

/** @returns how often a second a row can be written and then changed, by a commit each */
async function commits(engine: EngineName, durationMs: number): Promise<number> {
  const store = await createStore(engine)
  const raw = await openRawStore(store.env.DATABASE_URL ?? store.env.DATA_DIR ?? '')
  const body = Buffer.alloc(1_024, 'x')
  const elapsed = stopwatch()
  let count = 0
  for (; elapsed() < durationMs; count += 1) await raw.settle(await raw.insert([body]))
  const perSecond = count / (elapsed() / SECOND)
  await raw.close()
  await store.remove()
  return perSecond
}

/** Measures what a run with ten calls of a tool takes beyond the delays of the model and the tool. */
async function added({ agent, story }: Agents, { rounds }: Options): Promise<Row> {
  const one = await agent('added')
  const rounds20: { waited: number; took: number; answer: number; call: number }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const name = `added-${round}`
    const id = await one.run({ name, delayMs: DELAY_MS, calls: CALLS, tool: TOOL })
    const run = await one.ended(id)
    const { modelMs, toolMs } = await story(name)
    const spans = spansOf(await one.steps(id), String(run.endedAt))
    const [took, waited] = [at(run.endedAt) - at(run.startedAt), modelMs + toolMs]
    const answer = (spans.model - modelMs) / (CALLS + 1)
    rounds20.push({ took, waited, answer, call: (spans.tool - toolMs) / CALLS })
  }
  rounds20.shift()
  const [waited, took, answer, call] = (['waited', 'took', 'answer', 'call'] as const).map((name) =>
    median(rounds20.map((round) => round[name])),
  ) as [number, number, number, number]
  const share = took / waited - 1
  return {
    name: `a run of ${CALLS + 1} answers and ${CALLS} calls of an MCP server's tool, ${DELAY_MS} ms each`,
    measured: `${ms(took)}, ${(share * 100).toFixed(1)} % more: ${ms(answer)} an answer, ${ms(call)} a call`,
    raw: `${ms(waited)} that the model and the tool took themselves`,
    goal: `≤ ${MOST_ADDED * 100} % more`,
    isMet: share <= MOST_ADDED,
  }
}

const at = (moment: unknown) => fromIso(String(moment)) ?? 0

/** How long each kind of step took, from its start to the start of the next one. */
function spansOf(steps: Step[], endedAt: string): Record<Step['kind'], number> {
  const spans = { model: 0, tool: 0 }
  for (const [index, { kind, startedAt }] of steps.entries())
    spans[kind] += at(steps[index + 1]?.startedAt ?? endedAt) - at(startedAt)
  return spans
}

/** Within this a process that died is taken for dead, and its runs are looked for. */
const MOST_LEASE = 42 * SECOND

/** `kill -9` in the middle of a run: how soon the next start, or another process, calls the model again. */
async function killed({ ours, agent, story }: Agents, engine: EngineName): Promise<Row> {
  const one = await agent('killed')
  const name = 'killed'
  const id = await one.run({ name, delayMs: SECOND, calls: 3, tool: TOOL })
  await untilAsked(1)
  let worker: Served | undefined
  let [killedAt, readyMs] = [0, 0]
  if (engine === 'sqlite') {
    await ours.restart(async () => {
      killedAt = systemClock.now()
    }, 'kill')
    readyMs = ours.server.readyMs
  } else {
    worker = await startWorker(ours.server.env)
    killedAt = systemClock.now()
    await ours.server.kill()
  }
  const before = (await story(name)).askedAt.length
  const wentOn = await untilAsked(before + 1)
  if (worker !== undefined) await ours.restart(async () => {})
  await one.ended(id)
  await worker?.kill()

  async function untilAsked(count: number): Promise<number> {
    for (;;) {
      const moment = (await story(name)).askedAt[count - 1]
      if (moment !== undefined) return moment
      await pause(LOOK_EVERY_MS)
    }
  }

  const took = wentOn - killedAt
  const isAlone = engine === 'sqlite'
  return {
    name: isAlone
      ? '`kill -9` while the model is asked: from the next start until it is asked anew'
      : '`kill -9` while the model is asked: until another process asks it anew',
    measured: ms(took),
    raw: isAlone ? `${ms(readyMs)} until the start is over` : '',
    goal: isAlone ? '≤ the start and 1 s' : `≤ ${MOST_LEASE / SECOND} s: the lease, and a look`,
    isMet: took <= (isAlone ? readyMs + SECOND : MOST_LEASE),
  }
}
