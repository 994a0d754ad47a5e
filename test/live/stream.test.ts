import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import type { Seen } from '../support/event-reader.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { makeSetupLink } from '../support/setup-links.ts'
import { until } from '../support/waits.ts'
import { useSender } from '../support/webhooks.ts'

const isDelivery =
  (eventId: string, status: string) =>
  ({ event, data }: Seen): boolean =>
    event === 'delivery' && data.eventId === eventId && data.status === status

onBothEngines('the live stream of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const sender = useSender(server)

  it('shows a delivery as it is, each time that it has changed', async () => {
    const { postern, admin, register, publish, receiver } = await sender()
    const webhook = await register((await receiver()).url)
    const stream = await watchLive(postern.url, admin.token)
    const { id } = await publish()
    const { data } = await stream.sees('the delivery', isDelivery(id, 'delivered'))
    const list = await postern.client().get(`/v1/deliveries?webhookId=${webhook.id}`, { token: admin.token })
    assert.deepEqual(data, list.body.data[0])
    stream.leave()
  })

  it('shows nothing of another organization', async () => {
    const { postern, admin, publish } = await sender()
    const stranger = await administrator(postern)
    const [own, other] = [
      await watchLive(postern.url, admin.token),
      await watchLive(postern.url, stranger.token),
    ]
    const { id } = await publish()
    await own.sees('the delivery', isDelivery(id, 'delivered'))
    assert.ok(!other.seen.some(({ event }) => event === 'delivery'))
    own.leave()
    other.leave()
  })

  it('goes on where a reader has left it, with nothing lost and nothing twice', async () => {
    const { postern, admin, publish } = await sender()
    const first = await watchLive(postern.url, admin.token)
    const before = await publish()
    await first.sees('the first delivery', isDelivery(before.id, 'delivered'))
    first.leave()
    const between = await publish()
    const second = await watchLive(postern.url, admin.token, { after: first.place() })
    const after = await publish()
    await second.sees('what happened in between', isDelivery(between.id, 'delivered'))
    await second.sees('what happened since', isDelivery(after.id, 'delivered'))
    assert.ok(!second.seen.some(({ event, data }) => event === 'gap' || data.eventId === before.id))
    const told = [...first.seen, ...second.seen].filter(({ event }) => event === 'delivery')
    assert.equal(new Set(told.map(({ data }) => JSON.stringify(data))).size, told.length)
    second.leave()
  })

  test('says that something is missing to who comes back from a place that it does not know', async () => {
    const { postern, admin } = await sender()
    const stream = await watchLive(postern.url, admin.token, { after: '999999' })
    await stream.sees('the gap', ({ event }) => event === 'gap')
    stream.leave()
    assertError(
      await postern
        .client()
        .get('/v1/stream', { token: admin.token, headers: { 'last-event-id': 'yesterday' } }),
      'VALIDATION_FAILED',
      { field: 'Last-Event-ID' },
    )
  })

  test('shows a capture window to administrators, as it opens and as a call fills it', async () => {
    const { postern, admin, register } = await sender()
    const { id } = await register('https://example.com/hooks', { endpointPath: `caught-${engine}` })
    const stream = await watchLive(postern.url, admin.token, { query: `?topics=captures&webhookId=${id}` })
    const { token } = await member(postern, admin)
    assertError(await postern.client().get('/v1/stream?topics=captures', { token }), 'FORBIDDEN')
    const client = postern.client()
    const opened = await client.post(`/v1/webhooks/${id}/test/start`, {}, { token: admin.token })
    const is = (captureId: string, status: string) => (seen: Seen) =>
      seen.event === 'capture' && seen.data.id === captureId && seen.data.status === status
    await stream.sees('the window', is(opened.body.captureId, 'open'))
    await client.post(`/v1/webhooks/caught-${engine}`, { order: 7 })
    const { data } = await stream.sees('the call', is(opened.body.captureId, 'captured'))
    assert.deepEqual([data.webhookId, 'body' in data], [id, false])
    const again = await client.post(`/v1/webhooks/${id}/test/start`, {}, { token: admin.token })
    await client.post(`/v1/webhooks/${id}/test/stop`, {}, { token: admin.token })
    await stream.sees('its end', is(again.body.captureId, 'closed'))
    stream.leave()
  })

  test('says to read anew when a webhook is paused, resumed or deleted, since all that waits for it is shown otherwise', async () => {
    const { postern, admin, register } = await sender()
    const { id } = await register('http://127.0.0.1:9/', { events: ['file.processed'] })
    const stream = await watchLive(postern.url, admin.token)
    const gaps = () => stream.seen.filter(({ event }) => event === 'gap').length
    const client = postern.client()
    const path = `/v1/webhooks/${id}`
    await client.patch(path, { description: 'Only another word' }, { token: admin.token })
    for (const [at, change] of [
      () => client.patch(path, { status: 'paused' }, { token: admin.token }),
      () => client.patch(path, { status: 'active' }, { token: admin.token }),
      () => client.delete(path, { token: admin.token }),
    ].entries()) {
      assert.ok((await change()).status < 300)
      await until(gaps, (seen) => seen === at + 1, { what: `gap ${at + 1}` })
    }
    stream.leave()
  })

  test('shows domains, identity providers, setup links, requests of directories and API keys as they change, to those alone who may read them', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const [{ token }, stranger] = [await member(postern, admin), await administrator(postern)]
    const client = postern.client()
    for (const topic of ['domains', 'identity-providers', 'setup-links', 'api-keys', 'scim-exchanges'])
      assertError(await client.get(`/v1/stream?topics=${topic}`, { token }), 'FORBIDDEN')
    const [theirs, others, ours] = [
      await watchLive(postern.url, token),
      await watchLive(postern.url, stranger.token),
      await watchLive(postern.url, admin.token),
    ]
    const as = { token: admin.token }
    const is = (event: string, id: string, isSo: (data: Seen['data']) => boolean) => (seen: Seen) =>
      seen.event === event && seen.data.id === id && isSo(seen.data)
    const shows = async (event: string, path: string, id: string, isSo: (data: Seen['data']) => boolean) => {
      const { data } = await ours.sees(event, is(event, id, isSo))
      assert.deepEqual(data, (await client.get(`${path}/${id}`, as)).body)
    }
    const gaps = () => ours.seen.filter(({ event }) => event === 'gap').length

    const domain = await client.post('/v1/domains', { name: `live-${engine}.test` }, as)
    await shows('domain', '/v1/domains', domain.body.id, ({ status }) => status === 'pending')
    await client.delete(`/v1/domains/${domain.body.id}`, as)
    await until(gaps, (seen) => seen === 1, { what: 'the gap that a deletion makes' })

    const { id, secret } = await makeSetupLink(postern, admin)
    const ofLink = ['setupLink', '/v1/setup-links', id] as const
    await shows(...ofLink, ({ status }) => status === 'pending')
    await client.post('/v1/setup/open', { token: secret })
    await shows(...ofLink, ({ status }) => status === 'opened')
    await client.delete(`/v1/setup-links/${id}`, as)
    await shows(...ofLink, ({ status }) => status === 'revoked')

    const key = await client.post('/v1/api-keys', { name: 'Directory', scopes: ['scim:write'] }, as)
    const ofKey = ['apiKey', '/v1/api-keys', key.body.id] as const
    await shows(...ofKey, ({ name }) => name === 'Directory')
    await client.patch(`/v1/api-keys/${key.body.id}`, { name: 'Entra ID' }, as)
    await shows(...ofKey, ({ name }) => name === 'Entra ID')
    await client.get('/scim/v2/Users', { token: key.body.key })
    const asked = await ours.sees('scimExchange', ({ event }) => event === 'scimExchange')
    assert.deepEqual([asked.data], (await client.get('/v1/scim/exchanges', as)).body.data)
    await client.delete(`/v1/api-keys/${key.body.id}`, as)
    await until(gaps, (seen) => seen === 2, { what: 'the gap that the end of a key makes' })

    // Gaps go to all readers of the organization: the one of the key comes after all else.
    await until(
      () => theirs.seen.filter(({ event }) => event === 'gap').length,
      (seen) => seen === 2,
      { what: 'the same gaps' },
    )
    const hidden = ['domain', 'setupLink', 'apiKey', 'scimExchange']
    for (const { seen } of [theirs, others]) assert.ok(!seen.some(({ event }) => hidden.includes(event)))
    const shown = JSON.stringify(ours.seen)
    for (const text of [secret, key.body.key]) assert.ok(!shown.includes(text))
    for (const stream of [theirs, others, ours]) stream.leave()
  })

  test('shows invitations to administrators alone', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { token } = await member(postern, admin)
    assertError(await postern.client().get('/v1/stream?topics=invitations', { token }), 'FORBIDDEN')
    const [theirs, ours] = [await watchLive(postern.url, token), await watchLive(postern.url, admin.token)]
    const email = `${crypto.randomUUID()}@example.test`
    await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    await ours.sees(
      'the mail sent',
      ({ event, data }) =>
        event === 'invitation' &&
        data.email === email &&
        (data.delivery as { status: string }).status === 'sent',
    )
    assert.ok(!theirs.seen.some(({ event }) => event === 'invitation'))
    for (const stream of [theirs, ours]) stream.leave()
  })
})
