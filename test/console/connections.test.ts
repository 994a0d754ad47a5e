import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeCleanly } from '../support/chromium.ts'
import { connectWild, useConnections } from '../support/connections.ts'
import { inConsole, openConsole } from '../support/console.ts'
import { administrator } from '../support/people.ts'
import { OPERATOR_TOKEN } from '../support/postern.ts'

inConsole('connections and the installation, in the console', 'sqlite', (engine) => {
  const setting = useConnections(engine)

  it('shows a connection, names the providers, and deletes by name', async () => {
    const all = await setting()
    const { postern, admin } = all
    const id = await connectWild(all, admin)
    const browsing = await openConsole(postern, admin, `/connections?connectionId=${id}`)
    const { page } = browsing
    await page.getByText('Account connected').waitFor()
    const row = page.locator('tr', { hasText: 'wild' })
    await row.getByText('active', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    for (const provider of ['real', 'wild'])
      await page.getByRole('dialog').getByRole('button', { name: provider, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'wild', exact: true }).waitFor()
    await page.getByRole('button', { name: 'More for wild' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel(/Type .* to confirm/).fill('wild')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No connection yet').waitFor()
    await closeCleanly(browsing)
  })

  it('goes to the provider from where its own page says so', async () => {
    const { postern, admin, wild } = await setting()
    const browsing = await openConsole(postern, admin, '/connections')
    const { page } = browsing
    await page.route(`${wild.origin}/**`, (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'the provider' }),
    )
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'wild', exact: true }).click()
    await page.waitForURL(`${wild.origin}/authorize?**`)
    await closeCleanly(browsing)
  })

  it('opens the installation for the operator alone, whose token no storage, address or reload keeps', async () => {
    const { postern, admin } = await setting()
    const other = await administrator(postern, 'Other <script>')
    const browsing = await openConsole(postern, admin, '/installation')
    const { page } = browsing
    await page.getByLabel('Token', { exact: true }).fill('a wrong token')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText('Wrong token.').waitFor()
    await page.getByLabel('Token', { exact: true }).fill(OPERATOR_TOKEN)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    const row = page.locator('tr', { hasText: other.organizationId })
    await row.getByText('Other <script>', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Findings' }).waitFor()
    await row.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Grant credits' }).click()
    await page.getByLabel('Credits', { exact: true }).fill('250')
    await page.getByLabel('Reason').fill('a good customer')
    await page.getByRole('dialog').getByRole('button', { name: 'Grant' }).click()
    await page.getByText(/has 250 credits now/).waitFor()
    const balance = await postern.client().get('/v1/billing/balance', { token: other.token })
    assert.equal(balance.body.purchasedCredits, 250)
    const dialog = page.getByRole('dialog')
    const choose = async (what: string) => {
      await row.getByRole('button', { name: /^More for/ }).click()
      await page.getByRole('menuitem', { name: what, exact: true }).click()
    }
    await choose('Invite')
    await dialog.getByLabel('E-mail address').fill('first@acme.test')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText(/\/accept-invitation\?token=/).waitFor()
    await dialog.getByLabel('I have saved it').check()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await choose('Disable')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await row.getByText('disabled', { exact: true }).waitFor()
    assert.equal((await postern.client().get('/v1/billing/balance', { token: other.token })).status, 401)
    await choose('Enable')
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await row.getByText('disabled', { exact: true }).waitFor({ state: 'detached' })
    await choose('Delete')
    await dialog.getByLabel(/Type .* to confirm/).fill('Other <script>')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    const kept = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, location.href, document.cookie])',
    )
    assert.ok(!String(kept).includes(OPERATOR_TOKEN))
    await page.reload()
    await page.getByLabel('Token', { exact: true }).waitFor()
    await closeCleanly(browsing)
  })
})
