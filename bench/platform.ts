import { execFileSync } from 'node:child_process'
import { SECOND, stopwatch } from '#src/core/clock.ts'
import { median, ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import { load, type Served } from './processes.ts'
import { EVENT, publisher, startReceiver, TYPE } from './publisher.ts'
import type { Row } from './table.ts'

const ORGANIZATIONS = 1_000
/** Requests that are under way at once while the organizations are made. */
const AT_ONCE = 16
const GOAL = { all: 60 * SECOND, ratio: 0.95 }

/** One key of the installation: many organizations made by it, and what it publishes beside a key of an organization. */
export async function benchPlatform({ engine, rounds, durationMs, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  const authorization = `Bearer ${makeKey(ours.server)}`
  const post = async (path: string, organization: string, body: string) => {
    const headers = {
      ...{ 'content-type': 'application/json', authorization },
      'postern-organization': organization,
    }
    const answer = await fetch(ours.server.url + path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }

  progress(`${whole(ORGANIZATIONS)} organizations are made, each with a webhook and an event`)
  const elapsed = stopwatch()
  let next = 0
  const makeSome = async () => {
    while (next < ORGANIZATIONS) {
      const name = `ext:cus_${next++}`
      const url = `${receiver.url}/first/${name.slice(4)}`
      await post('/v1/webhooks', name, JSON.stringify({ url, events: [TYPE] }))
      await post('/v1/events', name, EVENT)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, makeSome))
  const madeMs = elapsed()
  const served = await receiver.until('first', ORGANIZATIONS)
  const allMs = elapsed()

  const publish = async (headers: Record<string, string>) =>
    (
      await load({
        ...{ url: ours.server.url, method: 'POST', path: '/v1/events', bodies: [EVENT] },
        ...{ headers: { 'content-type': 'application/json', ...headers } },
        ...{ connections: AT_ONCE, durationMs, expect: 202 },
      })
    ).perSecond
  const [own, platform]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    progress(`events by either key: round ${round + 1}/${rounds}`)
    own.push(await publish({ authorization: ours.authorization }))
    platform.push(await publish({ authorization, 'postern-organization': ours.organizationId }))
  }
  const ratio = median(platform.map((rate, round) => rate / (own[round] ?? rate)))
  await ours.stop()
  await receiver.stop()
  return [
    {
      name: `one platform key makes ${whole(ORGANIZATIONS)} organizations by external id, each with a webhook and a delivered event`,
      measured: `${ms(madeMs)} to make, ${ms(allMs)} until all were delivered; ${whole(served)} served`,
      raw: '',
      goal: `≤ ${ms(GOAL.all)}`,
      isMet: served === ORGANIZATIONS && allMs <= GOAL.all,
    },
    {
      name: `events by a platform key, ${AT_ONCE} connections, one organization`,
      measured: `${whole(median(platform))}/s`,
      raw: `${whole(median(own))}/s by a key of the organization (ratio ${ratio.toFixed(2)})`,
      goal: `≥ ${GOAL.ratio} of that`,
      isMet: ratio >= GOAL.ratio,
    },
  ]
}

/** @returns the secret of a key that makes organizations, by the command line */
function makeKey(server: Served): string {
  const args = ['create', '--name', 'bench', '--scopes', 'all', '--may-create-organizations', '--json']
  const printed = execFileSync(process.execPath, [server.program, 'platform-key', ...args], {
    env: { ...process.env, ...server.env },
    encoding: 'utf8',
  })
  return (JSON.parse(printed) as { key: string }).key
}
