import { pause, SECOND } from '#src/core/clock.ts'
import { type Agent, type Agents, startAgents, TOOL } from './agents.ts'
import { benchByPart, type Costs } from './by-part.ts'
import { countsOf } from './cost.ts'
import { cpuOf } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { type PartRule, profileThread } from './profile.ts'
import type { Row } from './table.ts'

/** Organizations that start runs, and the runs of each at once. */
const [ORGANIZATIONS, AT_ONCE] = [8, 4]
const POLL_EVERY_MS = 20

/** Where the processor time of a function goes. */
const PARTS: PartRule[] = [
  ['collecting garbage', /^\(garbage collector\)$/, /^$/],
  ['writing to sockets', /^(writev|write(Utf8String|Latin1String|Buffer))$/, /^$/],
  ['statements of SQLite', /./, /db\/sqlite\/connection\.ts$/],
  ['commits of SQLite', /./, /db\/sqlite\//],
  ['driver of PostgreSQL', /./, /node_modules\/pg|db\/postgres\//],
  ['building statements (Kysely)', /./, /node_modules\/kysely/],
  ['values of statements', /./, /src\/db\//],
  ['call of the model: HTTP client', /./, /node_modules\/undici\/|^wasm|src\/net\//],
  ['answer of the model', /./, /agents\/models\/|eventsource-parser/],
  ['HTTP server, schemas', /./, /src\/http\/|fastify|find-my-way|ajv|light-my-request|avvio/],
  ['metrics', /./, /@prometheus-io/],
  ['credits', /./, /src\/billing\//],
  ['event about the end', /./, /src\/delivery\//],
  ['job of the run', /./, /src\/jobs\//],
  ['accepting and showing the run', /./, /agents\/(runs|definitions|conversations)\//],
  ['moves and steps', /./, /src\/agents\//],
  ['ids, time, batches', /./, /src\/core\//],
  ['other parts of Postern', /./, /src\/|node_modules\//],
  ['event loop, promises, sockets of Node', /./, /^/],
]

const ALL = 'all parts of a run'
const WORK = { roundTrips: 'round trips', transactions: 'transactions', flushes: 'flushes' }

/** Measures the cost of a run of one step, by part: the profile of the server's thread, scaled to its processor time. */
export function benchRunParts(options: Options): Promise<Row[]> {
  return benchByPart(options, { all: ALL, counts: Object.values(WORK), digits: 0 }, costsOf)
}

/** Microseconds of processor time for a run by part, and the work of PostgreSQL. */
async function costsOf(
  engine: Options['engine'],
  durationMs: number,
  program: string | undefined,
): Promise<Costs> {
  const profile = profileThread('agents/steps/step-run.ts')
  const agents = await startAgents(engine, profile.env, program)
  const { pid } = agents.ours.server
  const all: Agent[] = []
  for (let index = 0; index < ORGANIZATIONS; index += 1) all.push(await agents.agent(`parts-${index}`, false))
  // Enough that most of the code is compiled during the first load.
  const each = Math.ceil(durationMs / (ORGANIZATIONS * AT_ONCE))
  const count = async () => ({
    at: moment() * SECOND,
    thread: cpuOf(`${pid}/task/${pid}`),
    work: await countsOf(agents.ours.store),
  })
  await load(agents, all, each)
  const before = await count()
  await load(agents, all, each)
  const after = await count()
  await agents.stop('stop')
  const runs = each * ORGANIZATIONS * AT_ONCE
  const thread = ((after.thread - before.thread) * SECOND) / runs
  const database = ((after.work.cpu - before.work.cpu) * SECOND) / runs
  const costs: Costs = new Map([['PostgreSQL', database]])
  for (const [part, share] of profile.shares(PARTS, before.at, after.at)) costs.set(part, share * thread)
  profile.remove()
  costs.set(ALL, thread + database)
  for (const name of Object.keys(WORK) as (keyof typeof WORK)[])
    costs.set(WORK[name], (after.work[name] - before.work[name]) / runs)
  return costs
}

/**
 * Each concurrent starter of an organization starts `each` runs one after another. Waits for the end of all.
 */
async function load({ ours }: Agents, all: Agent[], each: number): Promise<void> {
  const start = async (one: Agent) => {
    for (let run = 0; run < each; run += 1) await one.run({ name: 'parts', delayMs: 0, calls: 0, tool: TOOL })
  }
  await Promise.all(all.flatMap((one) => Array.from({ length: AT_ONCE }, () => start(one))))
  const open = `select 1 from run where status in ('queued', 'running') limit 1`
  while ((await ours.store.query(open)).length > 0) await pause(POLL_EVERY_MS)
}
