import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Request } from 'playwright-core'
import { MINUTE } from '#src/core/clock.ts'
import { FIRST_CALLS } from '../../console/app/first-calls.ts'
import { at, closeCleanly, openBrowser, press } from '../support/chromium.ts'
import { inConsole, isWhole, openConsole } from '../support/console.ts'
import { type Filled, fillConsole } from '../support/console-data.ts'
import { administrator, member, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

/** Screens that are opened most; the others are for `npm run test:console:all`. */
const DAILY = /^\/(deliveries|webhooks)?$|^\/deliveries\/:id$/

inConsole('the console in use', 'sqlite', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<Filled> | undefined
  const filled = () => {
    made ??= startReceiver().then(async (started) => {
      receiver = started
      return fillConsole(await server(), started)
    })
    return made
  }

  it('takes each answer that was asked for while its modules were on their way', async () => {
    const { admin, ids } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const rows = Object.entries(FIRST_CALLS)
    for (const [path, calls] of isWhole ? rows : rows.filter(([path]) => DAILY.test(path))) {
      const address = path.replace(/:\w+/, ids[path] ?? '')
      const asked: string[] = []
      const note = (request: Request) => void asked.push(request.url().replace(/^.*?(?=\/v1\/)/, ''))
      browsing.page.on('request', note)
      await browsing.goto(address)
      browsing.page.off('request', note)
      assert.equal(await browsing.page.evaluate('posternAsked.size'), 0, path)
      for (const call of calls) {
        const below = call.slice(call.indexOf('/')).replace('/:id', `/${ids[path] ?? ''}`)
        assert.ok(asked.includes(below), call)
      }
    }
    await closeCleanly(browsing)
  })

  it('sends to the page of sign-in, and back to where one was', async () => {
    const { admin, ids } = await filled()
    const postern = await server()
    const browsing = await openBrowser()
    const { page } = browsing
    const path = `/console/${admin.organizationId}/webhooks/${ids['/webhooks/:id']}`
    await page.goto(at(postern, `${path}?a=b`))
    await page.waitForURL(/\/sign-in\?back=/)
    await page.fill('#sign-in-email', admin.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.getByRole('heading', { level: 1, name: /\/orders$/ }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    // Nothing else in the address leads anywhere.
    for (const back of [
      'https://evil.test/console/',
      '//evil.test/console',
      'javascript:alert(1)',
      '/v1/errors',
      '/console-evil',
    ]) {
      await page.goto(at(postern, `/sign-in?${new URLSearchParams({ back })}`))
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    }
    await closeCleanly(browsing)
  })

  it('ends in every tab when one signs out', async () => {
    const { admin } = await filled()
    const postern = await server()
    const browsing = await openConsole(postern, admin, '/webhooks')
    const other = await browsing.page.context().newPage()
    await other.goto(at(postern, `/console/${admin.organizationId}/deliveries`))
    await other.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor()
    await browsing.page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await browsing.page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const page of [browsing.page, other]) {
      await page.getByText('You are signed out').waitFor()
      assert.equal(await page.locator('table').count(), 0, 'nothing of it is left')
    }
    await closeCleanly(browsing)
  })

  it('says where one has come to: title, heading and focus, after each way there', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    for (const [keys, heading] of [
      [['g', 'w'], 'Webhooks'],
      [['g', 'd'], 'Deliveries'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.locator('h1:focus', { hasText: heading }).waitFor()
      assert.equal(await page.title(), `${heading} · Postern`)
      assert.equal(await page.locator('#announcer').textContent(), heading)
    }
    await page.goBack()
    await page.locator('h1:focus', { hasText: 'Webhooks' }).waitFor()
    await closeCleanly(browsing)
  })

  it('goes by keys alone: to an id, from row to row, into one and back', async () => {
    const { admin, ids } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    await page.keyboard.press('/')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.insertText(`see ${ids['/deliveries/:id']} please`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'agent.run.completed' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('webh')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /orders/ }).waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: /\/ledger$/ }).waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Search').first().waitFor()
    await help.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    assert.match(await page.title(), /ledger/, 'keys by themselves are switched off')
    await closeCleanly(browsing)
  })

  it('sends a test and shows the answer, in two presses', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('row', { name: /\/crm/ }).getByRole('button', { name: 'Send test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Responded with 401').waitFor()
    await dialog.getByText('signature does not fit').waitFor()
    await closeCleanly(browsing)
  })

  it('leads from the overview to the reason in one press, and sends all again in two', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/')
    const { page } = browsing
    const problem = page.getByRole('listitem').filter({ hasText: '503: not available' })
    await problem.getByRole('link', { name: 'Why?' }).click()
    await page.getByText('the database is down').waitFor()
    await page.goBack()
    const before = receiver?.received.length ?? 0
    const calls: string[] = []
    page.on('request', (request) => {
      if (/\/retry$/.test(request.url())) calls.push(new URL(request.url()).pathname)
    })
    await problem.getByRole('button', { name: 'Retry all' }).click()
    const all = page.getByRole('dialog').getByRole('button', { name: /Retry all \d+/ })
    const many = Number(/\d+/.exec((await all.textContent()) ?? '')?.[0])
    assert.ok(many >= 4)
    await all.click()
    await page.getByText(`${many} deliveries are on the way`).waitFor()
    // A failing webhook is attempted one delivery after another, so it is not bounded how soon all have had theirs.
    await receiver?.count(before + 1)
    // One request counts and one sends, whatever the number of deliveries.
    assert.deepEqual(calls, ['/v1/deliveries/retry', '/v1/deliveries/retry'])
    await closeCleanly(browsing)
  })

  it('makes deliveries of a time again, after saying how many', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks')
    const { page } = browsing
    await page.getByRole('link', { name: /\/crm/ }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog')
    const said = dialog.getByText('will be created again')
    await said.waitFor()
    const many = Number.parseInt((await said.textContent()) ?? '', 10)
    assert.ok(many >= 4)
    await dialog.getByRole('button', { name: `Replay ${many} deliveries` }).click()
    await page.getByText(`${many} of ${many}`).waitFor()
    await page.getByText(`${many} deliveries are on the way`).waitFor()
    await closeCleanly(browsing)
  })

  it('rotates a secret, shows it once, and counts the time of the old one', async () => {
    const { admin, ids } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks')
    const { page } = browsing
    await page.getByRole('link', { name: /\/orders/ }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const shown = page.getByRole('dialog', { name: 'New secret' })
    const secret = (await shown.locator('.secret code').textContent()) ?? ''
    assert.match(secret, /^whsec_/)
    await page.keyboard.press('Escape')
    assert.ok(await shown.isVisible(), 'it is not lost by a slip')
    await shown.getByRole('checkbox').check()
    await shown.getByRole('button', { name: 'Close' }).last().click()
    assert.match(page.url(), new RegExp(`${ids['/webhooks/:id']}$`))
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Both secrets are in use').waitFor()
    assert.ok(!(await page.content()).includes(secret))
    await closeCleanly(browsing)
  })

  it('shows of a webhook its last day by the hour and its last deliveries', async () => {
    const { admin, ids } = await filled()
    const browsing = await openConsole(await server(), admin, `/webhooks/${ids['/webhooks/:id']}`)
    const { page } = browsing
    await page.getByRole('figure', { name: /per hour/ }).waitFor()
    const rows = page.getByRole('table', { name: 'Last deliveries' }).locator('tbody tr')
    await rows.first().waitFor()
    assert.equal(await rows.count(), 10)
    await page.setViewportSize({ width: 390, height: 844 })
    await browsing.visit('/deliveries')
    const box = await page.locator('tbody tr').first().boundingBox()
    assert.ok(box !== null && box.height < 90, `a row of a phone is ${box?.height} px high`)
    await closeCleanly(browsing)
  })

  it('shows and copies the very bytes of an event that are signed', async () => {
    const { admin } = await filled()
    const postern = await server()
    const published = await fetch(at(postern, '/v1/events'), {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: '{"type":"order.paid","data":{"orderId":"ord_exact","total":12.50}}',
    })
    const { id } = (await published.json()) as { id: string }
    const stored = await fetch(at(postern, `/v1/events/${id}`), {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    const text = await stored.text()
    assert.match(text, /12\.50/)
    const browsing = await openConsole(postern, admin, `/events/${id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = browsing
    const body = page.getByLabel('event', { exact: true })
    await body.waitFor()
    assert.equal(await body.textContent(), text)
    await page.getByRole('button', { name: 'Copy the event', exact: true }).click()
    await page.getByText('Copied the event').waitFor({ state: 'attached' })
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), text)
    await closeCleanly(browsing)
  })

  it('says of a listener that nobody listens, and what it has no use for', async () => {
    const { admin } = await filled()
    const opened = await admin.client.call('/v1/listeners/anns-laptop', {
      ...{ method: 'PUT', token: admin.token },
      body: { events: ['agent.run.completed'] },
    })
    assert.equal(opened.status, 201, opened.text)
    const browsing = await openConsole(await server(), admin, `/webhooks/${opened.body.id}`)
    const { page } = browsing
    await page.getByText('Nobody listens').waitFor()
    await page.getByText('postern listen --name anns-laptop').waitFor()
    for (const name of ['Send test', 'Pause'])
      assert.equal(
        await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'),
        'true',
        name,
      )
    const removed = await admin.client.delete(`/v1/webhooks/${opened.body.id}`, { token: admin.token })
    assert.equal(removed.status, 204)
    await closeCleanly(browsing)
  })

  it('shows what a member may not do, with the reason', async () => {
    const { admin } = await filled()
    const postern = await server()
    const browsing = await openConsole(postern, await member(postern, admin), '/webhooks')
    const { page } = browsing
    const button = page.getByRole('button', { name: 'New webhook' })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    const why = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`)
    assert.equal(await why.textContent(), 'Your role does not permit webhooks:write')
    await button.click({ force: true })
    await page.getByRole('link', { name: /\/orders/ }).click()
    await page.getByRole('heading', { level: 1, name: /\/orders$/ }).waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    for (const name of ['Send test', 'Pause', 'Rotate', 'Save'])
      assert.equal(
        await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'),
        'true',
        name,
      )
    await closeCleanly(browsing)
  })

  it('shows whatever somebody has written as text', async () => {
    const postern = await server()
    const hostile = '</script><img src=x onerror=alert(1)>\u202e{{7*7}}'
    const admin = await administrator(postern, `Acme <b>${'x'.repeat(40)}</b>`)
    const { body } = await admin.client.post(
      '/v1/webhooks',
      { url: 'https://example.com/hooks?a=%3Cscript%3E', events: ['*'], description: hostile },
      { token: admin.token },
    )
    const browsing = await openConsole(postern, admin, '/webhooks')
    const { page } = browsing
    page.on('dialog', () => assert.fail('a script of the data ran'))
    await page.getByText(hostile).waitFor()
    for (const path of [`/webhooks/${body.id}`, '/img-src-x', '/webhooks?status=%3Cimg%20src=x%3E']) {
      await page.goto(at(postern, `/console/${admin.organizationId}${path}`)).catch(() => {})
      assert.equal(await page.locator('img').count(), 0, path)
    }
    await closeCleanly(browsing)
  })

  it('says what went wrong with the id of the request, and comes back by a press', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks/new')
    const { page } = browsing
    const error = {
      code: 'RATE_LIMITED',
      message: 'Too many requests.',
      details: { retryAfterSeconds: 40 },
      requestId: 'req_told',
    }
    await page.route('**/v1/webhooks?*', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '40', 'x-request-id': 'req_told' },
        contentType: 'application/json',
        body: JSON.stringify({ error }),
      }),
    )
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Try again in 40 s').waitFor()
    await alert.getByText('req_told').waitFor()
    await page.unroute('**/v1/webhooks?*')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row', { name: /orders/ }).waitFor()
    await page.route('**/v1/webhooks/*', (route) => route.abort())
    await page.getByRole('link', { name: /\/orders/ }).click()
    await page.getByText('The server cannot be reached').waitFor()
    await browsing.close()
  })

  it('names the setting that allows an address which is refused', async () => {
    const { admin } = await filled()
    const browsing = await openConsole(await server(), admin, '/webhooks/new')
    const { page } = browsing
    await page.getByLabel('URL').fill('https://10.1.2.3/hooks')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('a private network by WEBHOOK_ALLOWED_NETWORKS.', { exact: false }).waitFor()
    await closeCleanly(browsing)
  })

  it('shows a delivery the moment it is made, in a list that goes on by itself', async () => {
    const { admin } = await filled()
    const postern = await server()
    const browsing = await openConsole(postern, admin, '/deliveries?status=delivered')
    const { page } = browsing
    await page.locator('.live-live').waitFor()
    const rows = page.locator('tbody tr')
    const before = await rows.count()
    const { body } = await admin.client.post(
      '/v1/webhooks',
      { url: `${receiver?.url}/late`, events: ['webhook.test'] },
      { token: admin.token },
    )
    await admin.client.post(`/v1/webhooks/${body.id}/test`, {}, { token: admin.token })
    await page.getByRole('row', { name: /\/late/ }).waitFor()
    assert.equal(await rows.count(), before + 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    await admin.client.post(`/v1/webhooks/${body.id}/test`, {}, { token: admin.token })
    await page.getByRole('button', { name: 'Resume: 1 new' }).click()
    await page
      .getByRole('row', { name: /\/late/ })
      .nth(1)
      .waitFor()
    assert.equal(await rows.count(), before + 2)
    await closeCleanly(browsing)
  })

  // The last: other tokens of these tests have ended with it.
  it('goes on after its token has ended', async () => {
    const { admin } = await filled()
    const postern = await server()
    const browsing = await openConsole(postern, admin, '/webhooks')
    await postern.clock.advance(61 * MINUTE)
    await browsing.page.getByRole('link', { name: /\/orders/ }).click()
    await browsing.page.getByRole('heading', { level: 1, name: /\/orders$/ }).waitFor()
    await closeCleanly(browsing)
  })
})
