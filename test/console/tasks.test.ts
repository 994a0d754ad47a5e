import assert from 'node:assert/strict'
import { after, it, type TestContext } from 'node:test'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, type Opened, openConsole, readScreens } from '../support/console.ts'
import { administrator, newEmail, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { countPresses, type Presses } from '../support/presses.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/waits.ts'

inConsole('what people do every day, by keyboard alone and counted', 'postgres', (engine) => {
  const server = usePostern(engine)
  let receiver: Receiver | undefined
  after(() => receiver?.stop())
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= begin()
    return made
  }

  /** An organization with a receiver that answers, and one that is down. */
  async function begin(): Promise<Person> {
    receiver = await startReceiver()
    receiver.answer = ({ path }, response) => {
      response.statusCode = path === '/ledger' ? 503 : 204
      response.end(path === '/ledger' ? 'the database is down' : '')
    }
    const person = await administrator(await server())
    const { client, token } = person
    const { url } = receiver
    for (const path of ['orders', 'ledger']) {
      const webhook = { url: `${url}/${path}`, events: ['*'] }
      assert.equal((await client.post('/v1/webhooks', webhook, { token })).status, 201)
    }
    for (let at = 0; at < 3; at += 1) {
      const event = {
        type: 'agent.run.completed',
        data: {
          agentId: 'agt_1',
          runId: `run_${at}`,
          output: 'Sorted.',
          status: 'succeeded',
          durationMs: 1,
          completedAt: '2026-01-01T00:00:00Z',
        },
      }
      assert.ok((await client.post('/v1/events', event, { token })).status < 300)
    }
    await until(
      () => pending(person),
      (rows) => rows.length === 3 && rows.every(({ attemptCount }) => attemptCount > 0),
      { what: 'three deliveries that failed once' },
    )
    return person
  }
  const pending = async ({ client, token }: Person) =>
    (await client.get('/v1/deliveries?status=pending', { token })).body.data as { attemptCount: number }[]

  /** Does a task from the overview, and asserts the number of presses that it takes. */
  async function from(
    t: TestContext,
    most: number,
    task: (opened: Opened, at: Presses) => Promise<void>,
  ): Promise<void> {
    const opened = await openConsole(await server(), await admin(), '/')
    const at = countPresses(opened.page)
    await task(opened, at)
    t.diagnostic(`${at.presses} presses, ${at.moves} times Tab: ${t.name}`)
    assert.ok(at.presses <= most, `${at.presses} presses instead of ${most}`)
    await closeCleanly(opened)
  }

  it('why did this fail: what was answered, in one press', (t) =>
    from(t, 1, async ({ page }, at) => {
      await at.enter(page.getByRole('link', { name: 'Why?' }).first())
      await page.getByText('the database is down').first().waitFor()
    }))

  it('send a test and see the answer, in two', (t) =>
    from(t, 2, async ({ page }, at) => {
      await at.key('g', 'w')
      const row = page.getByRole('row', { name: /\/ledger/ })
      await at.enter(row.getByRole('button', { name: 'Send test' }))
      await page.getByRole('dialog').getByText('Responded with 503').waitFor()
    }))

  it('send again what has waited since the outage, in two', (t) =>
    from(t, 2, async ({ page }, at) => {
      assert.ok(receiver)
      receiver.answer = (_call, response) => void response.writeHead(204).end()
      await at.enter(page.getByRole('button', { name: 'Retry all' }).first())
      await at.enter(
        page
          .getByRole('dialog')
          .getByRole('button', { name: /^Retry/ })
          .last(),
      )
      await until(
        async () => pending(await admin()),
        (rows) => rows.length === 0,
        { what: 'what waited to be delivered' },
      )
      await page
        .getByText('No open problems')
        .or(page.getByText(/failed/))
        .first()
        .waitFor()
    }))

  it('rotate a secret without loss, in three', (t) =>
    from(t, 3, async ({ page }, at) => {
      await at.key('g', 'w')
      const row = page.getByRole('row', { name: /\/orders/ })
      await at.enter(row.getByRole('button', { name: 'Rotate secret' }))
      await at.enter(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }))
      const shown = page.getByRole('dialog', { name: 'New secret' })
      await shown.getByText(/^whsec_/).waitFor()
      await shown.getByText('The old secret works for another').waitFor()
    }))

  it('invite somebody and know that it arrived: one form', (t) =>
    from(t, 2, async ({ page }, at) => {
      const email = newEmail('invited')
      await at.key('g', 'i')
      await at.tabTo(page.locator('textarea[name="email"]'))
      await page.keyboard.insertText(email)
      await at.enter(page.locator('button[type="submit"]'))
      const row = page.locator('tr', { hasText: email })
      await row.getByText('sent', { exact: true }).waitFor()
      await row.getByText(/^250 /).waitFor()
    }))
})

it('each key of the console leads to one screen', async () => {
  const keys = (await readScreens()).flatMap(({ key }) => key ?? [])
  assert.deepEqual(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
  )
})
