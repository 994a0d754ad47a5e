import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { isCode, Postern, type StreamEvent } from './postern.ts'

/** Each connection is answered by the next script of the test. */
let scripts: ((response: ServerResponse, lastEventId: string | undefined) => void)[] = []
let places: (string | undefined)[] = []
const server = createServer((request, response) => {
  const place = request.headers['last-event-id']?.toString()
  places.push(place)
  const script = scripts.length > 1 ? scripts.shift() : scripts[0]
  if (script !== undefined) script(response, place)
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  server.closeAllConnections()
  server.close()
})

function open(list: typeof scripts, options: object = {}) {
  ;[scripts, places] = [list, []]
  const address = server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return new Postern({ baseUrl, apiKey: 'psk_test' }).runs.stream('run_1', options)
}

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const say = (response: ServerResponse, id: number, event: string, data: object = {}) =>
  response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
const names = async (stream: AsyncIterable<StreamEvent>) => {
  const seen = []
  for await (const { event } of stream) seen.push(event)
  return seen
}

describe('a stream', () => {
  it('goes on where it was when its connection breaks, ends, or is refused in passing', async () => {
    const states: string[] = []
    const stream = open(
      [
        (response) => {
          say(begin(response), 1, 'run.queued')
          setTimeout(() => response.destroy(), 20)
        },
        (response) => void response.writeHead(503, { 'retry-after': '0' }).end(),
        (response) => {
          say(begin(response), 2, 'run.started')
          response.end()
        },
        (response) => {
          say(begin(response), 3, 'run.succeeded')
          response.end()
        },
      ],
      { onState: (state: string) => states.push(state) },
    )
    assert.deepEqual(await names(stream), ['run.queued', 'run.started', 'run.succeeded'])
    assert.deepEqual(places, [undefined, '1', '1', '2'])
    assert.deepEqual(states, ['open', 'waiting', 'waiting', 'open', 'waiting', 'open'])
  })

  it('reads events however their bytes are cut', async () => {
    const text =
      ': here\n\nid: 7\r\nevent: run.step.completed\r\ndata: {"text":\r\ndata: "Grüße"}\r\n\r\nevent: run.succeeded\ndata: plain\n\n'
    const stream = open([
      async (response) => {
        begin(response)
        for (const byte of Buffer.from(text)) {
          response.write(Buffer.from([byte]))
          await new Promise(setImmediate)
        }
        response.end()
      },
    ])
    const events = []
    for await (const event of stream) events.push(event)
    assert.deepEqual(events, [
      { id: '7', event: 'run.step.completed', data: { text: 'Grüße' } },
      { id: undefined, event: 'run.succeeded', data: 'plain' },
    ])
  })

  it('opens again after an `end` of the connection, and is over when a right is revoked', async () => {
    const stream = open([
      (response) => {
        say(begin(response), 1, 'delivery')
        say(response, 2, 'end', { reason: 'token_expired' })
      },
      (response) => {
        say(begin(response), 3, 'delivery')
        say(response, 4, 'end', { reason: 'revoked' })
      },
    ])
    assert.deepEqual(await names(stream), ['delivery', 'delivery', 'end'])
    assert.deepEqual(places, [undefined, '2'])
  })

  it('stays away as long as it is asked to, and does not hammer who asks for ages or for no time', async () => {
    for (const asked of ['9999999999', '0']) {
      const leaving = new AbortController()
      const stream = open([(response) => void response.writeHead(503, { 'retry-after': asked }).end()], {
        signal: leaving.signal,
      })
      setTimeout(() => leaving.abort(), 400)
      await assert.rejects(names(stream))
      assert.ok(places.length < 25, `${asked}: asked ${places.length} times`)
    }
  })

  it('gives up a server whose line, or whose event, does not end', async () => {
    for (const piece of ['x'.repeat(65_536), `data: ${'x'.repeat(65_530)}\n`]) {
      const stream = open([
        (response) => {
          begin(response)
          const more = () => {
            while (!response.destroyed && response.write(piece));
          }
          response.on('drain', more)
          more()
        },
      ])
      await assert.rejects(
        Promise.race([names(stream), new Promise((resolve) => setTimeout(resolve, 20_000).unref())]),
        (error) => isCode(error, 'UNEXPECTED_ANSWER'),
      )
    }
  })

  it('says that there is a gap when it comes back without a place', async () => {
    const stream = open([
      (response) => {
        begin(response).write('event: run.output.delta\ndata: {}\n\n')
        setTimeout(() => response.destroy(), 20)
      },
      (response) => void say(begin(response), 9, 'run.failed'),
    ])
    assert.deepEqual(await names(stream), ['run.output.delta', 'gap', 'run.failed'])
  })

  it('ends when the thing has nothing more to say', async () => {
    assert.deepEqual(await names(open([(response) => void begin(response).end()], { lastEventId: '5' })), [])
    assert.deepEqual(places, ['5', '5', '5'])
  })

  it('throws what does not pass, and the reason of whoever leaves by a signal', async () => {
    const gone = JSON.stringify({ error: { code: 'ENTITY_NOT_FOUND', message: 'No.', details: {} } })
    await assert.rejects(names(open([(response) => void response.writeHead(404).end(gone)])), (error) =>
      isCode(error, 'ENTITY_NOT_FOUND'),
    )
    assert.equal(places.length, 1)
    const leaving = new AbortController()
    const reason = new Error('left')
    const stream = open([(response) => void say(begin(response), 1, 'run.queued')], {
      signal: leaving.signal,
    })
    await assert.rejects(
      async () => {
        for await (const _ of stream) leaving.abort(reason)
      },
      (error) => error === reason,
    )
  })

  it('closes its connection when the loop is left', async () => {
    let closed: (value: unknown) => void = () => {}
    const isClosed = new Promise((resolve) => {
      closed = resolve
    })
    const stream = open([
      (response) => {
        response.once('close', closed)
        say(begin(response), 1, 'run.queued')
      },
    ])
    for await (const _ of stream) break
    await isClosed
  })
})
