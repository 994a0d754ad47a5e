import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Response } from 'playwright-core'
import { totpCode } from '#src/access/factors/totp.ts'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { addDevice } from '../support/authenticator.ts'
import { closeCleanly } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { authorizeRequest, consent, registerClient } from '../support/oauth.ts'
import { administrator, member } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

inConsole('second factors and applications, in the console', 'sqlite', (engine) => {
  const server = usePostern(engine)

  it('are added as an app and as a passkey, named, shown for what is dangerous, and removed', async () => {
    const postern = await server()
    const person = await administrator(postern, 'Factors')
    const browsing = await openConsole(postern, person, '/me')
    const { page } = browsing
    await addDevice(browsing)
    const dialog = page.getByRole('dialog')
    await page.getByText('No second factor yet').waitFor()
    await page.getByRole('button', { name: 'Authenticator app' }).click()
    const secret = ((await dialog.locator('.secret code').textContent()) ?? '').replaceAll(' ', '')
    assert.match(
      (await dialog.getByRole('img').locator('path').getAttribute('d')) ?? '',
      /^M[\dMhvz -]{500,}$/,
    )
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByLabel('Code', { exact: true }).fill('000000')
    await dialog.getByLabel('Name').fill('Pixel')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Wrong code').waitFor()
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret, postern.clock.now()))
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const codes = ((await dialog.locator('.secret code').textContent()) ?? '').split('\n')
    assert.equal(new Set(codes).size, 10)
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByLabel('I have saved it').check()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('10 recovery codes left').waitFor()
    await page.locator('tr', { hasText: 'Pixel' }).waitFor()

    await page.getByRole('button', { name: 'Passkey', exact: true }).click()
    await page.getByText('Passkey added').waitFor()
    await page.getByRole('button', { name: 'More for Passkey' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.locator('tr', { hasText: 'Laptop' }).waitFor()

    postern.clock.advance(11 * MINUTE)
    await page.getByRole('button', { name: 'More for Pixel' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await asked.getByLabel('Code', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await asked.getByRole('button', { name: 'Use a passkey' }).click()
    await page.locator('tr', { hasText: 'Pixel' }).waitFor({ state: 'detached' })

    // A recovery code is one as well, where the passkey is not at hand.
    postern.clock.advance(11 * MINUTE)
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await dialog.getByRole('button', { name: 'Make new codes' }).click()
    await asked.getByLabel('Recovery code').fill(codes[0] ?? '')
    await asked.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const others = ((await dialog.locator('.secret code').textContent()) ?? '').split('\n')
    assert.equal(others.length, 10)
    assert.ok(!others.some((code) => codes.includes(code)))
    await closeCleanly(browsing)
  })

  it('are required by an organization, whose members without one can add one and work on', async () => {
    const postern = await server()
    const owner = await administrator(postern, 'Careful')
    const other = await member(postern, owner)
    const browsing = await openConsole(postern, owner, '/settings')
    const { page } = browsing
    const require = async () => {
      await page.getByLabel('Required of every member').selectOption('from now on')
      await page
        .locator('form', { hasText: 'Required of every' })
        .getByRole('button', { name: 'Save' })
        .click()
    }
    await require()
    await page.getByText('You have no second factor yourself').waitFor()
    await browsing.visit('/me')
    await page.getByRole('button', { name: 'Authenticator app' }).click()
    const dialog = page.getByRole('dialog')
    const add = async (opened: typeof page, meanwhile = async () => {}) => {
      const own = opened.getByRole('dialog')
      const secret = ((await own.locator('.secret code').textContent()) ?? '').replaceAll(' ', '')
      postern.clock.advance(30 * SECOND)
      await own.getByLabel('Code', { exact: true }).fill(totpCode(secret, postern.clock.now()))
      await own.getByRole('button', { name: 'Add', exact: true }).click()
      await own.getByLabel('I have saved it').check()
      await meanwhile()
      await own.getByRole('button', { name: 'Close' }).last().click()
    }
    await add(page)
    await dialog.waitFor({ state: 'detached' })
    await browsing.visit('/settings')
    await page.getByLabel('Required of every member').selectOption('from now on')
    await page.getByLabel('Time to add one').selectOption('7 days')
    await require()
    await page.getByText('with 7 days to add one').waitFor()
    assert.deepEqual(await violationsOf(page), [])

    const theirs = await openConsole(postern, other, '/webhooks')
    await theirs.page.getByText('Without one you can work here until').waitFor()
    await theirs.page.getByText('No webhook yet').waitFor()
    assert.deepEqual(await violationsOf(theirs.page), [])
    await page.getByLabel('Time to add one').selectOption('none')
    await require()
    await page.getByText('Required since').waitFor()
    await page.getByText('with 7 days to add one').waitFor({ state: 'detached' })
    await closeCleanly(browsing)

    await theirs.goto('/webhooks')
    await theirs.page.getByText('This organization requires a second factor').first().waitFor()
    let asked = 0
    theirs.page.on('request', (request) => {
      if (request.url().includes('/v1/auth/token')) asked += 1
    })
    await theirs.visit('/me')
    await theirs.page.getByRole('button', { name: 'Authenticator app' }).click()
    // The organization was shut until now, so that the console loads anew: a visit before that would end with it.
    const loaded = theirs.page.waitForEvent('load')
    // It does so, too, where it has read the organization again before.
    const isToken = (answer: Response) => answer.url().includes('/v1/auth/token?') && answer.ok()
    await add(theirs.page, async () => {
      const opened = theirs.page.waitForResponse(isToken)
      await theirs.page.evaluate(`dispatchEvent(new Event('online'))`)
      await opened
    })
    await loaded
    await theirs.page.getByText('10 recovery codes left').waitFor()
    await theirs.visit('/webhooks')
    await theirs.page.getByText('No webhook yet').waitFor()
    assert.ok(asked < 8, `${asked} tokens asked for`)
    await theirs.close()
  })

  it('list what a person and an organization let applications do, and end it', async () => {
    const postern = await server()
    const owner = await administrator(postern, 'Granting')
    const grantTo = async (name: string) => {
      const client = await registerClient(postern, { client_name: name })
      await consent(owner, authorizeRequest(postern, client))
    }
    await grantTo('<b>Robot</b>')
    await grantTo('Reporter')
    const browsing = await openConsole(postern, owner, '/grants')
    const { page } = browsing
    const row = (name: string) => page.locator('tr', { hasText: name })
    await row('<b>Robot</b>').getByText('client.test').waitFor()
    await row('<b>Robot</b>').getByText('Ada Lovelace').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await row('<b>Robot</b>').getByRole('button', { name: 'End access' }).click()
    await page.getByRole('dialog').getByText('It can ask for access again').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click()
    await row('<b>Robot</b>').waitFor({ state: 'detached' })
    await browsing.visit('/me')
    await row('Reporter').getByText('Granting').waitFor()
    await row('Reporter').getByRole('button', { name: 'End access' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click()
    await page.getByText('No applications have access').waitFor()
    await closeCleanly(browsing)
  })
})
