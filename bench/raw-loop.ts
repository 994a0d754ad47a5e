import { createHmac } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import { Pool } from 'undici'
import { systemClock, toIso } from '../src/core/clock.ts'

/**
 * The raw limit of a webhook sender in one process: HTTP in, one shared SQLite commit, signed HTTP out, one shared
 * commit, and no feature at all. `POST /validate` only validates the same body.
 */
const [port, receiver = ''] = process.argv.slice(2)
const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), 'raw-loop-')), 'raw.db'))
database.exec(`pragma journal_mode=wal; pragma synchronous=full;
  create table event (id integer primary key, body blob not null, done integer) strict`)
const insert = database.prepare('insert into event (body) values (?)')
const settle = database.prepare('update event set done = 1 where id = ?')
const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]
const pool = receiver === '' ? undefined : new Pool(receiver, { connections: 64, pipelining: 1 })

/** Works that were asked for in one turn of the event loop share one commit. */
let waiting: (() => () => void)[] = []
function together(work: () => () => void): void {
  if (waiting.push(work) > 1) return
  setImmediate(() => {
    const batch = waiting
    waiting = []
    begin.run()
    const after = batch.map((run) => run())
    commit.run()
    for (const then of after) then()
  })
}

async function deliver(id: number | bigint, body: Buffer): Promise<void> {
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
  const answer = await pool?.request({ method: 'POST', path: '/', headers, body })
  await answer?.body.dump()
  together(() => {
    settle.run(id)
    return () => {}
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
const server = fastify({ bodyLimit: 256 * 1024 })
server.get('/readyz', async () => ({ status: 'ok' }))
server.post('/validate', { schema }, async (_request, reply) => {
  return reply
    .code(202)
    .send({ id: 'evt', type: 'agent.run.completed', createdAt: '2026-11-20T09:00:00.000Z', deliveries: 0 })
})
server.post('/events', { schema }, (request, reply) => {
  const body = Buffer.from(
    JSON.stringify({
      id: 'evt',
      type: 'agent.run.completed',
      createdAt: toIso(systemClock.now()),
      data: request.body,
    }),
  )
  together(() => {
    const { lastInsertRowid } = insert.run(body)
    return () => {
      void reply.code(202).send({
        id: 'evt',
        type: 'agent.run.completed',
        createdAt: '2026-11-20T09:00:00.000Z',
        deliveries: 1,
      })
      if (pool !== undefined) void deliver(lastInsertRowid, body)
    }
  })
  return reply
})
await server.listen({ host: '127.0.0.1', port: Number(port) })
