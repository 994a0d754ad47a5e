import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { DAY, fromIso, HOUR, MINUTE } from '#src/core/clock.ts'
import { type Id, momentOf, newId } from '#src/core/id.ts'
import { addCounts, countsOfEnded, countsOfMade } from '#src/delivery/counts/delivery-counts.ts'
import { createFoldCounts } from '#src/delivery/counts/fold-counts.ts'
import { readTotals } from '#src/delivery/counts/read-counts.ts'
import { writeWebhooks } from '../support/many-webhooks.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'
import type { Receiver } from '../support/receiver.ts'
import { type Calls, callsOf, readAll, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** Sequences per run; a failure prints the seed with which fast-check repeats it. */
const SEQUENCES = nightly(20, 2)

/** Changes of deliveries and of the times by which they are counted. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constant('publish' as const),
      size: fc.integer({ min: 1, max: 5 }),
      answer: fc.constantFrom(200, 404, 503),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constantFrom('retry', 'replay', 'sample', 'pause', 'resume', 'delete', 'remove', 'fold'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      action: fc.constant('clock' as const),
      by: fc.constantFrom(-90 * MINUTE, -MINUTE, 2 * MINUTE, 20 * MINUTE, 6 * HOUR, DAY, 4 * DAY),
    }),
  },
)

interface Known {
  webhookId: string
  status: 'delivered' | 'failed' | 'pending'
}

/** An organization with two webhooks, and the known states of all its deliveries. */
interface World {
  postern: Postern
  own: Calls
  destination: Receiver
  webhooks: string[]
  known: Map<string, Known>
}

async function register({ own, destination, webhooks }: World): Promise<void> {
  const answer = await own.post('/v1/webhooks', { url: destination.url, events: ['agent.run.completed'] })
  assert.equal(answer.status, 201, answer.text)
  webhooks.push(answer.body.id)
}

/** Reads the list of deliveries. Deliveries that are no longer in it have ended and keep their last state. */
async function look({ own, known }: World): Promise<void> {
  for (const { id, webhookId, status } of await readAll(own, '/v1/deliveries'))
    known.set(id, { webhookId, status: status === 'held' ? 'pending' : status })
}

/** The numbers of known deliveries since a time, by their states. */
function faredSince({ known }: World, from: string, webhookId?: string) {
  const start = fromIso(from)
  assert.ok(start !== undefined)
  const totals = { delivered: 0, failed: 0, pending: 0 }
  for (const [id, { webhookId: whose, status }] of known)
    if (momentOf(id as Id<'delivery'>) >= start && (webhookId ?? whose) === whose) totals[status] += 1
  return totals
}

type Act = (world: World, more: { size?: number; answer?: number; by?: number }) => Promise<unknown>

const ACTIONS: Record<string, Act> = {
  publish: ({ own }, { size = 1, answer = 200 }) =>
    own.post('/v1/events/batch', {
      events: Array.from({ length: size }, () => ({
        type: 'agent.run.completed',
        data: { ...RUN, output: String(answer) },
      })),
    }),
  retry: async ({ own }) => {
    const [newest] = (await own.get('/v1/deliveries?status=failed,pending&limit=1')).body.data
    return newest && own.post(`/v1/deliveries/${newest.id}/retry`)
  },
  replay: ({ own, webhooks }) =>
    own.post(`/v1/webhooks/${webhooks.at(-1)}/replay`, { since: '2020-01-01T00:00:00Z', status: 'all' }),
  sample: ({ own, webhooks }) => own.post(`/v1/webhooks/${webhooks.at(-1)}/test`),
  pause: ({ own, webhooks }) => own.patch(`/v1/webhooks/${webhooks.at(-1)}`, { status: 'paused' }),
  resume: ({ own, webhooks }) => own.patch(`/v1/webhooks/${webhooks.at(-1)}`, { status: 'active' }),
  async delete(world) {
    await world.own.delete(`/v1/webhooks/${world.webhooks.at(-1)}`)
    await register(world)
  },
  /** Removes ended deliveries, as retention does; they stay counted. */
  async remove(world) {
    await look(world)
    const ended = [...world.known].flatMap(([id, { status }]) => (status === 'pending' ? [] : [id]))
    if (ended.length === 0) return
    await world.postern.app.database.tx((tx) =>
      tx
        .deleteFrom('delivery')
        .where('id', 'in', ended as Id<'delivery'>[])
        .where('status', 'in', ['delivered', 'failed'])
        .execute(),
    )
  },
  fold: ({ postern }) => createFoldCounts(postern.app.database, 30)(postern.clock.now()),
  clock: async ({ postern }, { by = 0 }) => postern.clock.advance(by),
}

/** Asserts that figures agree with the list, if the list did not change while they were read. */
async function assertAgreement(world: World): Promise<void> {
  await until(
    async () => {
      await look(world)
      const before = JSON.stringify([...world.known])
      const figures = await read(world)
      await look(world)
      return { figures, isStill: JSON.stringify([...world.known]) === before }
    },
    ({ figures, isStill }) => {
      if (!isStill) return false
      for (const { from, told, webhookId } of figures)
        assert.deepEqual(told, faredSince(world, from, webhookId), `since ${from} of ${webhookId ?? 'all'}`)
      return true
    },
    { what: 'deliveries that stand still' },
  )
}

async function read({ own, webhooks }: World) {
  const figures: { from: string; told: object; webhookId?: string }[] = []
  for (const window of ['24h', '30d']) {
    const { totals, buckets } = (await own.get(`/v1/stats/deliveries?window=${window}`)).body
    figures.push({ from: buckets[0].at, told: totals })
    for (const webhookId of webhooks) {
      const answer = await own.get(`/v1/webhooks/${webhookId}/stats?window=${window}`)
      if (answer.status === 200)
        figures.push({ from: answer.body.from, told: answer.body.deliveries, webhookId })
    }
  }
  return figures
}

onBothEngines('figures of deliveries', (engine) => {
  const server = usePostern(engine)
  const sender = useSender(server)

  it('agree with the list through retries, replays, samples, pauses, deletions, retention and wrong clocks', async () => {
    const { postern, receiver } = await sender()
    const destination = await receiver()
    destination.answer = ({ event }, response) => {
      // A sample has no status in its data.
      response.writeHead(Number(event.data.output) || 200).end()
    }
    const sequence = fc.array(step, { minLength: 3, maxLength: 14 })
    // Made before the clock is set, because invitations would expire.
    const keys: string[] = []
    for (let made = 0; made < SEQUENCES; made += 1)
      keys.push(await apiKey(postern, await administrator(postern)))
    const property = fc.asyncProperty(sequence, async (steps) => {
      const own = callsOf(postern, keys.pop() as string)
      const world: World = { postern, own, destination, webhooks: [], known: new Map() }
      await register(world)
      await register(world)
      for (const { action, ...more } of steps) {
        await ACTIONS[action]?.(world, more)
        await assertAgreement(world)
      }
    })
    await fc.assert(property, { numRuns: SEQUENCES, endOnFailure: true })
  })

  it('stay exact while three workers fold old counts and others add to them', async () => {
    const { postern } = await sender()
    const { database } = postern.app
    const organizationId = newId('organization', postern.clock.now())
    const now = postern.clock.now()
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id: organizationId, name: 'Acme', plan: 'free', created_at: now } as never)
        .execute(),
    )
    const webhooks = await writeWebhooks(database, organizationId, 2, now)
    const long = (hours: number) => now - hours * HOUR
    const add = (hours: number) =>
      database.tx(async (tx) => {
        for (const webhook_id of webhooks) {
          const one = { id: newId('delivery', long(hours)), organization_id: organizationId, webhook_id }
          await addCounts(tx, countsOfMade(tx, [one]))
          await addCounts(tx, countsOfEnded(tx, [{ ...one, status: 'delivered', duration: hours }]))
        }
      })
    const HOURS = [1, 6, 7, 30, 200]
    for (let round = 0; round < 5; round += 1)
      await Promise.all([
        ...HOURS.map(add),
        ...Array.from({ length: 3 }, () => createFoldCounts(database, 30)(now)),
        ...HOURS.map(add),
      ])
    await createFoldCounts(database, 30)(now)
    const times = { start: long(24 * 20), width: 24 * 20 * HOUR, count: 1 }
    const [totals] = await readTotals(database.db, { organizationId }, times)
    const count = 2 * 5 * 2 * HOURS.length
    assert.deepEqual(
      { ...totals, durations: [...(totals?.durations.values() ?? [])].reduce((sum, each) => sum + each, 0) },
      { delivered: count, failed: 0, pending: 0, durations: count },
    )
    const spans = await database.db
      .selectFrom('delivery_count')
      .select('span')
      .distinct()
      .where('organization_id', '=', organizationId)
      .orderBy('span')
      .execute()
    assert.deepEqual(
      spans.map(({ span }) => span),
      [1, 15, 60],
    )
  })
})
