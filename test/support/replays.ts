import assert from 'node:assert/strict'
import { DAY, toIso } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { countDeliveries } from './many-webhooks.ts'
import type { Postern } from './postern.ts'
import type { Receiver } from './receiver.ts'
import { within } from './waits.ts'
import { type Calls, until } from './webhook-calls.ts'
import { RUN } from './webhooks.ts'

export const LONG_AGO = '2026-01-01T00:00:00.000Z'
/** Always answers one status. */
export const answering =
  (status: number): Receiver['answer'] =>
  (_call, response) =>
    void response.writeHead(status).end()

/** Publishes a number of events and waits until their deliveries have ended. */
export async function fail(own: Calls, webhookId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => ({ type: 'agent.run.completed', data: RUN }))
  const ended = async () => {
    const { deliveries } = (await own.get(`/v1/webhooks/${webhookId}/stats`)).body
    return deliveries.delivered + deliveries.failed
  }
  const before = await ended()
  const { status, body, text } = await own.post('/v1/events/batch', { events })
  assert.equal(status, 202, text)
  await until(ended, (now) => now >= before + count)
  return body.results.map(({ id }: { id: string }) => id)
}

/**
 * As `fail`, with rows written in their final state, for numbers at which real attempts would take too long.
 * @returns the ids of the events
 */
export async function placeFailed(
  { app: { database }, clock }: Postern,
  webhookId: string,
  count: number,
): Promise<string[]> {
  const webhook_id = webhookId as Id<'webhook'>
  const { organization_id } = await database.db
    .selectFrom('webhook')
    .select('organization_id')
    .where('id', '=', webhook_id)
    .executeTakeFirstOrThrow()
  const now = clock.now()
  const common = { organization_id, created_at: now }
  const type = 'agent.run.completed'
  const events = Array.from({ length: count }, (_, index) => {
    const id = newId('event', now - count + index)
    const body = JSON.stringify({ id, type, createdAt: toIso(now), data: RUN })
    return { ...common, id, type, body: Buffer.from(body), hops: 0 }
  })
  const deliveries = events.map(({ id: event_id }, index): Tables['delivery'] => ({
    ...common,
    id: newId('delivery', now - count + index),
    webhook_id,
    event_id,
    event_type: type,
    status: 'failed',
    reason: 'http_400',
    attempts: 1,
    due_at: null,
    horizon_at: now + DAY,
    claim_id: null,
    sample: 0,
    updated_at: now,
  }))
  await database.tx(async (tx) => {
    await tx.insertInto('event').values(events).execute()
    await tx.insertInto('delivery').values(deliveries).execute()
    await countDeliveries(tx, deliveries)
  })
  return events.map(({ id }) => id)
}

/** Begins a replay. */
export async function replay(own: Calls, webhookId: string, body: object = {}) {
  const answer = await own.post(`/v1/webhooks/${webhookId}/replay`, { since: LONG_AGO, ...body })
  assert.equal(answer.status, 202, answer.text)
  return answer.body
}

/** A replay, once it does not run any more. */
export const ended = (own: Calls, id: string) =>
  until(
    async () => (await own.get(`/v1/replays/${id}`)).body,
    ({ status }) => status !== 'running',
  )

/**
 * Stops a replay after its first step until it is released: the transaction of the step is committed, and the worker
 * waits for the answer.
 */
export function holdAfterFirstStep({ app }: Postern): {
  /** Resolves when it has stopped there. */
  held: () => Promise<void>
  release: () => void
} {
  const database = app.database.background
  const { tx } = database
  const first = Promise.withResolvers<void>()
  const latch = Promise.withResolvers<void>()
  database.tx = async (work) => {
    const value = await tx(work)
    if (typeof value !== 'string' || !value.startsWith('whk_')) return value
    first.resolve()
    await latch.promise
    return value
  }
  return {
    held: () => within('a replay to end its first step', first.promise),
    release() {
      database.tx = tx
      latch.resolve()
    },
  }
}
