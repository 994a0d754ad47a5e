import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { inGroups } from '../support/attacks.ts'
import { onBothEngines, postern as run, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { RUN, type Sender, useSender } from '../support/webhooks.ts'

const HEARTBEAT = 10 * SECOND
/** New webhooks that take 4 calls at once each, and what each of them gets. */
const [WEBHOOKS, EVENTS] = [70, 8]
/** Whoever is alone may have half of a thousand places, and half of that for webhooks that have not answered yet. */
const [PLACES, HELD] = [500, 250]
const WAITING = WEBHOOKS * 4 - HELD

onBothEngines('an organization that has used up its share', (engine) => {
  const server = usePostern(engine)
  const [crowded, neighbour] = [useSender(server), useSender(server)]

  async function shareOf({ postern, key }: Sender) {
    const { status, body, text } = await callsOf(postern, key).get('/v1/stats/deliveries')
    assert.equal(status, 200, text)
    return body.share
  }

  it('sees it, as the operator does, and another does not; it goes away again', async () => {
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
    const { id: healthyId } = await good.register(healthy.url)
    let id = ''
    await inGroups(WEBHOOKS, async (index) => {
      id = (await bad.register(`${pit.url}/${index}`)).id
    })
    const ofWebhook = (sender: Sender, webhookId: string) =>
      callsOf(postern, sender.key).get(`/v1/webhooks/${webhookId}/stats`)
    using _still = postern.clock.stop()
    assert.equal(await shareOf(bad), null)
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
    postern.clock.advance(HEARTBEAT)
    const used = await until(
      () => shareOf(bad),
      (share) => share !== null,
      { what: 'a share that is used up' },
    )
    assert.deepEqual(used, { places: PLACES, held: HELD, waiting: WAITING })
    assert.deepEqual((await ofWebhook(bad, id)).body.share, used)
    const { code, out } = await run(postern, 'doctor')
    assert.equal(code, 0, out)
    assert.match(
      out,
      new RegExp(
        `^ok +Shares +1 organization has used up its share of delivery, ${WAITING} wait for it: ${bad.admin.organizationId}$`,
        'm',
      ),
    )

    await good.publish()
    await healthy.count(1)
    assert.equal(await shareOf(good), null)
    assert.equal((await ofWebhook(good, healthyId)).body.share, null)

    pit.answer = (_call, response) => void response.writeHead(204).end()
    for (const response of open) response.writeHead(204).end()
    await pit.count(WEBHOOKS * EVENTS)
    await until(gauges, ([, held]) => held === 0, { what: 'every place given back' })
    assert.deepEqual(await gauges(), [1_000, 0, 0, 0])
    postern.clock.advance(HEARTBEAT)
    await until(
      () => shareOf(bad),
      (share) => share === null,
      { what: 'a share that is free' },
    )
    assert.doesNotMatch((await run(postern, 'doctor')).out, /Shares/)
  })
})
