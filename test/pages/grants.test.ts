import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { MINUTE } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { at, closeCleanly, noBrowser, openBrowser, press, showsHeading, tabTo } from '../support/chromium.ts'
import { violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import { askByDevice, authorizeRequest, REDIRECT_URI, registerClient } from '../support/oauth.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'

describe('the pages on which a person grants something', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('lead through the sign-in, by keyboard alone: a device by its code, and an application', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const asked = await askByDevice(postern, CLI_CLIENT)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, `/device?user_code=${asked.user_code}`))
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await showsHeading(page, 'Connect a device')
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, '#device button.primary')
    await page.keyboard.press('Enter')
    await showsHeading(page, 'Is this your device?')
    await page.locator('strong.code', { hasText: asked.user_code }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, '#consent button.primary')
    await page.keyboard.press('Enter')
    await showsHeading(page, 'The device is connected')
    assert.deepEqual(await violationsOf(page), [])

    const request = authorizeRequest(postern, await registerClient(postern))
    await page.goto(at(postern, request.path))
    await showsHeading(page, 'Connect an application')
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, '#refuse button.primary')
    await closeCleanly(browsing)
  })

  it('show a second factor first where what is granted asks for it, and come back', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    const browsing = await openBrowser()
    const { page } = browsing
    const request = authorizeRequest(postern, await registerClient(postern), { scope: 'members:write' })
    await page.goto(at(postern, request.path))
    await page.fill('#sign-in-email', person.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.fill('#show-totp-totp', code())
    await press(page, 'Sign in')
    await showsHeading(page, 'Connect an application')
    postern.clock.advance(LIFETIME.stepUp + MINUTE)
    await tabTo(page, '#consent button.primary')
    await page.keyboard.press('Enter')
    const shown = page.locator('#step-up-shown')
    await shown.waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await shown.fill(code())
    await page.keyboard.press('Enter')
    await showsHeading(page, 'Connect an application')
    await tabTo(page, '#consent button.primary')
    const left = page.waitForRequest((one) => one.url().startsWith(REDIRECT_URI))
    await page.keyboard.press('Enter')
    assert.match((await within('the way back to the application', left)).url(), /[?&]code=/)
    await browsing.close()
  })
})
