import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { at, closeCleanly, landsInConsole, noBrowser, openBrowser, press } from '../support/chromium.ts'
import { membershipsOf } from '../support/invitees.ts'
import { atProvider, useSso } from '../support/sso.ts'

describe('the page for a sign-in with an organization, in a browser', { skip: noBrowser }, () => {
  const { server, acme } = useSso('sqlite')

  it('leads by the address to the provider and back, and says where there is none', async () => {
    const { postern, openId } = await server()
    const { organizationId, email: newAddress } = await acme()
    const email = newAddress()
    openId.know({ ...atProvider(email), email })
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.getByRole('link', { name: 'Sign in with your organization' }).click()
    await page.fill('#sign-in-sso-email', 'nobody@nowhere.test')
    await press(page, 'Continue')
    await page.getByText('No organization with a sign-in of its own').first().waitFor()
    await page.fill('#sign-in-sso-email', email)
    await press(page, 'Continue')
    await landsInConsole(page)
    assert.deepEqual(await membershipsOf(postern, email), [organizationId])
    await closeCleanly(browsing)
  })
})
