import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Page } from 'playwright-core'
import { at, closeCleanly, enter, openBrowser, press } from '../support/chromium.ts'
import { inConsole, openConsole, overflowOf, violationsOf } from '../support/console.ts'
import { administrator, PASSWORD, type Person } from '../support/people.ts'
import { OPERATOR_TOKEN, usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const HOSTILE = '<img src=x onerror=alert(1)> 12345678901234567890.25'

inConsole('the reference, where calls are tried', 'postgres', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= server().then((postern) => administrator(postern, 'Acme <b>'))
    return made
  }

  /** The form of an operation, opened. */
  async function open(page: Page, operationId: string) {
    await page.goto(at(await server(), `/api/docs/operations/${operationId}`))
    const own = page.locator('details.try')
    await enter(own.locator('> summary'))
    return {
      own,
      send: own.getByRole('button', { name: 'Send', exact: true }),
      status: own.getByRole('status'),
      body: own.getByLabel('Body of the answer'),
    }
  }

  it('sends by the session of who is signed in, and shows the answer whole: status, time, headers, body', async () => {
    const person = await admin()
    receiver = await startReceiver()
    const browsing = await openConsole(await server(), person, '/')
    const { page } = browsing
    await page.keyboard.press('/')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.insertText('api ref')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor()
    const making = await open(page, 'createWebhook')
    await making.own.getByText(`As ${person.email}, in `).waitFor()
    const webhook = { url: `${receiver.url}/tried`, events: ['*'], description: HOSTILE }
    await making.own.locator('[data-in="body"]').fill(JSON.stringify(webhook))
    await enter(making.send)
    await making.status.getByText(/^201 Created, \d+ ms, \d+ bytes$/).waitFor()
    const { id, description } = JSON.parse((await making.body.textContent()) ?? '')
    assert.equal(description, HOSTILE)
    assert.equal(await page.locator('main img').count(), 0)
    assert.match(
      (await making.own.getByLabel('Headers of the answer').textContent()) ?? '',
      /^x-request-id: \S+/m,
    )
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.equal(await overflowOf(page), 0)

    const reading = await open(page, 'listWebhooks')
    await reading.own.getByLabel('limit').fill('1')
    await reading.send.click()
    await reading.status.getByText(/^200 OK/).waitFor()
    assert.equal(JSON.parse((await reading.body.textContent()) ?? '').data[0].id, id)

    // A public call carries no cookie.
    const publicly = await open(page, 'listErrors')
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/v1/errors')),
      publicly.send.click(),
    ])
    assert.equal((await sent.allHeaders()).cookie, undefined)
    await publicly.status.getByText(/^200 OK/).waitFor()

    // A call that cannot be undone asks before it is sent.
    await page.goto(at(await server(), '/api/docs/operations/startRun'))
    assert.equal(await page.locator('form[data-method="POST"][data-asks]').count(), 1)
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'DELETE') calls.push(request.url())
    })
    const deleting = await open(page, 'deleteWebhook')
    await deleting.own.getByLabel('id').fill(id)
    await enter(deleting.send)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`DELETE /v1/webhooks/${id} is sent for Acme <b>, for real`).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    assert.deepEqual(calls, [])
    await enter(deleting.send)
    await dialog.getByRole('button', { name: 'Send it' }).click()
    await deleting.status.getByText(/^204 No Content/).waitFor()
    assert.equal(calls.length, 1)
    await page.getByRole('navigation').getByRole('link', { name: 'Console' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await closeCleanly(browsing)
  })

  it('shows a refusal with the id of its request, a table, a file, and a stream as it comes', async () => {
    const person = await admin()
    const browsing = await openConsole(await server(), person, '/')
    const { page } = browsing
    const missing = await open(page, 'readWebhook')
    await missing.send.click()
    assert.equal(
      await missing.own.getByRole('status').isVisible(),
      false,
      'what has to be there is asked for',
    )
    await missing.own.getByLabel('id').fill('../../x')
    await missing.send.click()
    await missing.status.getByText(/^400 /).waitFor()
    assert.match((await missing.body.textContent()) ?? '', /"requestId": "/)

    const table = await open(page, 'listAuditEntries')
    await table.own.getByLabel('accept').selectOption('text/csv')
    await table.send.click()
    await table.status.getByText(/^200 OK/).waitFor()
    assert.match((await table.body.textContent()) ?? '', /^id,/)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      table.own.getByRole('button', { name: 'Save the body' }).click(),
    ])
    assert.match(saved.suggestedFilename(), /audit-log/)

    const upload = await open(page, 'uploadFile')
    await upload.own.getByLabel('name').fill('tried.txt')
    const buffer = Buffer.from('words')
    await upload.own
      .locator('[data-in="body"]')
      .setInputFiles({ name: 'tried.txt', mimeType: 'text/plain', buffer })
    await upload.send.click()
    await upload.status.getByText(/^20[12] /).waitFor()
    assert.equal(JSON.parse((await upload.body.textContent()) ?? '').name, 'tried.txt')

    // A stream that says nothing more is shown as far as it has come.
    using _still = (await server()).clock.stop()
    const stream = await open(page, 'streamOrganization')
    await stream.send.click()
    await stream.body.getByText('event: open').waitFor()
    await stream.own.getByRole('button', { name: 'Stop' }).click()
    await stream.status.getByText('Cancelled.').waitFor()
    await closeCleanly(browsing)
  })

  it('makes no call in the name of somebody else, who has signed in in another tab meanwhile', async () => {
    const [postern, person] = [await server(), await admin()]
    const other = await administrator(postern, 'Other')
    const browsing = await openConsole(postern, person, '/')
    const { page } = browsing
    const listing = await open(page, 'listWebhooks')
    await listing.own.getByText(`As ${person.email}, in `).waitFor()
    const data = { email: other.email, password: PASSWORD }
    const signedIn = await page.request.post(at(postern, '/v1/auth/sign-in/email'), { data })
    assert.equal(signedIn.status(), 200)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await enter(listing.send)
    await listing.own.getByText('Somebody else has signed in. Reload the page.').waitFor()
    assert.deepEqual(asked, ['/v1/auth/session'])
    await page.reload()
    const anew = await open(page, 'listWebhooks')
    await anew.own.getByText(`As ${other.email}, in `).waitFor()
    await enter(anew.send)
    await anew.status.getByText(/^200 OK/).waitFor()
    await closeCleanly(browsing)
  })

  it('marks an organization that is disabled, and takes it only when it is chosen', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Closed')
    const turned = await postern
      .client()
      .patch(
        `/v1/operator/organizations/${person.organizationId}`,
        { status: 'disabled' },
        { token: OPERATOR_TOKEN },
      )
    assert.equal(turned.status, 200, turned.text)
    const browsing = await openConsole(postern, person, '/')
    const { page } = browsing
    const listing = await open(page, 'listWebhooks')
    const chosen = listing.own.getByRole('combobox', { name: 'Organization' })
    assert.equal(await chosen.locator('option:checked').textContent(), 'Closed (disabled)')
    await enter(listing.send)
    await listing.own
      .getByText('That organization is disabled. The operator of this server can enable it.')
      .waitFor()
    await page.goto(at(postern, '/sign-in'))
    await page.getByRole('listitem').getByText('Disabled', { exact: true }).waitFor()
    await closeCleanly(browsing)
  })

  it('leads who is signed out to the page of sign-in and back, and takes the token of an operator without keeping it', async () => {
    const person = await admin()
    const browsing = await openBrowser()
    const { page } = browsing
    const open_ = await open(page, 'listErrors')
    await open_.own.getByText('Public').waitFor()
    await open_.send.click()
    await open_.status.getByText(/^200 OK/).waitFor()
    const listing = await open(page, 'listWebhooks')
    assert.equal(await listing.send.isDisabled(), true)
    await listing.own.getByRole('link', { name: 'Sign in' }).click()
    await page.fill('#sign-in-email', person.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.waitForURL(/\/api\/docs\/operations\/listWebhooks$/)
    const operator = await open(page, 'readInstallation')
    await operator.own.getByLabel('OPERATOR_TOKEN, which is not stored').fill(OPERATOR_TOKEN)
    await operator.send.click()
    await operator.status.getByText(/^200 OK/).waitFor()
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href])')
    assert.ok(!String(kept).includes(OPERATOR_TOKEN))
    await closeCleanly(browsing)
  })
})
