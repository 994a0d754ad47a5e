import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { MINUTE, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { ms } from './figures.ts'
import type { Options } from './options.ts'
import { type Publisher, publisher, type Receiver, startReceiver } from './publisher.ts'
import type { Report } from './receiver.ts'
import type { Row } from './table.ts'

/** Events a second: a developer's pace, and one that fills batches. */
const STEPS = [
  { rate: 5, p95: 25 },
  { rate: 50, p95: 25 },
]
const WARM_UP = 2 * SECOND
const POLL_EVERY = 20
const LISTENER_OPENS_WITHIN = MINUTE

/**
 * Measures the time from the scheduled publication of an event to its arrival at a server of this machine:
 * first by a webhook, then by `postern listen`.
 */
export async function benchListen({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const webhook = await ours.webhook(`${receiver.url}/webhook`, { maxInFlight: 64 })
  const direct: Report[] = []
  for (const { rate } of STEPS) {
    progress(`${rate} events a second, webhook`)
    direct.push(await steady(receiver, ours, { group: 'webhook', rate, steadyMs }))
  }
  await ours.call('PATCH', `/v1/webhooks/${webhook}`, { status: 'paused' })
  const stop = await listen(ours, `${receiver.url}/listener`)
  const rows: Row[] = []
  for (const [step, { rate, p95 }] of STEPS.entries()) {
    progress(`${rate} events a second, listener`)
    const measured = await steady(receiver, ours, { group: 'listener', rate, steadyMs })
    rows.push({
      name: `accepted → arrived by \`postern listen\` at ${rate}/s`,
      measured: tell(measured),
      raw: `${direct[step] === undefined ? '' : tell(direct[step])} by a webhook`,
      goal: `p95 ≤ ${p95} ms`,
      isMet: measured.latency.p95 <= p95,
    })
  }
  await stop()
  await ours.stop()
  await receiver.stop()
  return rows
}

/** Starts `postern listen`, and waits until its listener is open. @returns ends it */
async function listen(
  { server, authorization, call }: Publisher,
  target: string,
): Promise<() => Promise<void>> {
  const env = {
    ...process.env,
    POSTERN_URL: server.url,
    POSTERN_API_KEY: authorization.replace('Bearer ', ''),
  }
  const child = spawn(
    process.execPath,
    [server.program, 'listen', '--forward-to', target, '--name', 'bench'],
    {
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  )
  const ended = once(child, 'exit')
  const elapsed = stopwatch()
  while (!JSON.stringify(await call('GET', '/v1/webhooks')).includes('"bench"')) {
    if (elapsed() > LISTENER_OPENS_WITHIN || child.exitCode !== null)
      throw new Error('postern listen did not begin')
    await pause(POLL_EVERY)
  }
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}

async function steady(
  receiver: Receiver,
  ours: Publisher,
  { group, rate, steadyMs }: { group: string; rate: number; steadyMs: number },
): Promise<Report> {
  const before = await receiver.count(group)
  await receiver.until(group, before + (await ours.paced(rate, Math.min(steadyMs, WARM_UP))).sent)
  await receiver.reset()
  const { sent } = await ours.paced(rate, steadyMs)
  await receiver.until(group, sent)
  return receiver.report(group)
}

function tell({ latency }: Report): string {
  return `p50 ${ms(latency.p50)}, p95 ${ms(latency.p95)}, p99 ${ms(latency.p99)}`
}
