import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { at, closeCleanly, noBrowser, openBrowser, press, showsHeading, tabTo } from '../support/chromium.ts'
import { violationsOf } from '../support/console.ts'
import { askByDevice, authorizeRequest, registerClient } from '../support/oauth.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

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
})
