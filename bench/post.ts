import { signIn } from './access.ts'
import type { LoadResult } from './load.ts'
import { load, type Served, startBare, startPostern } from './processes.ts'
import { median, type Row, whole } from './table.ts'

/** A body of 1 KiB. */
const DATA = {
  agentId: 'agent_1',
  runId: 'run_1',
  status: 'succeeded',
  durationMs: 1_234,
  output: 'x'.repeat(900),
}
const EVENT = JSON.stringify({ type: 'agent.run.completed', data: DATA })
const BATCH = JSON.stringify({
  events: Array.from({ length: 100 }, () => ({ type: 'agent.run.completed', data: DATA })),
})

interface Options {
  rounds: number
  durationMs: number
  progress: (line: string) => void
}

/** An organization that publishes with an API key. */
interface Publisher {
  server: Served
  key: string
}

async function publisher(env: Record<string, string> = {}): Promise<Publisher> {
  const server = await startPostern(env)
  const { bearer } = await signIn(server)
  const { key } = await call(server, '/v1/api-keys', { name: 'bench', role: 'administrator' }, bearer)
  return { server, key: String(key) }
}

async function call(
  server: Served,
  path: string,
  body: object,
  authorization: string,
): Promise<Record<string, unknown>> {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Record<string, unknown>
}

interface Arrived {
  count: number
  p50: number
  p95: number
  p99: number
}

async function arrived(receiver: Served, path = '/count'): Promise<Arrived> {
  return (await (await fetch(receiver.url + path)).json()) as Arrived
}

/** Waits until so many deliveries have arrived. */
async function untilArrived(receiver: Served, count: number): Promise<void> {
  while ((await arrived(receiver)).count < count) await new Promise((resolve) => setImmediate(resolve))
}

/** The rows of the webhook engine on the embedded store. */
export async function benchPost({ rounds, durationMs, progress }: Options): Promise<Row[]> {
  const rows: Row[] = []
  const receiver = await startBare('./receiver.ts')
  const bare = await startBare('./raw-loop.ts', [receiver.url])
  const quiet = await publisher()
  const busy = await publisher()
  const fan = await publisher()
  await call(
    busy.server,
    '/v1/webhooks',
    { url: receiver.url, events: ['*'], maxInFlight: 64 },
    `Bearer ${busy.key}`,
  )
  for (let index = 0; index < 20; index += 1) {
    await call(
      fan.server,
      '/v1/webhooks',
      { url: `${receiver.url}/${index}`, events: ['*'] },
      `Bearer ${fan.key}`,
    )
  }
  const publish = ({ server, key }: Publisher, path: string, body: string, connections: number) =>
    load({
      url: server.url,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      bodies: [body],
      connections,
      durationMs,
      expect: 202,
    })
  const raw = (path: string): Promise<LoadResult> =>
    load({
      url: bare.url,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      bodies: [EVENT],
      connections: 64,
      durationMs,
      expect: 202,
    })

  /** Published and delivered in the time of the load and what was left over after it. */
  async function delivered(
    run: () => Promise<LoadResult>,
    each: number,
  ): Promise<Arrived & { perSecond: number }> {
    await arrived(receiver, '/reset')
    const before = performance.now()
    const { count } = await run()
    await untilArrived(receiver, count * each)
    const seconds = (performance.now() - before) / 1_000
    return { ...(await arrived(receiver)), perSecond: (count * each) / seconds }
  }

  const accepts: { ours: LoadResult; raw: number }[] = []
  const batches: number[] = []
  const singles: { ours: number; raw: number }[] = []
  const fans: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    progress(`accepting: round ${round + 1}/${rounds}`)
    accepts.push({
      ours: await publish(quiet, '/v1/events', EVENT, 64),
      raw: (await raw('/validate')).perSecond,
    })
    progress(`batches: round ${round + 1}/${rounds}`)
    batches.push((await publish(quiet, '/v1/events/batch', BATCH, 8)).perSecond * 100)
    progress(`delivering: round ${round + 1}/${rounds}`)
    singles.push({
      ours: (await delivered(() => publish(busy, '/v1/events', EVENT, 64), 1)).perSecond,
      raw: (await delivered(() => raw('/events'), 1)).perSecond,
    })
    progress(`fan-out: round ${round + 1}/${rounds}`)
    fans.push((await delivered(() => publish(fan, '/v1/events', EVENT, 8), 20)).perSecond)
  }
  const accept = median(accepts.map(({ ours }) => ours.perSecond))
  const acceptP99 = median(accepts.map(({ ours }) => ours.p99))
  const acceptRatio = median(accepts.map((pair) => pair.ours.perSecond / pair.raw))
  rows.push({
    name: '`POST /v1/events`, durable, 64 connections',
    measured: `${whole(accept)}/s, p99 ${acceptP99.toFixed(1)} ms`,
    raw: `${whole(median(accepts.map((pair) => pair.raw)))}/s only validated (ratio ${acceptRatio.toFixed(2)})`,
    goal: '≥ 5,000/s, ≥ 0.5 of raw, p99 ≤ 25 ms',
    isMet: accept >= 5_000 && acceptRatio >= 0.5 && acceptP99 <= 25,
  })
  rows.push({
    name: 'batches of 100',
    measured: `${whole(median(batches))} events/s`,
    raw: '',
    goal: '≥ 25,000/s',
    isMet: median(batches) >= 25_000,
  })
  const single = median(singles.map((pair) => pair.ours))
  const singleRatio = median(singles.map((pair) => pair.ours / pair.raw))
  rows.push({
    name: 'published → delivered and recorded, fan-out 1',
    measured: `${whole(single)}/s`,
    raw: `${whole(median(singles.map((pair) => pair.raw)))}/s bare loop (ratio ${singleRatio.toFixed(2)})`,
    goal: '≥ 5,000/s, ≥ 0.8 of raw',
    isMet: single >= 5_000 && singleRatio >= 0.8,
  })
  rows.push({
    name: 'fan-out 20',
    measured: `${whole(median(fans))} deliveries/s`,
    raw: '',
    goal: '≥ 8,000/s',
    isMet: median(fans) >= 8_000,
  })
  for (const served of [quiet.server, busy.server, fan.server, bare, receiver]) await served.stop()
  return rows
}
