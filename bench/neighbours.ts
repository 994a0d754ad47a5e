import { pause } from '#src/core/clock.ts'
import { ms } from './figures.ts'
import type { Options } from './options.ts'
import { startBlackHole } from './processes.ts'
import { BATCH, type Organization, publisher, type Receiver, startReceiver, TYPE } from './publisher.ts'
import type { Row } from './table.ts'

/** Where a noise may point its webhooks. */
interface Peers {
  receiver: Receiver
  /** Accepts and never answers; one of many addresses. */
  hole(index: number): string
}

/** A way in which one organization strains the server. */
interface Noise {
  name: string
  prepare?: (noisy: Organization, peers: Peers) => Promise<void>
  make: (noisy: Organization, peers: Peers) => Promise<unknown>
  /** How many do it at once. */
  hands: number
  /** Pause between two repetitions, so that the load itself is not what is measured. Without it the action runs once. */
  restMs?: number
}

const AT_ONCE = 50
const EVENT = JSON.stringify({ type: TYPE, data: {} })

const NOISES: Noise[] = [
  {
    name: 'one webhook that never answers and has 2,000 events',
    prepare: (noisy, { hole }) => webhooks(noisy, 1, hole),
    async make(noisy) {
      for (let batch = 0; batch < 20; batch += 1) await noisy.raw('POST', '/v1/events/batch', BATCH)
    },
    hands: 1,
  },
  {
    name: '1,000 webhooks that never answer, an event for all of them every second',
    prepare: (noisy, { hole }) => webhooks(noisy, 1_000, hole),
    make: (noisy) => noisy.raw('POST', '/v1/events', EVENT),
    hands: 1,
    restMs: 1_000,
  },
  {
    name: '500 webhooks that answer after 25 s, an event for all of them every second',
    prepare: (noisy, { receiver }) =>
      webhooks(noisy, 500, (index) => address(5, index, receiver.port, 'slow')),
    make: (noisy) => noisy.raw('POST', '/v1/events', EVENT),
    hands: 1,
    restMs: 1_000,
  },
  {
    name: '300 slow webhooks at the same origin as the webhook of the other',
    prepare: (noisy, { receiver }) => webhooks(noisy, 300, () => `${healthyUrl(receiver)}/slow`),
    make: (noisy) => noisy.raw('POST', '/v1/events', EVENT),
    hands: 1,
    restMs: 1_000,
  },
  {
    name: '100 tests at once of a webhook that never answers',
    prepare: (noisy, { hole }) => webhooks(noisy, 1, hole),
    async make(noisy) {
      const { data } = await noisy.call('GET', '/v1/webhooks')
      const [webhook] = data as { id: string }[]
      await noisy.raw('POST', `/v1/webhooks/${webhook?.id}/test`, '{}')
    },
    hands: 100,
    restMs: 50,
  },
  {
    name: 'a batch of 100 events for 1,000 webhooks that never answer, every second',
    prepare: (noisy, { hole }) => webhooks(noisy, 1_000, hole),
    make: (noisy) => noisy.raw('POST', '/v1/events/batch', BATCH),
    hands: 1,
    restMs: 1_000,
  },
  {
    name: 'the costliest event type that it may register, an event of 200 KB twice a second',
    async prepare(noisy) {
      const schema = costly()
      const made = await noisy.raw('POST', '/v1/event-types', JSON.stringify({ name: 'costly.type', schema }))
      // Where it is refused, the events have no schema.
      if (made !== 201) await noisy.call('POST', '/v1/event-types', { name: 'costly.type' })
    },
    make: (noisy) => noisy.raw('POST', '/v1/events', COSTLY_EVENT),
    hands: 1,
    restMs: 500,
  },
  {
    name: 'bulk requests with 1,000 invalid invitations, twice a second',
    make: (noisy) => noisy.raw('POST', '/v1/invitations/bulk', WRONG_INVITATIONS),
    hands: 1,
    restMs: 500,
  },
]

