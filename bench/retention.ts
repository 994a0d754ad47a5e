import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, pause, SECOND, stopwatch, systemClock } from '#src/core/clock.ts'
import { longestPause } from './event-loop.ts'
import { ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import type { PacedResult } from './paced.ts'
import { publisher, startReceiver } from './publisher.ts'
import { seedStatements } from './seed.ts'
import type { Store } from './store.ts'
import type { Row } from './table.ts'

/** Deliveries that expired all at once: each with an event of its own and one attempt. */
const EXPIRED = 300_000
/** Events a second during the removal. */
const RATE = 200
/** The first sweep begins a minute after the start. */
const FIRST_SWEEP = 60 * SECOND
const MOST_PAUSE = 50

/** What publishers feel while a great deal is removed. */
export async function benchRetention({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const { store, organizationId } = ours
  const webhookId = await ours.webhook(`${receiver.url}/all`, { maxInFlight: 64 })
  const createdAt = systemClock.now() - 31 * DAY
  const past = { organizationId, webhookId, events: EXPIRED, deliveries: EXPIRED, createdAt }
  progress(`${whole(EXPIRED)} expired deliveries are written`)
  let started = stopwatch()
  await ours.restart(async () => {
    await store.seed([...seedStatements(engine, { ...past, status: 'failed' }), ATTEMPTS])
    started = stopwatch()
  })
  const sizeBefore = sizeOf(store)
  progress('nothing is removed yet')
  await longestPause(ours.server.url)
  const quiet = await ours.paced(RATE, steadyMs)
  const quietLag = await longestPause(ours.server.url)
  await pause(FIRST_SWEEP - SECOND - started())
  await longestPause(ours.server.url)
  const sweeping = stopwatch()
  progress('everything that has expired is removed')
  let took = 0
  const loads: PacedResult[] = []
  while (took === 0) {
    loads.push(await ours.paced(RATE, steadyMs))
    if ((await left(store)) === 0) took = sweeping()
  }
  const busyLag = await longestPause(ours.server.url)
  const busy = Math.max(...loads.map(({ accepted }) => accepted.p99))
  const sizeAfter = sizeOf(store)
  await ours.stop()
  await receiver.stop()
  return [
    {
      name: `${whole(EXPIRED)} expired deliveries removed at ${RATE} events a second`,
      measured: `no pause over ${ms(busyLag)}, p99 of accepting ${ms(busy)}, done within ${whole(took / SECOND)} s`,
      raw: `no pause over ${ms(quietLag)}, p99 ${ms(quiet.accepted.p99)} before`,
      goal: `no pause over ${MOST_PAUSE} ms`,
      isMet: busyLag <= MOST_PAUSE,
    },
    ...(sizeBefore === undefined
      ? []
      : [
          {
            name: 'the file, before and after',
            measured: `${whole((sizeAfter ?? 0) / 1e6)} MB`,
            raw: `${whole(sizeBefore / 1e6)} MB before`,
            goal: 'freed room is used again',
            isMet: (sizeAfter ?? 0) <= sizeBefore * 1.05,
          },
        ]),
  ]
}

const ATTEMPTS = `insert into attempt (organization_id, delivery_id, number, started_at, duration_ms, outcome, status_code, error,
    request_headers, response_headers, response_body, secret_index, reach)
  select organization_id, id, 1, created_at, 20, 'failed', 500, null, '{"content-type":"application/json"}', '{}', null, 0, '0'
  from delivery`

async function left(store: Store): Promise<number> {
  const rows = await store.query<{ count: number }>(
    `select cast(count(*) as integer) as count from (
       select 1 from event where created_at < ${systemClock.now() - 30 * DAY} limit 1) as old`,
  )
  return rows[0]?.count ?? 0
}

function sizeOf({ engine, env }: Store): number | undefined {
  return engine === 'sqlite' ? statSync(join(env.DATA_DIR ?? '', 'postern.db')).size : undefined
}
