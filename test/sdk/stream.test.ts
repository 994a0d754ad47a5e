import assert from 'node:assert/strict'
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
