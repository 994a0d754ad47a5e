import { type Millis, pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { until } from '../support/waits.ts'
import type { ScenarioOptions } from './scenario.ts'
import { createServer, type Server } from './server.ts'
import { startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

/** The longest time until another worker continues the deliveries of a dead one. */
const RESUMED_WITHIN: Millis = 45 * SECOND

/** One process serves the API and two send. One of these is killed, and the other takes over its webhooks and its deliveries in flight. */
export async function killWorker(options: ScenarioOptions): Promise<Verdict> {
  const { longestLife, rate, seed, mostRefusals, say } = options
  const stand = await startStand({ engine: 'postgres', rate, seed, mostRefusals, env: { ROLE: 'api' } })
  const { store, server, load } = stand
  const workers: Server[] = []
  let doomed = ''
  try {
    for (let started = 0; started < 2; started += 1) {
      const worker = createServer({ ...stand.env, ROLE: 'worker' }, 0)
      workers.push(worker)
      await worker.start()
      // While it is the only one, the only name in the table is its name.
      doomed ||= await onlyWorker()
    }
    await pause(2 * longestLife)
    await until(divided, (views) => views.length === 1 && views[0]?.count === 2, {
      what: 'two workers to divide webhooks between them',
      patience: RESUMED_WITHIN,
    })
    await workers[0]?.kill()
    const dead = stopwatch()
    const orphans = (
      await store.query<{ id: string }>(`select id from delivery where claim_id = '${doomed}'`)
    ).map(({ id }) => id)
    say(`it is dead and had ${orphans.length} deliveries in hand`)
    while (dead() < 2 * RESUMED_WITHIN && (await stillClaimed(doomed)) > 0) await pause(100)
    const resumed = dead()
    while (dead() < 2 * RESUMED_WITHIN && (await divided())[0]?.count !== 1) await pause(100)
    const takenOver = dead()
    await load.stop()
    await stand.drained()
    const codes = [await workers[1]?.end(), await server.end()]
    const { failures, figures } = await judge(stand, { interruptions: 1, isShared: true })
    if (orphans.length === 0) failures.push('it had nothing in hand: nothing was proved')
    if (resumed > RESUMED_WITHIN) failures.push(`what it had in hand waited for ${resumed} ms`)
    if (takenOver > RESUMED_WITHIN) failures.push(`its part was nobody's for ${takenOver} ms`)
    if (codes.some((code) => code !== 0)) failures.push(`the processes ended with ${codes}`)
    return {
      failures,
      figures: {
        'claims of the dead worker': orphans.length,
        'its part is another’s after': `${(takenOver / SECOND).toFixed(1)} s (bound ${RESUMED_WITHIN / SECOND} s)`,
        'resumed after': `${(resumed / SECOND).toFixed(1)} s (bound ${RESUMED_WITHIN / SECOND} s)`,
        ...figures,
      },
    }
  } finally {
    for (const worker of workers) await worker.kill()
    await stand.remove()
  }

  async function onlyWorker(): Promise<string> {
    return (await store.query<{ id: string }>('select id from worker'))[0]?.id ?? ''
  }

  /** The views by which workers divide webhooks, and how many do by each. */
  async function divided(): Promise<{ count: number }[]> {
    const rows = await store.query<{ count: string }>(
      `select count(*) as count from worker where draining is null group by divides`,
    )
    return rows.map(({ count }) => ({ count: Number(count) }))
  }

  async function stillClaimed(worker: string): Promise<number> {
    return (await store.query(`select 1 from delivery where claim_id = '${worker}' limit 1`)).length
  }
}
