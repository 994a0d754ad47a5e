import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, openConsole } from '../support/console.ts'
import { administrator, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until, within } from '../support/waits.ts'

const DATA = {
  ...{ agentId: 'agt_1', runId: 'run_1', output: 'Sorted.', status: 'succeeded', durationMs: 1 },
  completedAt: '2026-01-01T00:00:00Z',
}

/** An answer that is on its way until the test lets it come. */
interface Held {
  /** Waits until the server has answered, and the page does not know it yet. */
  isSo(): Promise<unknown>
  /** @returns once the answer has arrived and the page has drawn it */
  comes(): Promise<void>
}

/** Holds the next answer to a call of that method and address. */
async function hold(page: Page, method: string, address: RegExp): Promise<Held> {
  const [isSo, comes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const came = Promise.withResolvers<void>()
  let isFirst = true
  const work = async (route: Route) => {
    if (!isFirst || route.request().method() !== method) return route.fallback()
    isFirst = false
    const response = await route.fetch()
    isSo.resolve()
    await comes.promise
    // The page may have closed the request.
    await route.fulfill({ response }).catch(() => {})
    came.resolve()
  }
  await page.route(address, work)
  return {
    isSo: () => within(`the call ${method} ${address}`, isSo.promise),
    async comes() {
      comes.resolve()
      await within(`the answer to ${method} ${address}`, came.promise)
      await page.unroute(address, work)
      await drawn(page)
    },
  }
}

/** Resolves when arrived answers, and the requests that follow from them, are drawn. */
async function drawn(page: Page): Promise<void> {
  for (let frames = 0; frames < 3; frames += 1)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)))')
}

