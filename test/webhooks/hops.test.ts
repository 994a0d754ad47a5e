import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'
import { useSender } from '../support/webhooks.ts'

/** The most inbound paths that an event may pass. */
const MOST = 5

onBothEngines('the way of an event through inbound paths', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sender = useSender(usePostern(engine))
  const newPath = () => `path-${crypto.randomUUID().slice(0, 8)}`

  test('ends after five hops if a webhook calls its own path', async () => {
    const { postern, key, register, publish } = await sender()
    const path = newPath()
    const { id } = await register(`http://127.0.0.1:${new URL(postern.url).port}/v1/webhooks/${path}`, {
      endpointPath: path,
    })
    await publish()
    const own = callsOf(postern, key)
    const listed = async (): Promise<{ status: string; id: string }[]> =>
      (await own.get(`/v1/webhooks/${id}/deliveries?limit=100`)).body.data
    const all = await until(
      listed,
      (rows) => rows.some(({ status }) => status === 'failed') || rows.length > 2 * MOST,
    )
    assert.equal(all.length, MOST + 1, 'the published one, and one for each hop')
    const failed = all.filter(({ status }) => status === 'failed')
    assert.equal(failed.length, 1)
    const { attempts } = (await own.get(`/v1/deliveries/${failed[0]?.id}`)).body
    assert.equal(attempts.length, 1)
    assert.equal(attempts[0].statusCode, 400)
    assert.equal(attempts[0].requestHeaders['x-service-hops'], String(MOST + 1))
    assert.match(attempts[0].responseBody, /too_many_hops/)
  })

  it('is counted in X-Service-Hops, also for a captured call and a retry by hand', async () => {
    const { postern, key, receiver, register } = await sender()
    const own = callsOf(postern, key)
    const destination = await receiver()
    const path = newPath()
    const { id } = await register(destination.url, { endpointPath: path })
    const callIn = (hops?: string) =>
      postern
        .client()
        .post(
          `/v1/webhooks/${path}`,
          { a: 1 },
          { headers: hops === undefined ? {} : { 'x-service-hops': hops } },
        )
    await callIn()
    assert.equal((await destination.count(1))[0]?.headers['x-service-hops'], '1')
    await callIn('3')
    assert.equal((await destination.count(2))[1]?.headers['x-service-hops'], '4')
    await own.post(`/v1/webhooks/${id}/test/start`)
    const captured = await callIn('2')
    assert.equal(captured.body.status, 'captured')
    await own.post(`/v1/webhooks/${id}/test/captures/${captured.body.id}/deliver`)
    assert.equal((await destination.count(3))[2]?.headers['x-service-hops'], '3')
    const list = (await own.get(`/v1/webhooks/${id}/deliveries`)).body.data
    const newest = `/v1/deliveries/${list[0].id}`
    await until(
      () => own.get(newest),
      ({ body }) => body.status === 'delivered',
    )
    await own.post(`${newest}/retry`)
    assert.equal((await destination.count(4))[3]?.headers['x-service-hops'], '3')
  })

  test('is refused after more than five paths, and an invalid header counts as none', async () => {
    const { postern, receiver, register } = await sender()
    const destination = await receiver()
    const path = newPath()
    await register(destination.url, { endpointPath: path })
    const callIn = (hops: string) =>
      postern.client().post(`/v1/webhooks/${path}`, { a: 1 }, { headers: { 'x-service-hops': hops } })
    for (const hops of ['6', '1000000', '9'.repeat(400), '1, 6', '6, 1'])
      assertError(await callIn(hops), 'VALIDATION_FAILED', {
        field: 'X-Service-Hops',
        reason: 'too_many_hops',
      })
    for (const hops of ['nonsense', '-7', '1e9', '']) assert.equal((await callIn(hops)).status, 202, hops)
    assert.equal((await callIn('5')).status, 202)
    for (const { headers } of await destination.count(5))
      assert.match(String(headers['x-service-hops']), /^[16]$/)
  })
})
