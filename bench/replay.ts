import { HOUR, pause, SECOND, stopwatch, systemClock, toIso } from '#src/core/clock.ts'
import { median, ms, whole } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { type Publisher, publisher, type Receiver, startRawLoop, startReceiver } from './publisher.ts'
import { seedStatements } from './seed.ts'
import type { Row } from './table.ts'

const SIZE = 100_000
const GOAL = 3_000
/** The bare loop sends fewer: it only tells a rate. */
const RAW_SIZE = 20_000

/** A replay of many deliveries: how fast it goes, and what a kill in the middle leaves. */
export async function benchReplay({ engine, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = await startRawLoop(engine, receiver, 'each')
  progress('bare loop')
  const raw: number[] = []
  for (let round = 0; round < 3; round += 1) raw.push(await repeated(`${bare.server.url}/again`, receiver))
  await bare.stop()

  const ours = await publisher(engine)
  const webhookId = await ours.webhook(`${receiver.url}/each`, { maxInFlight: 64 })
  progress(`${whole(SIZE)} failed deliveries are written`)
  const { store, organizationId } = ours
  const createdAt = systemClock.now() - HOUR
  const failed = {
    organizationId,
    webhookId,
    deliveries: SIZE,
    events: SIZE,
    createdAt,
    status: 'failed' as const,
  }
  await ours.restart(() => store.seed(seedStatements(engine, failed)))

  progress(`${whole(SIZE)} are made again`)
  await receiver.reset()
  const begunAt = moment()
  await replay(ours, webhookId, 'failed')
  const arrived = await receiver.until('each', SIZE)
  const { lastAt } = await receiver.report('each')
  const rate = (arrived * SECOND) / (lastAt - begunAt)
  await ours.settled(webhookId)

  progress(`${whole(SIZE)} are made again, with a kill -9 in the middle`)
  const killed = await killInTheMiddle(ours, webhookId)
  await ours.stop('kill')
  await receiver.stop()
  return [
    {
      name: `replay of ${whole(SIZE)}`,
      measured: `${whole(rate)}/s, ${whole(SIZE - arrived)} missed`,
      raw: `${whole(median(raw))}/s bare loop`,
      goal: `≥ ${whole(GOAL)}/s, none missed`,
      isMet: rate >= GOAL && arrived === SIZE,
    },
    {
      name: `the same, killed after ${whole(killed.before)} rows and started again`,
      measured: `${whole(killed.rows)} new rows, ${killed.wrong} events with other than one; all there ${ms(killed.restMs)} after the start`,
      raw: '',
      goal: 'one new row each',
      isMet: killed.rows === SIZE && killed.wrong === 0 && killed.before > 0 && killed.before < SIZE,
    },
  ]
}

/** @returns deliveries a second of the bare loop */
async function repeated(url: string, receiver: Receiver): Promise<number> {
  await receiver.reset()
  const elapsed = stopwatch()
  await fetch(`${url}?count=${RAW_SIZE}`, { method: 'POST' })
  return RAW_SIZE / (elapsed() / SECOND)
}

/** Replays everything that the seed wrote. @returns the replay's id */
async function replay({ call }: Publisher, webhookId: string, status: 'failed' | 'all'): Promise<string> {
  const now = systemClock.now()
  const range = { since: toIso(now - 2 * HOUR), until: toIso(now - HOUR / 2), status }
  return String((await call('POST', `/v1/webhooks/${webhookId}/replay`, range)).id)
}

async function killInTheMiddle(ours: Publisher, webhookId: string) {
  const { store, call, restart } = ours
  const [newest] = await store.query<{ id: string }>('select max(id) as id from delivery')
  // The first replay has delivered them all.
  const id = await replay(ours, webhookId, 'all')
  const read = async () => (await call('GET', `/v1/replays/${id}`)) as { status: string; replayed: number }
  let before = 0
  while (before < SIZE / 3) before = (await read()).replayed
  await restart(async () => {}, 'kill')
  const elapsed = stopwatch()
  while ((await read()).status === 'running') await pause(50)
  const restMs = elapsed()
  const [made] = await store.query<{ count: number }>(
    `select cast(count(*) as integer) as count from delivery where id > '${newest?.id}'`,
  )
  const wrong = await store.query(
    `select event_id from delivery where id > '${newest?.id}' group by event_id having count(*) <> 1`,
  )
  return { before, rows: made?.count ?? 0, wrong: wrong.length, restMs }
}
