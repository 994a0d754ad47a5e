import assert from 'node:assert/strict'
import { HOUR } from '#src/core/clock.ts'
import { createKnower, type Knower } from './knowledge.ts'
import { PASSWORD, tokenOf } from './people.ts'
import type { Postern } from './postern.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { verifies } from './signing.ts'
import { until } from './waits.ts'
import { callsOf } from './webhook-calls.ts'
import { RUN } from './webhooks.ts'

const TEXT = 'A heron waits at the weir in the morning.'
const BYTES = Buffer.from(Array.from({ length: 70_000 }, (_, index) => 32 + (index % 90)))

/** What an installation has that somebody uses: sessions, keys, a webhook with what was sent and what waits, files, knowledge. */
export interface LivedIn {
  knower: Knower
  session: string
  webhook: { id: string; secret: string }
  receiver: Receiver
  /** Events that were delivered. */
  delivered: string[]
  /** An event that the receiver has refused so far. */
  waiting: string
  fileId: string
  baseId: string
}

export async function liveIn(server: Postern): Promise<LivedIn> {
  const receiver = await startReceiver()
  const knower = await createKnower(server)
  const calls = callsOf(server, knower.token)
  const webhook = await calls.post('/v1/webhooks', { url: receiver.url, events: ['*'] })
  assert.equal(webhook.status, 201, webhook.text)
  const delivered: string[] = []
  for (let count = 0; count < 3; count += 1) delivered.push(await publish(server, knower.token))
  const isDelivered = async () =>
    (await calls.get(`/v1/webhooks/${webhook.body.id}/deliveries?status=delivered`)).body.data.length
  await until(isDelivered, (count) => count === delivered.length, { what: 'three deliveries' })
  receiver.answer = (_call, response) => void response.writeHead(503).end()
  const waiting = await publish(server, knower.token)
  await receiver.count(delivered.length + 1)
  const file = await server.client().post('/v1/files?name=note.txt', BYTES, {
    token: knower.token,
    headers: { 'content-type': 'text/plain' },
  })
  assert.equal(file.status, 201, file.text)
  const isRead = async () => (await calls.get(`/v1/files/${file.body.id}`)).body.status
  await until(isRead, (status) => status === 'processed', { what: 'the file to be read' })
  const baseId = await knower.base()
  await knower.add(baseId, TEXT)
  return {
    ...{ knower, receiver, delivered, waiting, baseId, fileId: file.body.id },
    session: knower.admin.client.cookies.get('session') ?? '',
    webhook: { id: webhook.body.id, secret: webhook.body.secret },
  }
}

async function publish(server: Postern, token: string): Promise<string> {
  const event = await callsOf(server, token).post('/v1/events', { type: 'agent.run.completed', data: RUN })
  assert.equal(event.status, 202, event.text)
  return event.body.id
}

/** Proves that all of it is there on another server, that it goes on, and that nothing is sent once more that had been settled. */
export async function proveLivedIn(
  server: Postern,
  { knower, session, webhook, receiver, delivered, waiting, fileId, baseId }: LivedIn,
): Promise<void> {
  const { admin, token } = knower
  const browser = server.client()
  browser.cookies.set('session', session)
  const renewed = await tokenOf(browser)
  for (const one of [admin.token, renewed])
    assert.equal((await server.client().get('/v1/organizations', { token: one })).status, 200)
  const signIn = { email: admin.email, password: PASSWORD }
  assert.equal((await server.client().post('/v1/auth/sign-in/email', signIn)).status, 200)

  const content = await fetch(`${server.url}/v1/files/${fileId}/content`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(content.status, 200)
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(BYTES), 'the bytes of the file')
  const found = await server
    .client()
    .post(`/v1/knowledge-bases/${baseId}/search`, { query: 'heron' }, { token })
  assert.deepEqual(
    found.body.data.map(({ text }: { text: string }) => text),
    [TEXT],
  )

  const before = receiver.received.length
  receiver.answer = (_call, response) => void response.writeHead(204).end()
  server.clock.advance(HOUR)
  const later = await publish(server, token)
  await until(
    async () => receiver.received.slice(before).map(({ event }) => event.id),
    (ids) => ids.includes(waiting) && ids.includes(later),
    { what: 'the delivery that waited, and a new one' },
  )
  const sent = receiver.received.slice(before)
  assert.deepEqual(
    sent.map(({ event }) => event.id).filter((id) => delivered.includes(id)),
    [],
    'sent once more',
  )
  for (const call of sent) assert.ok(verifies(webhook.secret, call), 'signed with the secret of before')
}
