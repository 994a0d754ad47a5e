import assert from 'node:assert/strict'
import type { Postern } from './postern.ts'
import type { Receiver } from './receiver.ts'
import { type Calls, until } from './webhook-calls.ts'
import { RUN } from './webhooks.ts'

export const LONG_AGO = '2026-01-01T00:00:00.000Z'
/** Always answers one status. */
export const answering =
  (status: number): Receiver['answer'] =>
  (_call, response) =>
    void response.writeHead(status).end()

/** Publishes so many events and waits until their deliveries have ended. */
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
 * Stops a replay after its first step, until it is let go on: the step's transaction is committed, and whoever
 * made it does not hear of it yet.
 */
export function holdAfterFirstStep({ app }: Postern): {
  held: Promise<void>
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
    held: first.promise,
    release() {
      database.tx = tx
      latch.resolve()
    },
  }
}
