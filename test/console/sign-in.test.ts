import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeCleanly, tabTo } from '../support/chromium.ts'
import { inConsole, openConsole, overflowOf, violationsOf } from '../support/console.ts'
import { administrator } from '../support/people.ts'
import { useSso } from '../support/sso.ts'

inConsole('how members of an organization sign in, in the console', 'sqlite', (engine) => {
  const { server, publish } = useSso(engine)
  const PHONE = { width: 390, height: 844 }

  it('adds a domain by the keyboard, copies its record, checks it until it is proven, and removes it', async () => {
    const { postern } = await server()
    const admin = await administrator(postern, 'Domains')
    const browsing = await openConsole(postern, admin, '/domains', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await page.getByText('No domain yet').waitFor()
    await tabTo(page, 'button:has-text("Add domain")')
    await page.keyboard.press('Enter')
    await tabTo(page, 'dialog input[name="name"]')
    await page.keyboard.insertText('not a domain')
    await page.keyboard.press('Enter')
    await dialog.getByText('Not a domain, such as acme.example').waitFor()
    const domain = `console-${process.pid}.test`
    await dialog.getByLabel('Domain').fill(domain)
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: `The record of ${domain}` }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const name = `_postern-challenge.${domain}`
    await dialog.getByText(name, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Copy the value' }).click()
    const value = (await page.evaluate('navigator.clipboard.readText()')) as string
    assert.match(value, /^postern-domain=/)

    publish(name, 'something else')
    await dialog.getByRole('button', { name: 'Check now' }).click()
    await dialog.getByText('The record has another value').waitFor()
    await page.keyboard.press('Escape')
    const row = page.locator('tr', { hasText: domain })
    await row.getByText('waiting for the record').waitFor()
    publish(name, value)
    await row.getByRole('button', { name: 'Check now' }).click()
    await dialog.getByText('Proven', { exact: true }).waitFor()
    await page.setViewportSize(PHONE)
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await page.keyboard.press('Escape')
    await row.getByText('proven', { exact: true }).waitFor()

    await row.getByRole('button', { name: `More for ${domain}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByText('The proof ends').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No domain yet').waitFor()
    const { body } = await admin.client.get('/v1/domains', { token: admin.token })
    assert.deepEqual(body.data, [])
    await closeCleanly(browsing)
  })
})
