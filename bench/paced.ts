import { Pool } from 'undici'
import { pause, SECOND } from '#src/core/clock.ts'
import { type Spread, spreadOf } from './figures.ts'
import { moment } from './moment.ts'

/** Publishes events on a schedule without waiting for their deliveries, so that a slow server does not slow the load. */
export interface Paced {
  url: string
  path: string
  headers: Record<string, string>
  /** Events a second. */
  rate: number
  durationMs: number
  /** Published in turn. */
  types: string[]
}

export interface PacedResult {
  sent: number
  /** From the moment at which each was to be published to the answer that it is accepted. */
  accepted: Spread
}

const CONNECTIONS = 64
/** The first event waits until everything has been made ready. */
const LEAD_MS = 20
const OUTPUT = 'x'.repeat(900)

/** A body of 1 KiB that tells the receiver which event it is and when it was to be published. */
function bodyOf(type: string, sequence: number, publishAt: number): string {
  return `{"type":"${type}","data":{"agentId":"${sequence}","runId":"${publishAt}","status":"succeeded","durationMs":1234,"output":"${OUTPUT}"}}`
}

export async function runPaced({ url, path, headers, rate, durationMs, types }: Paced): Promise<PacedResult> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const total = Math.round((rate * durationMs) / SECOND)
  const latencies: number[] = []
  const underWay: Promise<void>[] = []

  async function publish(sequence: number, publishAt: number): Promise<void> {
    const body = bodyOf(types[sequence % types.length] ?? '', sequence, publishAt)
    const answer = await pool.request({ method: 'POST', path, headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 202) throw new Error(`POST ${path} answered ${answer.statusCode}`)
    latencies.push(moment() - publishAt)
  }

  const begin = moment() + LEAD_MS
  for (let sequence = 0; sequence < total; sequence += 1) {
    const publishAt = begin + (sequence * SECOND) / rate
    const early = publishAt - moment()
    if (early > 0) await pause(early)
    underWay.push(publish(sequence, publishAt))
  }
  await Promise.all(underWay)
  await pool.close()
  return { sent: total, accepted: spreadOf(latencies) }
}

process.on('message', (run: Paced) => {
  runPaced(run).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