const COSTLY_EVENT = JSON.stringify({
  type: 'costly.type',
  data: { values: Array.from({ length: 20_000 }, (_, index) => `v${index}`) },
})
const WRONG_INVITATIONS = JSON.stringify({
  invitations: Array.from({ length: 1_000 }, (_, index) => ({ email: index, role: 7, more: [index] })),
})

/** A schema of many enumerations. Every item is compared with all of them. */
function costly(): object {
  const item = { enum: Array.from({ length: 120 }, (_, index) => `w${index}`) }
  return {
    type: 'object',
    properties: { values: { type: 'array', items: { anyOf: Array.from({ length: 10 }, () => item) } } },
  }
}

/** Events a second of the organization that is measured. */
const RATE = 200
/** The goal: the p99 beside the noisy organization, as a multiple of the p99 without it. */
const TOLERATED = 1.5

/** Measures the latency of one organization beside a noisy one. Its load alone, just before, is the baseline. */
export async function benchNeighbours({ engine, steadyMs, progress }: Options): Promise<Row[]> {
  const rows: Row[] = []
  for (const noise of NOISES) {
    const receiver = await startReceiver()
    const hole = await startBlackHole()
    const peers = { receiver, hole: (index: number) => address(4, index, hole.port, 'hole') }
    const ours = await publisher(engine)
    try {
      const noisy = await ours.neighbour('noisy')
      await noise.prepare?.(noisy, peers)
      progress(`alone, before: ${noise.name}`)
      await measure(ours, receiver, Math.min(steadyMs, 2_000))
      const before = await measure(ours, receiver, steadyMs)
      progress(noise.name)
      const hush = make(noise, noisy, peers)
      await pause(3_000)
      const after = await measure(ours, receiver, steadyMs)
      hush()
      const ratio = after.latency.p99 / before.latency.p99
      rows.push({
        name: noise.name,
        measured: `p50 ${ms(after.latency.p50)}, p99 ${ms(after.latency.p99)} (ratio ${ratio.toFixed(2)}), ${after.missed} missed`,
        raw: `p50 ${ms(before.latency.p50)}, p99 ${ms(before.latency.p99)} without the other`,
        goal: `p99 ≤ ${TOLERATED} × without, none missed`,
        isMet: ratio <= TOLERATED && after.missed === 0,
      })
    } finally {
      await ours.stop('kill')
      for (const served of [receiver, hole]) await served.stop()
    }
  }
  return rows
}

/** @returns stops it */
function make({ make: once, hands, restMs }: Noise, noisy: Organization, peers: Peers): () => void {
  let isOver = false
  async function goOn(): Promise<void> {
    while (!isOver) {
      // The answer does not matter: the server is killed at the end while calls are under way.
      await once(noisy, peers).catch(() => {})
      if (restMs === undefined) return
      await pause(restMs)
    }
  }
  for (let hand = 0; hand < hands; hand += 1) void goOn()
  return () => {
    isOver = true
  }
}

/** Uses a new webhook each time, so that nothing is known of its latency yet. */
async function measure(ours: Organization, receiver: Receiver, durationMs: number) {
  const id = await ours.webhook(`${healthyUrl(receiver)}/each`)
  await receiver.reset()
  const { sent } = await ours.paced(RATE, durationMs)
  const missed = sent - (await receiver.until('each', sent))
  const { latency } = await receiver.report('each')
  await ours.call('PATCH', `/v1/webhooks/${id}`, { status: 'paused' })
  return { missed, latency }
}

function healthyUrl({ port }: Receiver): string {
  return `http://127.0.0.1:${port}`
}

/** One of this machine's own addresses for each endpoint. */
function address(network: number, index: number, port: number, path: string): string {
  return `http://127.${network}.${index >> 8}.${index & 255 || 255}:${port}/${path}`
}

async function webhooks(noisy: Organization, count: number, url: (index: number) => string): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, index) => made + index)
    await Promise.all(some.map((index) => noisy.webhook(url(index))))
  }
}
