import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, type Opened, openConsole } from '../support/console.ts'
import { administrator, member, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'

const TYPE = 'order.paid'
const EXAMPLE = { orderId: 'ord_1', total: 12.5, isGift: false }
const SCHEMA = {
  type: 'object',
  properties: {
    orderId: { type: 'string', description: 'Which order.' },
    total: { type: 'number', minimum: 0 },
    isGift: { type: 'boolean' },
  },
  required: ['orderId', 'total'],
}
const EDITOR = 'textarea[aria-label="Data of the event, as JSON"]'

inConsole('events in the console', 'postgres', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())

  let made: Promise<{ admin: Person; webhookId: string; url: string }> | undefined
  const shop = () => {
    made ??= (async () => {
      receiver = await startReceiver()
      const admin = await administrator(await server(), 'Shop')
      const post = async (path: string, body: object) => {
        const answer = await admin.client.post(path, body, { token: admin.token })
        assert.ok(answer.status < 300, answer.text)
        return answer.body
      }
      await post('/v1/event-types', { name: TYPE, description: 'Paid.', schema: SCHEMA, example: EXAMPLE })
      const { id } = await post('/v1/webhooks', { url: `${receiver.url}/orders`, events: [TYPE] })
      const paused = await post('/v1/webhooks', { url: `${receiver.url}/later`, events: [TYPE] })
      const change = await admin.client.patch(
        `/v1/webhooks/${paused.id}`,
        { status: 'paused' },
        { token: admin.token },
      )
      assert.equal(change.status, 200, change.text)
      return { admin, webhookId: id as string, url: receiver.url }
    })()
    return made
  }

  const open = async (path: string) => openConsole(await server(), (await shop()).admin, path)
  const shows = (opened: Opened, text: string | RegExp) => opened.page.getByText(text).first().waitFor()

  it('are published from the keyboard: it is said before to whom they go, and their deliveries are seen as they happen', async () => {
    const opened = await open(`/compose?type=${TYPE}`)
    const { page } = opened
    const sample = await until(() => page.inputValue(EDITOR), Boolean, { what: 'the sample' })
    assert.deepEqual(JSON.parse(sample), EXAMPLE)
    await shows(opened, 'To 2 webhooks; what is for 1 of them waits until it is resumed.')
    await page.fill(EDITOR, '{ "orderId": "ord_7", "total": 12345678901234567890.25 }')
    await page.keyboard.press('ControlOrMeta+Enter')
    await shows(opened, 'Published: on its way to 2 webhooks')
    const table = page.locator('table[aria-label="Deliveries of this event"]')
    await table.getByText('delivered').waitFor()
    await table.getByText('held').waitFor()
    const [call] = await (receiver as Receiver).count(1)
    assert.match(
      String(call?.body),
      /"total":\s*12345678901234567890\.25/,
      'every digit is sent as it was typed',
    )
    await closeCleanly(opened)
  })

  it('say at which line something is wrong, whether it is no JSON or not what the type wants', async () => {
    const opened = await open(`/compose?type=${TYPE}`)
    const { page } = opened
    const faults = page.locator('.editor-faults')
    await page.fill(EDITOR, '{\n  "orderId": "ord_1",\n  "total" 3\n}')
    await faults.getByText('expected a colon').waitFor()
    assert.equal(await faults.locator('button').textContent(), 'Line 3')
    await page.getByRole('button', { name: 'Publish', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('tooltip', { name: 'Line 3 is not valid JSON' }).waitFor({ state: 'attached' })
    await page.fill(EDITOR, '{\n  "orderId": "ord_1",\n  "total": "much"\n}')
    await faults.getByText(/^Line 3: total: /).waitFor()
    await enter(faults.locator('button'))
    const at = await page.evaluate(`document.activeElement.selectionStart`)
    assert.equal(at, '{\n  "orderId": "ord_1",\n'.length, 'the place is one press away')
    await closeCleanly(opened)
  })

  it('can be written as a form where the schema is flat, which is the same as the JSON', async () => {
    const opened = await open(`/compose?type=${TYPE}&view=form`)
    const { page } = opened
    await page.getByLabel('total').fill('99.5')
    await page.getByLabel('isGift').selectOption('true')
    await page.getByLabel('orderId').fill('')
    await enter(page.getByRole('tab', { name: 'JSON' }))
    assert.deepEqual(JSON.parse(await page.inputValue(EDITOR)), { orderId: '', total: 99.5, isGift: true })
    await closeCleanly(opened)
  })

  it('are found by type and by how their id begins, and each leads to one like it', async () => {
    const { admin } = await shop()
    const { body } = await admin.client.post(
      '/v1/events',
      { type: TYPE, data: { orderId: '</script><b>', total: 1 } },
      { token: admin.token },
    )
    const opened = await open(`/events?type=${TYPE}`)
    const { page } = opened
    await page.getByLabel('ID starts with').fill(body.id.slice(4, 30))
    await page.locator('table[aria-label="Events"] tbody tr').first().waitFor()
    await until(
      () => page.locator('table[aria-label="Events"] tbody tr').count(),
      (rows) => rows === 1,
      { what: 'the one event of that id' },
    )
    await page.keyboard.press('Escape')
    await enter(page.getByRole('link', { name: TYPE }).first())
    await page.getByText('"</script><b>"').waitFor()
    await enter(page.getByRole('link', { name: 'Publish a similar event' }))
    await page.locator(EDITOR).waitFor()
    await until(
      () => page.inputValue(EDITOR),
      (text) => text.includes('</script><b>'),
      { what: 'the data of that event' },
    )
    await closeCleanly(opened)
  })

  it('name who published them, and are found by it, a person or a service account that is deleted', async () => {
    const { admin } = await shop()
    const call = { token: admin.token }
    const name = '</td><b>robot'
    const made = await admin.client.post(
      '/v1/api-keys',
      { name, role: 'administrator', expiresInDays: 1 },
      call,
    )
    assert.equal(made.status, 201, made.text)
    const body = { type: TYPE, data: { orderId: 'by_robot', total: 1 } }
    const { body: event } = await admin.client.post('/v1/events', body, { token: made.body.key })
    await admin.client.post('/v1/events', { ...body, data: { orderId: 'by_hand', total: 1 } }, call)
    const opened = await open('/events')
    const { page } = opened
    const rows = page.locator('table[aria-label="Events"] tbody tr')
    const only = (text: string) =>
      until(
        () => rows.allTextContents(),
        (all) => all.length === 1 && all[0]?.includes(text) === true,
        { what: `the one event of ${text}` },
      )
    await rows.getByText(`Service ${name}`).waitFor()
    await page.getByLabel('By', { exact: true }).selectOption({ label: `Service ${name}` })
    await only('by_robot')
    assert.match(page.url(), new RegExp(`actor=${made.body.serviceAccountId}`))
    await enter(page.getByRole('link', { name: TYPE }).first())
    await page.getByRole('link', { name: `Service ${name}` }).waitFor()
    assert.equal(
      (await admin.client.delete(`/v1/service-accounts/${made.body.serviceAccountId}`, call)).status,
      204,
    )
    await opened.goto(`/events/${event.id}`)
    await enter(page.getByRole('link', { name: 'a deleted service account' }))
    await only('by_robot')
    assert.equal(await page.getByLabel('By', { exact: true }).inputValue(), made.body.serviceAccountId)
    await closeCleanly(opened)
  })

  it('are for members to look at, and for administrators to publish', async () => {
    const { admin } = await shop()
    const other = await member(await server(), admin)
    const opened = await openConsole(await server(), other, '/compose')
    await opened.page.getByRole('heading', { name: 'Your role does not permit events:write' }).waitFor()
    await opened.visit('/events')
    const button = opened.page.getByRole('button', { name: 'Publish an event' }).first()
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await closeCleanly(opened)
  })
  it('have types of one’s own, which are made, changed and deleted with what that means', async () => {
    const opened = await open('/event-types/new')
    const { page } = opened
    const editor = (name: string) => page.locator(`textarea[aria-label="${name}"]`)
    await page.getByLabel('Name').fill('stock.low')
    await editor('Schema').fill('{\n  "type": "object",\n  "pattern": "^a"\n}')
    await enter(page.getByLabel('Name'))
    await page
      .locator('.editor-faults')
      .getByText(/^Line 3: schema\.pattern: /)
      .waitFor()
    await editor('Schema').fill('{ "type": "object", "properties": { "left": { "type": "integer" } } }')
    await editor('Example').fill('{ "left": 2 }')
    await enter(page.getByRole('button', { name: 'Create event type' }))
    await page.getByRole('heading', { name: 'stock.low' }).waitFor()
    await page.getByText('secrets: process.env.WEBHOOK_SECRET').waitFor()
    await enter(page.getByRole('link', { name: 'Change' }))
    await shows(opened, 'Events published before stay unchanged')
    await page.getByLabel('Description').fill('Little is left.')
    await enter(page.getByRole('button', { name: 'Save' }))
    await shows(opened, 'Little is left.')
    await enter(page.getByRole('button', { name: 'Delete' }))
    await page.locator('dialog input').fill('stock.low')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Event types' }).waitFor()
    const { admin } = await shop()
    const gone = await admin.client.get('/v1/event-types/stock.low', { token: admin.token })
    assert.equal(gone.status, 404)
    await closeCleanly(opened)
  })
  it('have types that name every webhook that wants them, however old', async () => {
    const person = await administrator(await server(), 'Busy')
    const register = async (name: string, type: string) => {
      const body = { url: `https://${name}.example.com/`, events: [type] }
      const answer = await person.client.post('/v1/webhooks', body, { token: person.token })
      assert.equal(answer.status, 201, answer.text)
    }
    await register('oldest', 'file.processed')
    for (let index = 0; index < 20; index += 1)
      await register(`n${index}`, index % 2 ? '*' : 'file.processed')
    await register('newest', 'agent.run.completed')
    const opened = await openConsole(await server(), person, '/event-types/file.processed')
    const { page } = opened
    const targets = page.locator('.webhook-links li')
    await page.getByText('20 webhooks shown').waitFor()
    assert.equal(await targets.filter({ hasText: /oldest|newest/ }).count(), 0)
    await enter(page.getByRole('button', { name: 'Show more' }))
    await targets.filter({ hasText: 'oldest' }).waitFor()
    assert.equal(await targets.count(), 21)
    assert.equal(await targets.filter({ hasText: 'newest' }).count(), 0)
    await closeCleanly(opened)
  })

  it('that do not fit have their cause named, without the secret leaving the browser', async () => {
    const opened = await open('/doctor')
    const { page } = opened
    await page.getByText('The signature is valid').waitFor()
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    const body = await page.getByLabel('Body', { exact: true }).inputValue()
    await page.getByLabel('Body', { exact: true }).fill(JSON.stringify(JSON.parse(body), null, 2))
    await page.getByRole('heading', { name: 'The body was parsed and serialized again' }).waitFor()
    await page.getByLabel('The body is base64').check()
    await page.getByText('The body is not valid base64').waitFor()
    await page.getByLabel('Body', { exact: true }).fill(Buffer.from(body).toString('base64'))
    await page.getByText('The signature is valid').waitFor()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await page.getByLabel('Secret', { exact: true }).fill(` "${secret}" `)
    await page.getByRole('heading', { name: 'The secret has extra characters' }).waitFor()
    await page.getByLabel('Secret', { exact: true }).fill('whsec_AAAA')
    await page.getByRole('heading', { name: 'No secret matches' }).waitFor()
    assert.deepEqual(
      sent.filter((one) => one.includes('whsec')),
      [],
    )
    await closeCleanly(opened)
  })

  it('from outside are caught in a window, shown as they came, and delivered afterwards', async () => {
    const { webhookId } = await shop()
    const opened = await open(`/capture?webhook=${webhookId}`)
    const { page } = opened
    await page.locator('input[name=endpointPath]').fill('Not A Path')
    await page.keyboard.press('Enter')
    await page.locator('[aria-invalid="true"]').waitFor()
    await page.locator('input[name=endpointPath]').fill('shop-orders')
    await page.keyboard.press('Enter')
    await enter(page.getByRole('button', { name: 'Open a window' }))
    await page.getByText('Waiting for a call…').waitFor()
    const { url } = await server()
    const body = '{"hello": "</script><b>\u00fc"}'
    const headers = { 'content-type': 'application/json', 'x-shop': 'yes' }
    const call = await fetch(`${url}/v1/webhooks/shop-orders?a=1`, { method: 'POST', body, headers })
    assert.equal(call.status, 202)
    await page.getByText('No window is open').waitFor()
    await page.getByText('x-shop').waitFor()
    await page.getByText('"</script><b>').waitFor()
    await enter(page.getByRole('button', { name: 'Deliver now' }))
    await enter(page.getByRole('link', { name: 'Show the delivery' }))
    await page.getByRole('heading', { name: 'webhook.received' }).waitFor()
    await page.locator('table[aria-label="Deliveries of this event"]').getByText('delivered').waitFor()
    await closeCleanly(opened)
  })
})
