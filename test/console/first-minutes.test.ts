import assert from 'node:assert/strict'
import { it } from 'node:test'
import { issueFirstStartLink } from '#src/store/first-start-link.ts'
import { withPostern } from '../support/attacks.ts'
import { at, closeCleanly, landsInConsole, openBrowser, press, showsHeading } from '../support/chromium.ts'
import { inConsole, violationsOf } from '../support/console.ts'
import { newEmail, PASSWORD } from '../support/people.ts'
import type { Postern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

inConsole('the first minutes', 'sqlite', (engine) => {
  /** From the link of a first start into the console. */
  async function arrive(postern: Postern) {
    const token = await issueFirstStartLink(postern.app.database, postern.clock.now())
    const link = at(postern, `/first-start?token=${token}`)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(link)
    await page.locator('#first-start fieldset:enabled').waitFor()
    const typed = { organization: 'Acme', firstName: 'Ada', lastName: 'Lovelace', email: newEmail('first') }
    for (const [field, text] of Object.entries(typed)) await page.fill(`#first-start-${field}`, text)
    await page.fill('#first-start-password', PASSWORD)
    await page.check('#first-start-termsAccepted')
    await press(page, 'Create')
    await landsInConsole(page)
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    return { ...browsing, link }
  }

  it('lead by one link into the console, and to a first webhook without a receiver', async () => {
    const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }
    await withPostern(engine, { env }, async (postern) => {
      const browsing = await arrive(postern)
      const { page, link } = browsing
      assert.deepEqual(await violationsOf(page), [])
      await page.getByRole('button', { name: 'Try it here' }).click()
      await page.getByRole('heading', { name: 'Capture', level: 1 }).waitFor()
      await page.getByText('ord_1').first().waitFor()
      const deliveries = postern.app.database.db.selectFrom('delivery').select('status')
      await until(
        () => deliveries.execute(),
        (rows) => rows.length === 1 && rows[0]?.status === 'delivered',
        { what: 'one delivery, delivered' },
      )
      await page.getByRole('link', { name: 'Overview' }).first().click()
      await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor()
      assert.equal(await page.getByText('Get started').count(), 0)
      await page.goto(link)
      await page.fill('#first-start-organization', 'Umbrella')
      for (const field of ['firstName', 'lastName']) await page.fill(`#first-start-${field}`, 'Eve')
      await page.fill('#first-start-email', newEmail('eve'))
      await page.fill('#first-start-password', PASSWORD)
      await page.check('#first-start-termsAccepted')
      await press(page, 'Create')
      await showsHeading(page, 'This link cannot be used')
      await closeCleanly(browsing)
    })
  })

  it('say which setting lets the server reach itself, and the steps can be hidden', async () => {
    await withPostern(engine, { env: { WEBHOOK_ALLOWED_NETWORKS: '' } }, async (postern) => {
      const browsing = await arrive(postern)
      const { page } = browsing
      await page.getByRole('button', { name: 'Try it here' }).click()
      await page.getByText('WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8,::1/128 npx postern start').waitFor()
      assert.deepEqual(await violationsOf(page), [])
      await page.getByRole('button', { name: 'Hide' }).click()
      await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      assert.equal(await page.getByText('Get started').count(), 0)
      await closeCleanly(browsing)
    })
  })
})