inConsole('the console at the end of a slow line', 'sqlite', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<{ admin: Person; webhook: string; event: string }> | undefined
  const filled = () => {
    made ??= (async () => {
      receiver = await startReceiver()
      const admin = await administrator(await server(), 'Slow')
      const { id } = await call(admin, 'POST', '/v1/webhooks', {
        url: `${receiver.url}/orders`,
        events: ['*'],
      })
      const event = await call(admin, 'POST', '/v1/events', { type: 'agent.run.completed', data: DATA })
      await receiver.count(1)
      return { admin, webhook: id as string, event: event.id as string }
    })()
    return made
  }
  const call = async ({ client, token }: Person, method: string, path: string, body: object = {}) => {
    const answer = await client.call(path, { method, body, token })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const open = async (path: string) => openConsole(await server(), (await filled()).admin, path)
  /** Acts as the return of the network does: entries on the screen are read again. */
  const readAnew = (page: Page) => page.evaluate("dispatchEvent(new Event('online'))")

  it('keeps what the stream has told while an older answer was on its way', async () => {
    const { admin, webhook } = await filled()
    const browsing = await open('/deliveries')
    const { page } = browsing
    await page.locator('.live-live').waitFor()
    await browsing.settled()
    const list = await hold(page, 'GET', /\/v1\/deliveries\?limit=50/)
    await readAnew(page)
    await list.isSo()
    await call(admin, 'POST', `/v1/webhooks/${webhook}/test`)
    await page.getByRole('row', { name: /webhook\.test.*delivered/ }).waitFor()
    await list.comes()
    assert.equal(await page.getByRole('row', { name: /webhook\.test.*delivered/ }).count(), 1)
    await closeCleanly(browsing)
  })

  it('reads to its end what changes faster than it can be read', async () => {
    const { admin, webhook } = await filled()
    await call(admin, 'POST', `/v1/webhooks/${webhook}/test`)
    const browsing = await open('/')
    const { page } = browsing
    await page.locator('.live-live').waitFor()
    await browsing.settled()
    let isBrokenOff = false
    page.on('requestfailed', (request) => {
      isBrokenOff ||= /stats\/deliveries/.test(request.url())
    })
    let asked = 0
    page.on('request', (request) => {
      if (/deliveries\?limit=20$/.test(request.url())) asked += 1
    })
    const figures = await hold(page, 'GET', /\/v1\/stats\/deliveries/)
    await call(admin, 'POST', `/v1/webhooks/${webhook}/test`)
    await figures.isSo()
    const before = asked
    await call(admin, 'POST', `/v1/webhooks/${webhook}/test`)
    await until(
      () => asked,
      (many) => many > before,
      { what: 'the rest of the screen to be read once more' },
    )
    await drawn(page)
    assert.ok(!isBrokenOff, 'it is read to its end')
    await figures.comes()
    await closeCleanly(browsing)
  })

  it('leads nobody away from where they have gone before an answer came', async () => {
    const browsing = await open('/knowledge')
    const { page } = browsing
    await enter(page.getByRole('button', { name: 'New knowledge base' }).first())
    await page.getByRole('dialog').getByLabel('Name').fill('Handbook')
    const making = await hold(page, 'POST', /\/v1\/knowledge-bases$/)
    await page.keyboard.press('Enter')
    await making.isSo()
    await page.keyboard.press('Escape')
    await browsing.visit('/webhooks')
    await making.comes()
    assert.match(page.url(), /\/webhooks$/)
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await closeCleanly(browsing)
  })

  it('keeps what is typed, whatever comes meanwhile', async () => {
    const { admin, webhook } = await filled()
    const browsing = await open(`/webhooks/${webhook}?tab=settings`)
    const { page } = browsing
    const [url, description] = [page.getByLabel('URL'), page.getByLabel('Description')]
    await description.fill('of the shop')
    const other = `${receiver?.url}/other`
    await call(admin, 'PATCH', `/v1/webhooks/${webhook}`, { url: other })
    await readAnew(page)
    await until(
      () => url.inputValue(),
      (now) => now === other,
      { what: 'what somebody else has changed' },
    )
    assert.equal(await description.inputValue(), 'of the shop')
    const saving = await hold(page, 'PATCH', /\/v1\/webhooks\/whk/)
    await enter(page.getByRole('button', { name: 'Save' }))
    await saving.isSo()
    await description.fill('of the shop in Rome')
    await saving.comes()
    await page.getByText('Settings saved').waitFor()
    assert.equal(await description.inputValue(), 'of the shop in Rome')
    await call(admin, 'PATCH', `/v1/webhooks/${webhook}`, { url: `${receiver?.url}/orders` })
    await closeCleanly(browsing)
  })

  it('keeps an event that is being written when the one to begin with comes late', async () => {
    const { event } = await filled()
    const browsing = await open('/webhooks')
    const { page } = browsing
    const given = await hold(page, 'GET', /\/v1\/events\/evt_/)
    await browsing.visit(`/compose?from=${event}`)
    await given.isSo()
    const editor = page.getByLabel('Data of the event, as JSON')
    await editor.fill('{"mine": true}')
    await given.comes()
    await page.locator('#composer-type').getByText('agent.run.completed').waitFor({ state: 'attached' })
    assert.equal(await editor.inputValue(), '{"mine": true}')
    await closeCleanly(browsing)
  })

  it('gives the page of a list that was asked for, though the list is read anew meanwhile', async () => {
    const { admin } = await filled()
    const key = (at: number) => call(admin, 'POST', '/v1/api-keys', { name: `Key ${at}` })
    for (let at = 0; at < 55; at += 1) await key(at)
    const browsing = await open('/api-keys')
    const { page } = browsing
    const rows = page.locator('tbody tr')
    assert.equal(await rows.count(), 50)
    const next = await hold(page, 'GET', /\/v1\/api-keys\?.*cursor=/)
    await page.getByRole('button', { name: 'Show more' }).click()
    await next.isSo()
    await key(55)
    await readAnew(page)
    await page.getByRole('row', { name: /Key 55/ }).waitFor()
    await next.comes()
    await until(
      () => rows.count(),
      (many) => many === 56,
      { what: 'the second page' },
    )
    await closeCleanly(browsing)
  })
})
