import { createHmac } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'undici'
import { pause, SECOND, systemClock, toIso } from '#src/core/clock.ts'
import { openRawStore } from './raw-store.ts'

/**
 * The raw limit of a webhook sender in one process, without any feature: HTTP in, one shared commit, signed HTTP out, one shared commit.
 * `?fan=20` sends to 20 destinations. A refused call is tried again from memory. `POST /validate` only validates the same body,
 * `POST /batch` only writes many events, `POST /again` sends a stored event several times, `GET /pending` tells how many calls are open.
 */
const [port, receiver = '', path = '/', place = ''] = process.argv.slice(2)
const store = await openRawStore(place)
const pool = new Pool(receiver, { connections: 64, pipelining: 1 })
const WAITS = [SECOND, 5 * SECOND]
let pending = 0

/** Requests of one turn of the event loop, and requests during a commit, share the next commit. */
function shared<Given, Made>(commit: (given: Given[]) => Promise<Made[] | undefined>) {
  let waiting: { given: Given; then: (made: Made | undefined) => void }[] = []
  let isWriting = false
  async function write(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const batch = waiting
      waiting = []
      const made = await commit(batch.map(({ given }) => given))
      for (const [index, { then }] of batch.entries()) then(made?.[index])
    }
    isWriting = false
  }
  return (given: Given, then: (made: Made | undefined) => void) => {
    waiting.push({ given, then })
    if (!isWriting) void write()
  }
}

const insert = shared<Buffer[], number[]>(async (given) => {
  const ids = await store.insert(given.flat())
  return given.map((bodies) => ids.splice(0, bodies.length))
})
const settle = shared<number, never>(async (ids) => {
  await store.settle(ids)
  return undefined
})

async function deliver(id: number, body: Buffer, attempt = 1): Promise<void> {
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-service-signature': `sha256=${signature}`,
    'x-service-delivery': String(id),
    'x-service-attempt': String(attempt),
  }
  const answer = await pool.request({ method: 'POST', path, headers, body })
  await answer.body.dump()
  if (answer.statusCode === 503) {
    await pause(WAITS[attempt - 1] ?? 0)
    return deliver(id, body, attempt + 1)
  }
  settle(id, () => {
    pending -= 1
  })
}

const text = { type: 'string' }
const schema = {
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'data'],
    properties: { type: text, data: { type: 'object', additionalProperties: true } },
  },
  response: {
    202: {
      type: 'object',
      properties: { id: text, type: text, createdAt: text, deliveries: { type: 'integer' } },
    },
  },
}
const accepted = {
  id: 'evt',
  type: 'agent.run.completed',
  createdAt: '2026-11-20T09:00:00.000Z',
  deliveries: 1,
}

function envelope(data: unknown): Buffer {
  return Buffer.from(
    JSON.stringify({ id: 'evt', type: accepted.type, createdAt: toIso(systemClock.now()), data }),
  )
}

const server = fastify({ bodyLimit: 256 * 1024 })
server.get('/readyz', async () => ({ status: 'ok' }))
server.get('/pending', async () => pending)
server.post('/validate', { schema }, async (_request, reply) => reply.code(202).send(accepted))
server.post<{ Querystring: { fan?: string } }>('/events', { schema }, (request, reply) => {
  const body = envelope((request.body as { data: unknown }).data)
  const fan = Number(request.query.fan ?? 1)
  pending += fan
  insert([body], ([id = 0] = []) => {
    void reply.code(202).send(accepted)
    for (let copy = 0; copy < fan; copy += 1) void deliver(id, body)
  })
  return reply
})
server.post('/batch', (request, reply) => {
  const { events } = request.body as { events: { data: unknown }[] }
  insert(
    events.map(({ data }) => envelope(data)),
    (ids) => void reply.code(202).send({ results: ids?.map(() => ({ id: accepted.id })) }),
  )
  return reply
})
server.post<{ Querystring: { count: string } }>('/again', async (request) => {
  const body = envelope({ output: 'x'.repeat(900) })
  const count = Number(request.query.count)
  pending += count
  for (let left = count; left > 0; left -= 500) {
    const ids = await store.insert(Array.from({ length: Math.min(left, 500) }, () => body))
    await Promise.all(ids.map((id) => deliver(id, body)))
  }
  return { count }
})
await server.listen({ host: '127.0.0.1', port: Number(port) })
