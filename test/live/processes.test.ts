import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PACE } from '#src/jobs/lease/lease.ts'
import type { Seen } from '../support/event-reader.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey } from '../support/people.ts'
import { startProcess } from '../support/process.ts'
import { useProcesses, useReceivers } from '../support/processes.ts'
import { RUN } from '../support/webhooks.ts'

describe('the live stream over two processes', () => {
  const start = useProcesses()
  const receiver = useReceivers()

  it('shows what any of them does, and goes on at another with nothing lost and nothing twice', async () => {
    const { one, processes } = await start()
    const two = await processes.start()
    const admin = await administrator(one)
    const key = await apiKey(one, admin)
    const url = (await receiver()).url
    const type = 'agent.run.completed'
    await one.client().post('/v1/webhooks', { url, events: [type] }, { token: key })
    const publish = async (postern: typeof one): Promise<string> =>
      (await postern.client().post('/v1/events', { type, data: RUN }, { token: key })).body.id
    const isDelivered =
      (eventId: string) =>
      ({ event, data }: Seen): boolean =>
        event === 'delivery' && data.eventId === eventId && data.status === 'delivered'

    const first = await watchLive(two.url, admin.token)
    const early = [await publish(one), await publish(two)]
    for (const id of early) await first.sees(`the delivery of ${id}`, isDelivered(id))
    first.leave()
    const between = await Promise.all(
      Array.from({ length: 20 }, (_, index) => publish(index % 2 ? one : two)),
    )
    const second = await watchLive(one.url, admin.token, { after: first.place() })
    const late = await publish(two)
    for (const id of [...between, late]) await second.sees(`the delivery of ${id}`, isDelivered(id))

    const all = [...first.seen, ...second.seen]
    assert.ok(!all.some(({ event }) => event === 'gap'))
    const shown = all.filter(({ event }) => event === 'delivery').map(({ data }) => JSON.stringify(data))
    assert.equal(new Set(shown).size, shown.length)
    // No state comes after a newer one.
    const ended = new Set<unknown>()
    for (const { data } of all.filter(({ event }) => event === 'delivery')) {
      assert.ok(!ended.has(data.id), `${data.id} was shown once more after its end`)
      if (data.status === 'delivered') ended.add(data.id)
    }
    second.leave()
  })

  it('ends with its process, says why, and goes on at another', async () => {
    const { one, processes } = await start()
    const three = await processes.start()
    const admin = await administrator(one)
    const stream = await watchLive(three.url, admin.token)
    await three.stop()
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'stopping')
    const next = await watchLive(one.url, admin.token, { after: stream.place() })
    assert.ok(!next.seen.some(({ event }) => event === 'gap'))
    next.leave()
  })

  it('has a gap where a process has died, and none where one has ended', async () => {
    const { one } = await start()
    const admin = await administrator(one)
    const stream = await watchLive(one.url, admin.token)
    const ended = await startProcess({ ...one.env, ROLE: 'worker' })
    assert.equal(await ended.end(), 0)
    const killed = await startProcess({ ...one.env, ROLE: 'worker' })
    await killed.kill()
    one.clock.advance(PACE.poll)
    await stream.sees('the gap', ({ event }) => event === 'gap')
    assert.equal(stream.seen.filter(({ event }) => event === 'gap').length, 1)
    stream.leave()
  })
})
