import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { Postern } from '#sdk/postern.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'
import { useSender } from '../support/webhooks.ts'

onBothEngines('the stream of an organization by the SDK', (engine) => {
  const sender = useSender(usePostern(engine))

  it('shows what happens, and what was missed to who comes back', async () => {
    const { postern, key, receiver, register, publish } = await sender()
    const { url } = await receiver()
    const { id: webhookId } = await register(url)
    const api = new Postern({ baseUrl: postern.url, apiKey: key })
    let lastEventId: string | undefined

    /** Reads until an event is delivered. */
    async function read(begin: () => Promise<string>): Promise<void> {
      let eventId: string | undefined
      const options = lastEventId === undefined ? {} : { lastEventId }
      for await (const { id, event, data } of api.stream({ topics: 'deliveries', webhookId }, options)) {
        if (event === 'open') eventId ??= await begin()
        lastEventId = id ?? lastEventId
        assert.notEqual(event, 'gap')
        if (event === 'delivery' && data.eventId === eventId && data.status === 'delivered') break
      }
    }

    await within(
      'an event that is delivered',
      read(async () => (await publish()).id),
    )
    const missed = await publish()
    await within(
      'an event that was missed',
      read(async () => missed.id),
    )
  })
})

it('a stream goes on from the place that a heartbeat has, where nothing was shown since', async () => {
  const places: (string | undefined)[] = []
  const server = createServer((request, response) => {
    places.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const more = places.length === 1 ? ': here\nid: 9\n\n: here\n\n' : ''
    response.end(`id: ${places.length === 1 ? 5 : 10}\nevent: open\ndata: {}\n\n${more}`)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const api = new Postern({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' })
    const ids: (string | undefined)[] = []
    await within(
      'two connections',
      (async () => {
        for await (const { id } of api.stream()) if (ids.push(id) === 2) break
      })(),
    )
    assert.deepEqual({ ids, places }, { ids: ['5', '10'], places: [undefined, '9'] })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
