import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Page } from 'playwright-core'
import { MINUTE } from '#src/core/clock.ts'
import type { Server } from '#src/http/server.ts'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, openConsole } from '../support/console.ts'
import { administrator, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

inConsole('a console that is left open', 'postgres', (engine) => {
  let running: Server | undefined
  const server = usePostern(engine, {
    extend: (made) => {
      running = made
    },
  })
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<{ admin: Person; webhook: string }> | undefined
  const filled = () => {
    made ??= (async () => {
      receiver = await startReceiver()
      const admin = await administrator(await server())
      const webhook = { url: `${receiver.url}/hooks`, events: ['webhook.test'] }
      const { body } = await admin.client.post('/v1/webhooks', webhook, { token: admin.token })
      return { admin, webhook: String(body.id) }
    })()
    return made
  }

  /** A token that is valid by the moved clock. */
  const tokenOf = async ({ client }: Person): Promise<string> =>
    (await client.get('/v1/auth/token')).body.token

  async function sendTests(count: number): Promise<void> {
    const { admin, webhook } = await filled()
    const token = await tokenOf(admin)
    for (let at = 0; at < count; at += 1)
      assert.equal((await admin.client.post(`/v1/webhooks/${webhook}/test`, {}, { token })).status, 200)
  }

  /** Waits until the list holds what the API lists, each once and in its order. */
  async function showsAll(page: Page): Promise<void> {
    const { admin } = await filled()
    const token = await tokenOf(admin)
    const { body } = await admin.client.get('/v1/deliveries?limit=50', { token })
    const ids = (body.data as { id: string }[]).map(({ id }) => id)
    await page
      .locator('tbody tr')
      .nth(ids.length - 1)
      .waitFor()
    const hrefs = await page
      .locator('tbody a.table-link')
      .evaluateAll((links) => links.map((link) => String(link.getAttribute('href')).split('/').at(-1)))
    assert.deepEqual(hrefs, ids)
  }

  it('for 61 minutes goes on: the token is renewed, the stream resumed, nothing is lost or doubled', async () => {
    const { admin } = await filled()
    const postern = await server()
    await sendTests(2)
    const browsing = await openConsole(postern, admin, '/deliveries')
    const { page } = browsing
    await page.locator('.live-live').waitFor()
    await showsAll(page)
    postern.clock.advance(61 * MINUTE)
    await sendTests(3)
    await showsAll(page)
    await page.locator('.live-live').waitFor()
    await sendTests(1)
    await showsAll(page)
    await closeCleanly(browsing)
  })

  it('and whose stream is cut has what happened meanwhile, each once', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/deliveries')
    const { page } = browsing
    for (let cuts = 0; cuts < 3; cuts += 1) {
      await page.locator('.live-live').waitFor()
      await showsAll(page)
      running?.server.closeAllConnections()
      await sendTests(2)
      await showsAll(page)
    }
    await browsing.close()
  })

  it('says what went wrong with the id of the request, and goes on by itself once that has passed', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks/new')
    const { page } = browsing
    const problem = (status: number, code: string, headers: Record<string, string> = {}) => ({
      status,
      headers: { 'x-request-id': `req_${status}`, ...headers },
      contentType: 'application/json',
      body: JSON.stringify({ error: { code, message: code, details: {}, requestId: `req_${status}` } }),
    })
    const lists = '**/v1/deliveries?*'
    for (const [answer, said] of [
      [problem(500, 'PROCESSING_FAILED'), 'req_500'],
      [problem(429, 'RATE_LIMITED', { 'retry-after': '1' }), 'req_429'],
      [undefined, 'The server cannot be reached'],
    ] as const) {
      await page.route(lists, (route) => (answer ? route.fulfill(answer) : route.abort()))
      await page.evaluate('sessionStorage.clear()')
      await page.goto(page.url().replace(/\/(webhooks\/new|deliveries)$/, '/deliveries'))
      await page.getByRole('alert').getByText(said).first().waitFor()
      await page.unroute(lists)
      await showsAll(page)
      assert.equal(await page.getByRole('alert').count(), 0)
    }
    await browsing.close()
  })
})
