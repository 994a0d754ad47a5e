import { MINUTE, type Millis, pause } from '#src/core/clock.ts'
import { createDice } from '../simulator/world.ts'
import { childrenOf } from '../support/children.ts'
import { until } from '../support/waits.ts'
import { FEWEST_EVENTS, type ScenarioOptions, type Skipped } from './scenario.ts'
import { REPLACED, STANDS_STILL } from './server.ts'
import { type Stand, startStand } from './stand.ts'
import { judge, type Verdict } from './verdict.ts'

const WORKERS = 3
/** Workers that answer before one is killed: a server none of whose workers answers ends itself where they end too often. */
const LEAST_UP = 2
/** With so many kills the first worker, which answers by then, is left stopped: the first process has to find that it stands still. */
const LEFT_STOPPED_FROM = 10
/** Until a stopped worker is killed, and until a place that lost its worker often has the next one. */
const REPLACED_WITHIN: Millis = 3 * MINUTE

/**
 * Of the workers of one server, one is killed at a random moment, again and again, under load. A worker is stopped first, so that
 * its claims can be read as they are at its death: each allows one duplicate of its delivery.
 */
export async function killWorkersOfOne(options: ScenarioOptions): Promise<Verdict | Skipped> {
  if (process.platform !== 'linux') return { skipped: 'it reads /proc' }
  const { kills, longestLife, rate, seed, mostRefusals, say } = options
  const dice = createDice(seed)
  const env = { WORKERS: String(WORKERS), LOG_LEVEL: 'info' }
  const stand = await startStand({ engine: 'postgres', rate, seed, mostRefusals, env })
  const { server, load } = stand
  /** How many killed workers had claimed a delivery at their death. */
  const claims = new Map<string, number>()
  const killed = { ended: 0, stoodStill: 0 }
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await untilAnswering(stand, LEAST_UP)
      await pause(dice.between(0, longestLife))
      const pids = childrenOf(server.pid())
      const isLeft = kill === 1 && kills >= LEFT_STOPPED_FROM
      const pid = pids[isLeft ? 0 : dice.between(0, pids.length - 1)] as number
      process.kill(pid, 'SIGSTOP')
      for (const id of await claimedBy(stand, pid)) claims.set(id, (claims.get(id) ?? 0) + 1)
      if (!isLeft) process.kill(pid, 'SIGKILL')
      killed[isLeft ? 'stoodStill' : 'ended'] += 1
      await until(
        () => server.errors().get(REPLACED) ?? 0,
        (count) => count >= kill,
        { what: 'the worker to be replaced', patience: REPLACED_WITHIN },
      )
      if (kill % 10 === 0) say(`${kill}/${kills} workers killed, ${load.acknowledged.size} acknowledged`)
    }
    await stand.acknowledgesMoreThan(FEWEST_EVENTS)
    await load.stop()
    say('the load has ended; what is left is being delivered')
    await stand.drained()
    await untilAnswering(stand, WORKERS)
    const failures = notReplaced(stand, killed)
    const code = await server.end()
    const verdict = await judge(stand, { interruptions: kills, isShared: true })
    failures.push(...verdict.failures, ...notClaimed(stand, claims))
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.lastWords()}`)
    return {
      failures,
      figures: {
        'workers killed': killed.ended,
        'workers left stopped': killed.stoodStill,
        'claims of killed workers': [...claims.values()].reduce((sum, count) => sum + count, 0),
        ...verdict.figures,
      },
    }
  } finally {
    await stand.remove()
  }
}

/** Waits until so many workers answer requests. */
async function untilAnswering({ server }: Stand, count: number): Promise<void> {
  await until(
    () => server.answering().size,
    (size) => size >= count,
    { what: `${count} workers to answer`, patience: REPLACED_WITHIN },
  )
}

/** The deliveries that a worker has claimed. */
async function claimedBy({ store }: Stand, pid: number): Promise<string[]> {
  const rows = await store.query<{ id: string }>(
    `select id from delivery where claim_id in (select id from worker where process like '${pid} %')`,
  )
  return rows.map(({ id }) => id)
}

/** What the server logs otherwise than workers were killed. */
function notReplaced(
  { server }: Stand,
  { ended, stoodStill }: { ended: number; stoodStill: number },
): string[] {
  const errors = server.errors()
  const due = {
    [REPLACED]: ended + stoodStill,
    [STANDS_STILL]: stoodStill,
  }
  return Object.entries(due).flatMap(([message, count]) => {
    const logged = errors.get(message) ?? 0
    return logged === count ? [] : [`${logged} times "${message}", after ${count} kills`]
  })
}

/** Deliveries that came again more often than a worker was killed that had claimed them. */
function notClaimed({ webhooks, takings }: Stand, claims: Map<string, number>): string[] {
  return webhooks.flatMap(({ name }) =>
    [...takings.of(name).deliveries]
      .filter(([id, lives]) => lives.length - 1 > (claims.get(id) ?? 0))
      .map(([id, lives]) => `${id} → ${name} came ${lives.length} times, ${claims.get(id) ?? 0} claims died`),
  )
}
