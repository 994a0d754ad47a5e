import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signIn } from '../support/attacks.ts'
import { closeCleanly } from '../support/chromium.ts'
import { connectWild, useConnections } from '../support/connections.ts'
import { inConsole, openConsole, openInstallation, overflowOf, violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { actingFor } from '../support/platform.ts'
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
    await page.getByRole('table', { name: 'Findings' }).waitFor()
    await page.getByRole('tab', { name: 'Organizations' }).click()
    const row = page.locator('tr', { hasText: other.organizationId })
    await row.getByText('Other <script>', { exact: true }).waitFor()
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

  it('makes, changes, rotates and ends platform keys, whose secret it shows once', async () => {
    const { postern, admin } = await setting()
    const browsing = await openInstallation(postern, admin, 'keys')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    /** Takes the secret that is shown, and closes it. */
    const secret = async () => {
      const shown = await dialog.locator('.secret code').textContent()
      await dialog.getByLabel('I have saved it').check()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await dialog.waitFor({ state: 'detached' })
      return shown ?? ''
    }
    const statusOf = async (key: string, path = '/v1/webhooks') =>
      (await actingFor(postern, { key }, admin.organizationId).get(path)).status
    await page.getByText('No platform keys yet').waitFor()
    await page.getByRole('button', { name: 'New platform key' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Our <platform>')
    await dialog.getByLabel('Only selected scopes').check()
    await dialog.getByLabel(/^webhooks:read/).check()
    await dialog.getByLabel('May create organizations').check()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const first = await secret()
    assert.match(first, /^ppk_/)
    assert.deepEqual([await statusOf(first), await statusOf(first, '/v1/files')], [200, 403])
    const row = page.locator('tr', { hasText: 'Our <platform>' })
    await row.getByText('creates organizations').waitFor()
    await row.getByText('webhooks:read', { exact: true }).waitFor()
    const choose = async (what: string) => {
      await page.getByRole('button', { name: /^More for/ }).click()
      await page.getByRole('menuitem', { name: what, exact: true }).click()
    }
    await choose('Change')
    await dialog.getByLabel('Name', { exact: true }).fill('Another name')
    await dialog.getByLabel('Addresses').fill('127.0.0.0/8')
    await dialog.getByLabel(/^Expires after/).fill('3')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.locator('tr', { hasText: 'Another name' }).getByText('127.0.0.0/8').waitFor()
    await page.getByText(/^in [23] days$/).waitFor()
    await choose('Rotate')
    await dialog.getByLabel('The present secret works').selectOption({ label: 'not at all: it has leaked' })
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    const second = await secret()
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 320, height: 700 })
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await choose('Delete')
    await dialog.getByLabel(/Type .* to confirm/).fill('Another name')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No platform keys yet').waitFor()
    assert.equal(await statusOf(second), 401)
    await closeCleanly(browsing)
  })

  it('finds an account, signs it out, disables and enables it, deletes it, and shows who did so', async () => {
    const { postern, admin } = await setting()
    const person = await administrator(postern, 'Of one person')
    const browsing = await openInstallation(postern, admin, 'accounts')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByLabel('E-mail address').fill(person.email)
    const row = page.locator('tbody tr')
    await page.locator('tbody tr:only-child', { hasText: person.email }).waitFor()
    const choose = async (what: string) => {
      await row.getByRole('button', { name: /^More for/ }).click()
      await page.getByRole('menuitem', { name: what, exact: true }).click()
    }
    const status = async () =>
      (await postern.client().get('/v1/organizations', { token: person.token })).status
    assert.equal(await status(), 200)
    await choose('End all sessions')
    await dialog.getByRole('button', { name: 'End sessions' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await status(), 401)
    assert.equal((await signIn(person.client, person.email, PASSWORD)).status, 200)
    await enrolTotp(postern, person)
    await choose('Remove second factors')
    await dialog.getByLabel(/Type .* to confirm/).fill(person.email)
    await dialog.getByRole('button', { name: 'Remove factors' }).click()
    await page.getByText(`1 second factor of ${person.email} removed`).waitFor()
    await choose('Change the address')
    const moved = newEmail('moved')
    await dialog.getByLabel('New e-mail address').fill(moved)
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Send the mails' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.match((await postern.mailbox.next(moved)).text, /\/change-email/)
    await choose('Disable')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    // Its organization would have no administrator: the refusal stays beside the question.
    await dialog.getByText('An organization would have no administrator').waitFor()
    await dialog.getByLabel(/without an administrator/).check()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await row.getByText('disabled', { exact: true }).waitFor()
    await choose('Enable')
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await row.getByText('active', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 320, height: 700 })
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await choose('Delete')
    await dialog.getByLabel(/without an administrator/).check()
    await dialog.getByLabel(/Type .* to confirm/).fill(person.email)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No such account').waitFor()
    await page.getByRole('tab', { name: 'Audit log' }).click()
    await page.getByLabel('Action').fill('account.deleted')
    await page.locator('tbody tr', { hasText: 'account deleted' }).first().waitFor()
    await page.getByRole('button', { name: 'Show details' }).first().click()
    await dialog.getByRole('heading', { name: 'account deleted' }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await closeCleanly(browsing)
  })
})
