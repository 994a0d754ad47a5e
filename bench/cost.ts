import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SECOND } from '#src/core/clock.ts'
import { cpuWithChildren, median, whole } from './figures.ts'
import type { Options } from './options.ts'
import {
  type Bare,
  delivered,
  EVENT,
  type Publisher,
  publisher,
  startRawLoop,
  startReceiver,
} from './publisher.ts'
import type { Store } from './store.ts'
import type { Row } from './table.ts'

/** A plan with a rate that the bench does not reach, so that each request is counted. */
const LIMITED = {
  limited: { requestsPerMinute: 1_000_000_000, modules: ['webhooks'], webhooks: 100, creditsPerCycle: null },
}
/** The deliveries of one event, of most events and of one that many wait for; and whether requests are counted. */
const LOADS = [
  { fan: 1, isLimited: false },
  { fan: 1, isLimited: true },
  { fan: 7, isLimited: false },
]
const CONNECTIONS = 64
/** Connections of the webhook: enough that no delivery waits for one. */
const IN_FLIGHT = 64

/** Counters of the database and of its process. They only grow. */
export interface Counts {
  /** Processor time of the server and all its connections, milliseconds; none where it has no process of its own. */
  cpu: number
  /** Bytes of its log. */
  log: number
  transactions: number
  /** How often its log was flushed to the disk. */
  flushes: number
  /** Statements, those that begin and end transactions included: each is a round trip. */
  roundTrips: number
  /** Bytes of the tables and their indexes. */
  rest: number
}

/** The same for each event of a load, in microseconds and bytes; and what the program itself used. */
type Cost = Record<'own' | keyof Counts, number>

/** Something that takes events and delivers them, and its loads. */
interface Measured {
  store: Store
  pid: number
  /** @returns how many events it was given, when everything about them is recorded */
  run: () => Promise<number>
}

/**
 * Measures what an event of 1 KB with its deliveries costs. Costs are meaningful on a busy machine, where rates are not. Two checkouts are
 * measured in turns.
 */
