import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { inGroups } from '../support/attacks.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, useSender } from '../support/webhooks.ts'

/** New webhooks with 4 concurrent calls each, and the number of their events. */
const [WEBHOOKS, EVENTS] = [70, 8]
/** A single organization may hold half of a thousand places, and half of that for webhooks without a success. */
const HELD = 250
const WAITING = WEBHOOKS * 4 - HELD

onOneEngineByDay('an organization that has used up its share', (engine) => {
  const server = usePostern(engine)
  const [crowded, neighbour] = [useSender(server), useSender(server)]

  it('is counted in the metrics while it waits for a place, and does not delay another organization', async () => {
    const [bad, good] = [await crowded(), await neighbour()]
    const { postern, key } = bad
    const gauges = async () => {
      const { text } = await postern.client().get('/metrics')
      const names = ['places', 'places_held', 'organizations_at_share', 'waiting_for_share']
      return names.map((name) => {
        const [, value] = text.match(new RegExp(`^postern_${name}{kind="delivery"} (\\d+)$`, 'm')) ?? []
        return Number(value ?? Number.NaN)
      })
    }
    const [pit, healthy] = [await bad.receiver(), await good.receiver()]
    const open: ServerResponse[] = []
    pit.answer = (_call, response) => void open.push(response)
    await good.register(healthy.url)
    await inGroups(WEBHOOKS, async (index) => {
      await bad.register(`${pit.url}/${index}`)
    })
    using _still = postern.clock.stop()
    assert.deepEqual(await gauges(), [1_000, 0, 0, 0])

    const events = Array.from({ length: EVENTS }, () => ({ type: 'agent.run.completed', data: RUN }))
    const published = await callsOf(postern, key).post('/v1/events/batch', { events })
    assert.equal(published.status, 202, published.text)
    await until(
      () => open.length,
      (calls) => calls === HELD,
      { what: `${HELD} calls that hang` },
    )
    await until(gauges, ([, , , waiting]) => waiting === WAITING, { what: 'all that can wait for a place' })
    assert.deepEqual(await gauges(), [1_000, HELD, 1, WAITING])

    await good.publish()
    await healthy.count(1)

    pit.answer = (_call, response) => void response.writeHead(204).end()
    for (const response of open) response.writeHead(204).end()
    await pit.count(WEBHOOKS * EVENTS)
    await until(gauges, ([, held]) => held === 0, { what: 'every place given back' })
    assert.deepEqual(await gauges(), [1_000, 0, 0, 0])
  })
})
