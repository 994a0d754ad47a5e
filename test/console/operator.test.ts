import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signIn } from '../support/attacks.ts'
import { closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, openInstallation, overflowOf, violationsOf } from '../support/console.ts'
import { authorizeRequest, consent, openRequest, REDIRECT_URI } from '../support/oauth.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { OPERATOR_TOKEN, usePostern } from '../support/postern.ts'
import { isSigned, startSiem } from '../support/siem.ts'
import { until } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'

/** Of `PASSWORD`, by libxcrypt. */
const BCRYPT = '$2b$05$abcdefghijklmnopqrstuuYVlArImcY9t8iZB05TaOK0bU6e/ht.G'

inConsole('imports, applications and streams of the operator, in the console', 'sqlite', (engine) => {
  const server = usePostern(engine)

  it('imports accounts from pasted lines or a file, checked first, and names each refused line', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const browsing = await openInstallation(postern, admin, 'accounts')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const organizations = [{ organization: admin.organizationId }]
    const [email, other] = [newEmail('pasted'), newEmail('filed')]
    const good = { email, emailVerified: true, passwordHash: BCRYPT, organizations }
    const stranger = { email: newEmail(), organizations: [{ organization: 'ext:none' }] }
    const text = [JSON.stringify(good), '', '"no account"', JSON.stringify(stranger)].join('\n')
    await enter(page.getByRole('button', { name: 'Import accounts' }))
    const lines = dialog.getByLabel('Accounts, one per line')
    await lines.fill(text)
    await dialog.getByText('2 accounts, 1 with a password, 1 line without a JSON object').waitFor()
    await enter(dialog.getByRole('button', { name: 'Check' }))
    const checked = dialog.getByRole('region', { name: 'Result of the check' })
    await checked.getByText('Would be imported').waitFor()
    const rows = checked.locator('tbody tr')
    assert.deepEqual(await rows.locator('td:first-child, th:first-child').allTextContents(), ['3', '4'])
    await rows.getByText('no such organization').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 320, height: 700 })
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 401)
    // Changed lines are checked again.
    await lines.fill(`${text}\n`)
    await enter(dialog.getByRole('button', { name: 'Check' }))
    await enter(dialog.getByRole('button', { name: 'Import 1 account', exact: true }))
    await dialog.getByRole('region', { name: 'Result of the import' }).waitFor()
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    await enter(dialog.getByRole('button', { name: 'Done' }))
    await page.getByText(email, { exact: true }).waitFor()
    await enter(page.getByRole('button', { name: 'Import accounts' }))
    const body = [good, { ...good, email: other }].map((one) => JSON.stringify(one)).join('\n')
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'accounts.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(body) })
    await dialog.getByText('accounts.jsonl').waitFor()
    await enter(dialog.getByRole('button', { name: 'Check' }))
    await enter(dialog.getByRole('button', { name: 'Import 1 account', exact: true }))
    await dialog.getByRole('region', { name: 'Result of the import' }).getByText('members already').waitFor()
    assert.equal((await signIn(postern.client(), other, PASSWORD)).status, 200)
    const log = (await callsOf(postern, admin.token).get('/v1/audit-log?action=account.imported')).body.data
    assert.equal(log.length, 2)
    assert.ok(!postern.log().includes(BCRYPT) && !JSON.stringify(log).includes(BCRYPT))
    await enter(dialog.getByRole('button', { name: 'Done' }))
    await closeCleanly(browsing)
  })

  it('registers applications by the keyboard, shows a secret once, names what is wrong, and deletes by name', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const browsing = await openInstallation(postern, admin, 'applications')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No applications yet').waitFor()
    await page.getByRole('button', { name: 'New application' }).focus()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Name', { exact: true }).fill('Our <gateway>')
    await dialog.getByLabel('Redirect URIs').fill('http://client.test/callback')
    assert.deepEqual(await violationsOf(page), [])
    await page.keyboard.press('Tab')
    await enter(dialog.getByRole('button', { name: 'Register' }))
    await dialog.getByText('It must be https, or http of this machine.').waitFor()
    await dialog.getByLabel('Redirect URIs').fill(`${REDIRECT_URI}\nhttp://127.0.0.1/native`)
    await enter(dialog.getByRole('button', { name: 'Register' }))
    const secret = (await dialog.locator('.secret code').textContent()) ?? ''
    assert.match(secret, /^[\w-]{43}$/)
    await dialog.getByText(/^ocl_/).waitFor()
    await dialog.getByLabel('I have saved it').check()
    await enter(dialog.getByRole('button', { name: 'Close' }).last())
    const row = page.locator('tbody tr')
    await row.locator('.person-name', { hasText: 'Our <gateway>' }).waitFor()
    await row.getByText('has a secret').waitFor()
    await row.getByText(`${REDIRECT_URI} and 1 more`).waitFor()
    const [made] = (await callsOf(postern, OPERATOR_TOKEN).get('/v1/operator/oauth-clients')).body.data
    const client = { id: made.id, redirectUri: REDIRECT_URI }
    const seen = await openRequest(admin.client, authorizeRequest(postern, client))
    const asked = await admin.client.get(`/v1/auth/authorizations/${seen}`)
    assert.equal(asked.body.client.name, 'Our <gateway>')
    await consent(admin, authorizeRequest(postern, client))
    assert.equal((await admin.client.get('/v1/auth/grants')).body.data.length, 1)
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 320, height: 700 })
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await enter(row.getByRole('button', { name: /^More for/ }))
    await enter(page.getByRole('menuitem', { name: 'Delete' }))
    await dialog.getByLabel(/Type .* to confirm/).fill('Our <gateway>')
    await page.keyboard.press('Enter')
    await page.getByText('No applications yet').waitFor()
    assert.deepEqual((await admin.client.get('/v1/auth/grants')).body.data, [])
    await closeCleanly(browsing)
  })

  it('makes a stream of the audit log, tries, pauses, resumes and deletes it, and says how it stands', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const siem = await startSiem()
    const browsing = await openInstallation(postern, admin, 'streams')
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const row = page.locator('tbody tr')
    await page.getByText('No streams yet').waitFor()
    await enter(page.getByRole('button', { name: 'New stream' }))
    await dialog.getByLabel('Name', { exact: true }).fill('Our <SIEM>')
    await dialog.getByLabel('URL').fill(siem.url)
    await dialog.getByLabel('Headers').fill('authorization: Splunk a:b')
    assert.deepEqual(await violationsOf(page), [])
    await enter(dialog.getByRole('button', { name: 'Create stream' }))
    const keep = async () => {
      const shown = (await dialog.locator('.secret code').textContent()) ?? ''
      await dialog.getByLabel('I have saved it').check()
      await enter(dialog.getByRole('button', { name: 'Close' }).last())
      await dialog.waitFor({ state: 'detached' })
      return shown
    }
    const secret = await keep()
    await row.locator('.person-name', { hasText: 'Our <SIEM>' }).waitFor()
    await row.getByText('active', { exact: true }).waitFor()
    const choose = async (what: string, action = what) => {
      await enter(row.getByRole('button', { name: /^More for/ }))
      await enter(page.getByRole('menuitem', { name: what, exact: true }))
      await enter(dialog.getByRole('button', { name: action, exact: true }))
    }
    await choose('Send a sample', 'Send')
    await page.getByText('Our <SIEM> took the sample: 200').waitFor()
    const sample = await until(
      async () => siem.pages.find(({ entries }) => entries[0]?.action === 'audit_stream.tested'),
      (found) => found !== undefined,
      { what: 'the sample at the receiver' },
    )
    assert.ok(sample && isSigned(sample, secret))
    assert.equal(sample.headers.authorization, 'Splunk a:b')
    await choose('New secret')
    assert.notEqual(await keep(), secret)
    await choose('Pause')
    await row.getByText('paused', { exact: true }).waitFor()
    await choose('Resume')
    await row.getByText('active', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.setViewportSize({ width: 320, height: 700 })
    assert.equal(await overflowOf(page), 0)
    await page.setViewportSize({ width: 1_280, height: 900 })
    await enter(row.getByRole('button', { name: /^More for/ }))
    await enter(page.getByRole('menuitem', { name: 'Delete' }))
    await dialog.getByLabel(/Type .* to confirm/).fill('Our <SIEM>')
    await page.keyboard.press('Enter')
    await page.getByText('No streams yet').waitFor()
    await closeCleanly(browsing)
  })
})