export async function benchCost({ engine, rounds, durationMs, beside, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const rows: Row[] = []
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const plansFile = join(folder, 'plans.json')
  writeFileSync(plansFile, JSON.stringify({ plans: LIMITED }))
  for (const { fan, isLimited } of LOADS) {
    const env = isLimited ? { PLANS_FILE: plansFile, DEFAULT_PLAN: 'limited' } : {}
    const load = (served: Publisher | Bare, path: string, settled: () => Promise<void>): Measured => ({
      store: served.store,
      pid: served.server.pid,
      async run() {
        let count = 0
        await delivered(
          receiver,
          { pid: served.server.pid, settled },
          async () => {
            count = (await served.load(path, EVENT, CONNECTIONS, durationMs)).count
            return count
          },
          fan,
        )
        return count
      },
    })
    const start = async (program?: string) => {
      const served = await publisher(engine, env, program)
      const webhooks: string[] = []
      for (let index = 0; index < fan; index += 1)
        webhooks.push(await served.webhook(`${receiver.url}/all/${index}`, { maxInFlight: IN_FLIGHT }))
      const settled = async () => void (await Promise.all(webhooks.map(served.settled)))
      return { served, measured: load(served, '/v1/events', settled) }
    }
    const bare = await startRawLoop(engine, receiver, 'all')
    const all = [
      await start(),
      ...(beside === undefined ? [] : [await start(join(beside, 'bin/postern.js'))]),
    ]
    const raw = load(bare, `/events?fan=${fan}`, bare.settled)
    const measured = [...all.map((one) => one.measured), raw]
    const costs: Cost[][] = measured.map(() => [])
    // The first round is not counted: the code is compiled during it.
    for (let round = 0; round <= rounds; round += 1) {
      // A measurement after the bare loop costs a tenth more than one after a Postern, so the order
      // alternates.
      const turn = [...measured.entries()]
      if (round % 2 === 1) turn.reverse()
      for (const [index, one] of turn) {
        progress(
          `${fan} a event, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}, ${index + 1} of ${measured.length}`,
        )
        const cost = await costOf(one)
        if (round > 0) costs[index]?.push(cost)
      }
    }
    for (const { served } of all) await served.stop()
    await bare.stop()
    const [ours, ...others] = costs.map(middle) as [Cost, ...Cost[]]
    const rawCost = others.at(-1) as Cost
    const plan = isLimited ? ', in a plan whose requests are counted' : ''
    const name = `an event of 1 KB with ${fan === 1 ? 'one delivery' : `${fan} deliveries`}${plan}`
    rows.push({
      ...(isLimited ? { goal: '', isMet: true } : GOALS[engine](fan, ours)),
      name,
      measured: tell(engine, ours),
      raw: `${tell(engine, rawCost)}, bare loop`,
    })
    if (others.length > 1)
      rows.push({
        name: `the same, by ${beside}`,
        measured: tell(engine, others[0] as Cost),
        raw: '',
        goal: '',
        isMet: true,
      })
  }
  rmSync(folder, { recursive: true })
  await receiver.stop()
  return rows
}

/** The queries for each engine. */
const GOALS = {
  postgres: (fan: number, { own, cpu, log, flushes }: Cost) =>
    fan === 1
      ? {
          goal: '≤ 130 µs, ≤ 90 µs, ≤ 2,200 bytes of log, ≤ 0.06 commits',
          isMet: own <= 130 && cpu <= 90 && log <= 2_200 && flushes <= 0.06,
        }
      : { goal: '', isMet: true },
  sqlite: (fan: number, { own, rest }: Cost) =>
    fan === 1
      ? { goal: '≤ 140 µs', isMet: own <= 140 }
      : { goal: '≤ 4,000 bytes at rest', isMet: rest <= 4_000 },
}

async function costOf({ store, pid, run }: Measured): Promise<Cost> {
  // Another checkout may work in a child process with the Node that it has pinned, so children count.
  const [before, ownBefore] = [await countsOf(store), cpuWithChildren(pid)]
  const events = await run()
  const [own, after] = [cpuWithChildren(pid) - ownBefore, await countsOf(store)]
  const each = (name: keyof Counts) => (after[name] - before[name]) / events
  return {
    own: (own * SECOND) / events,
    cpu: each('cpu') * SECOND,
    log: each('log'),
    transactions: each('transactions'),
    flushes: each('flushes'),
    roundTrips: each('roundTrips'),
    rest: each('rest'),
  }
}

const POSTGRES_COUNTS = `select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid, pg_current_wal_lsn() - '0/0' as log,
  (select xact_commit from pg_stat_database where datname = current_database()) as transactions,
  (select sum(fsyncs) from pg_stat_io where object = 'wal') as flushes,
  (select sum(calls) from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())) as "roundTrips",
  (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as rest`

export async function countsOf(store: Store): Promise<Counts> {
  if (store.engine === 'sqlite') {
    const [row] = await store.query<{ rest: number }>(
      `select (page_count - freelist_count) * page_size as rest
        from pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    return { cpu: 0, log: 0, transactions: 0, flushes: 0, roundTrips: 0, rest: row?.rest ?? 0 }
  }
  const [row] = await store.query<Record<keyof Counts | 'pid', string>>(POSTGRES_COUNTS)
  const count = (name: keyof Counts) => Number(row?.[name] ?? 0)
  return {
    cpu: cpuWithChildren(Number(row?.pid)),
    log: count('log'),
    transactions: count('transactions'),
    flushes: count('flushes'),
    roundTrips: count('roundTrips'),
    rest: count('rest'),
  }
}

function middle(costs: Cost[]): Cost {
  const names = Object.keys(costs[0] ?? {}) as (keyof Cost)[]
  return Object.fromEntries(names.map((name) => [name, median(costs.map((cost) => cost[name]))])) as Cost
}

function tell(
  engine: Options['engine'],
  { own, cpu, log, transactions, flushes, roundTrips, rest }: Cost,
): string {
  const atRest = `${whole(rest)} bytes at rest`
  if (engine === 'sqlite') return `${whole(own)} µs, ${atRest}`
  return `${whole(own)} µs, PostgreSQL ${whole(cpu)} µs, ${whole(log)} bytes of log, ${flushes.toFixed(3)} flushes, ${transactions.toFixed(2)} transactions, ${roundTrips.toFixed(2)} round trips, ${atRest}`
}
