import assert from 'node:assert/strict'
import type { Answer } from './browser.ts'
import type { Postern } from './postern.ts'
import type { Sender } from './webhooks.ts'

/** The API as one bearer of a token calls it. */
export interface Calls {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
}

export function callsOf(postern: Postern, token: string): Calls {
  const client = postern.client()
  return {
    get: (path, headers = {}) => client.get(path, { token, headers }),
    post: (path, body = {}, headers = {}) => client.post(path, body, { token, headers }),
    patch: (path, body) => client.patch(path, body, { token }),
    delete: (path) => client.delete(path, { token }),
  }
}

export { until } from './waits.ts'

/**
 * Returns when all due deliveries had their turn: the engine has polled, and an event that was published later has
 * reached a destination of its own.
 */
export async function turnsTaken({ postern, key, receiver, register }: Sender): Promise<void> {
  postern.clock.advance(5_000)
  const witness = await receiver()
  await register(witness.url, { events: ['file.processed'] })
  const answer = await callsOf(postern, key).post('/v1/events', { type: 'file.processed', data: {} })
  assert.equal(answer.status, 202, answer.text)
  await witness.count(1)
}

/** Everything of a list, page by page. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export async function readAll(calls: Calls, path: string, limit = 100): Promise<any[]> {
  const all = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { status, text, body } = await calls.get(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${after}`,
    )
    assert.equal(status, 200, text)
    all.push(...body.data)
    assert.notEqual(body.nextCursor, cursor, 'a page that names itself as the next one')
    cursor = body.nextCursor
  }
  return all
}
