import { Pool } from 'undici'
import { SECOND, stopwatch, systemClock } from '#src/core/clock.ts'
import { type Spread, spreadOf } from './figures.ts'

/** The order for one run of the load. It runs in a process of its own, so that it does not slow the server. */
export interface Load {
  url: string
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** One for each connection, in turn. */
  bodies?: string[]
  connections: number
  durationMs: number
  /** Requests of the run; it ends sooner where they are made sooner. */
  most?: number
  /** Answers that count; any other ends the run with an error. */
  expect: number
}

/** The results of the run. */
export interface LoadResult extends Spread {
  perSecond: number
}

/** Sends requests one after another on each of the connections for a time. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const pool = new Pool(load.url, { connections: load.connections, pipelining: 1 })
  const latencies: number[] = []
  const total = stopwatch()
  let over = false
  let made = 0
  const cancel = systemClock.after(load.durationMs, () => {
    over = true
  })
  await Promise.all(
    Array.from({ length: load.connections }, async (_, connection) => {
      const body = load.bodies?.[connection % load.bodies.length] ?? null
      while (!over && made < (load.most ?? Number.POSITIVE_INFINITY)) {
        made += 1
        const elapsed = stopwatch()
        const answer = await pool.request({
          method: load.method,
          path: load.path,
          headers: load.headers,
          body,
        })
        await answer.body.arrayBuffer()
        if (answer.statusCode !== load.expect) {
          throw new Error(`${load.method} ${load.path} answered ${answer.statusCode}`)
        }
        latencies.push(elapsed())
      }
    }),
  )
  cancel()
  const seconds = total() / SECOND
  await pool.close()
  return { perSecond: latencies.length / seconds, ...spreadOf(latencies) }
}

if (process.send !== undefined) {
  // The channel to the parent keeps the process alive while it waits: timers of the clock do not.
  process.on('message', (load: Load) => {
    runLoad(load).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
}
