import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SECOND, stopwatch, systemClock } from '#src/core/clock.ts'
import { longestPause } from './event-loop.ts'
import { ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import type { PacedResult } from './paced.ts'
import { publisher, startReceiver } from './publisher.ts'
import { seedStatements } from './seed.ts'
import { createStore, type Store } from './store.ts'
import type { Row } from './table.ts'

const run = promisify(execFile)

/** Deliveries that are kept, each with an event of its own. */
const KEPT = 300_000
/** Events a second beside the backup. */
const RATE = 200
const MOST_PAUSE = 20
const LEAST_SHARE = 0.5
/** The tables that are seeded; others are almost empty. */
const TABLES = ['event', 'delivery']

/**
 * Measures the effect of a backup on publishers, and the time of a move to the other engine beside that of `copy` between two databases of
 * PostgreSQL.
 */
export async function benchBackups({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const { store, organizationId } = ours
  const webhookId = await ours.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const past = { organizationId, webhookId, events: KEPT, deliveries: KEPT }
  progress(`${whole(KEPT)} deliveries are written`)
  await ours.restart(() =>
    store.seed(seedStatements(engine, { ...past, createdAt: systemClock.now(), status: 'failed' })),
  )
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-backup-'))
  // The user of PostgreSQL writes its copies there.
  chmodSync(folder, 0o777)
  const { program, env } = ours.server
  const command = (...args: string[]) =>
    run(process.execPath, [program, ...args], { env: { ...process.env, ...env } })

  progress('nothing is backed up yet')
  await longestPause(ours.server.url)
  const quiet = await ours.paced(RATE, steadyMs)
  const quietPause = await longestPause(ours.server.url)
  progress('a backup is made')
  const file = join(folder, 'postern.tar')
  const elapsed = stopwatch()
  let took = 0
  const made = command('backup', '--to', file, '--without-key').finally(() => {
    took = elapsed()
  })
  const loads: PacedResult[] = []
  while (took === 0) loads.push(await ours.paced(RATE, 2 * SECOND))
  await made
  const busyPause = await longestPause(ours.server.url)
  const busy = Math.max(...loads.map(({ accepted }) => accepted.p99))
  const size = statSync(file).size

  progress('the data moves to the other engine')
  await ours.server.stop()
  const other = await createStore('postgres')
  const to = engine === 'sqlite' ? (other.env.DATABASE_URL ?? '') : `sqlite:${join(folder, 'moved')}`
  const moving = stopwatch()
  await command('move', '--to', to)
  const moved = moving()
  const bare = await copied(engine === 'sqlite' ? other : store, folder)
  await other.remove()
  await store.remove()
  await receiver.stop()
  rmSync(folder, { recursive: true, force: true })
  return [
    {
      name: `a backup of ${whole(KEPT)} deliveries and events at ${RATE} events a second`,
      measured: `no pause over ${ms(busyPause)}, p99 of accepting ${ms(busy)}, ${whole(size / 1e6)} MB in ${(took / SECOND).toFixed(1)} s`,
      raw: `no pause over ${ms(quietPause)}, p99 ${ms(quiet.accepted.p99)} before`,
      goal: `no pause over ${MOST_PAUSE} ms`,
      isMet: busyPause <= MOST_PAUSE,
    },
    {
      name: `a move of the same to ${engine === 'sqlite' ? 'PostgreSQL' : 'SQLite'}, each table read back and compared`,
      measured: `${(moved / SECOND).toFixed(1)} s (${(bare / moved).toFixed(2)} of the rate)`,
      raw: `${(bare / SECOND).toFixed(1)} s for \`copy\` of the rows out of PostgreSQL and into it`,
      goal: `≥ ${LEAST_SHARE} of the rate`,
      isMet: bare / moved >= LEAST_SHARE,
    },
  ]
}

/** Copies the rows into tables of the same form by PostgreSQL itself. @returns how long that took */
async function copied(store: Store, folder: string): Promise<number> {
  const file = (table: string) => join(folder, `${table}.copy`)
  for (const table of TABLES) await store.query(`create table bare_${table} (like ${table} including all)`)
  const elapsed = stopwatch()
  for (const table of TABLES) {
    await store.query(`copy ${table} to '${file(table)}' with (format binary)`)
    await store.query(`copy bare_${table} from '${file(table)}' with (format binary)`)
  }
  return elapsed()
}
