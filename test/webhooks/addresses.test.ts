import assert from 'node:assert/strict'
import { it } from 'node:test'
import { administrator, apiKey, type Person } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { HOSTILE, NAMES } from './hostile-destinations.ts'

/** Each refusal of an address names the setting that would allow it. */
const SETTING = /is not a public address\. .* WEBHOOK_ALLOWED_NETWORKS\.$/
const ALL = Object.values(HOSTILE).flat()

onOneEngineByDay('hostile destinations', (engine) => {
  const server = usePostern(engine, {
    env: { WEBHOOK_ALLOWED_NETWORKS: '' },
    resolve: async (hostname) => {
      const addresses = NAMES[hostname]
      if (addresses === undefined)
        throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
  })

  it(`are refused at registration: all ${ALL.length} of them`, async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    for (const [trick, urls] of Object.entries(HOSTILE)) {
      for (const url of urls) {
        const answer = await postern.client().post('/v1/webhooks', { url, events: ['*'] }, { token })
        assert.equal(answer.status, 400, `${trick}: ${JSON.stringify(url)} was taken`)
        assert.equal(answer.body.error.code, 'VALIDATION_FAILED', url)
        const { field, reason } = answer.body.error.details
        assert.equal(field, 'url', url)
        if (reason === 'address_not_allowed') assert.match(answer.body.error.message, SETTING, url)
      }
    }
  })

  it('are not called either if they are in the table already', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const webhooks = new Map<string, string>()
    for (const url of ALL) webhooks.set(await smuggle(postern, admin, url), url)
    const key = await apiKey(postern, admin)
    const event = await postern
      .client()
      .post('/v1/events', { type: 'file.processed', data: {} }, { token: key })
    assert.equal(event.body.deliveries, ALL.length)
    for (const [webhookId, url] of webhooks) {
      const { attempts, ...delivery } = await failed(postern, admin, webhookId)
      assert.equal(delivery.status, 'failed', `${JSON.stringify(url)} ended ${delivery.status}`)
      assert.equal(delivery.reason, 'blocked_address', url)
      assert.equal(attempts.length, 1, url)
      if (URL.parse(url) !== null && !attempts[0].error.startsWith('the URL'))
        assert.match(attempts[0].error, SETTING, url)
    }
  })
})

/** Registers a public destination and changes it in the table, as if an older rule had accepted it. */
async function smuggle(postern: Postern, { token }: Person, url: string): Promise<string> {
  const { body } = await postern
    .client()
    .post('/v1/webhooks', { url: 'https://93.184.215.14/', events: ['*'] }, { token })
  await postern.app.database.tx((tx) =>
    tx.updateTable('webhook').set({ url }).where('id', '=', body.id).execute(),
  )
  return body.id
}

async function failed(postern: Postern, { token }: Person, webhookId: string) {
  const client = postern.client()
  const row = await until(
    async () => (await client.get(`/v1/webhooks/${webhookId}/deliveries`, { token })).body.data[0],
    (newest) => newest !== undefined && newest.attemptCount > 0,
  )
  return (await client.get(`/v1/deliveries/${row.id}`, { token })).body
}
