import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpCode } from '#src/access/factors/totp.ts'
import { SECOND } from '#src/core/clock.ts'
import { at, closeCleanly, noBrowser, openBrowser, press, showsHeading } from '../support/chromium.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

describe('the pages for second factors', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('add an authenticator app, ask for its code at the sign-in, and take a recovery code in its place', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/security'))
    await showsHeading(page, 'Sign in first')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await showsHeading(page, 'Your second factors')
    await press(page, 'Add an authenticator app')
    await showsHeading(page, 'Add an authenticator app')
    const drawn = await page.locator('svg.qr path').getAttribute('d')
    assert.ok((drawn?.match(/h1v1/g)?.length ?? 0) > 300, 'a QR code is drawn')
    const secret = ((await page.locator('code.secret').textContent()) ?? '').replaceAll(' ', '')
    const code = () => {
      postern.clock.advance(30 * SECOND)
      return totpCode(secret, postern.clock.now())
    }
    await page.fill('#confirm-totp-totp', '000000')
    await press(page, 'Add')
    await page.locator('#confirm-totp .problem', { hasText: 'did not match' }).waitFor()
    await page.fill('#confirm-totp-totp', code())
    await press(page, 'Add')
    await showsHeading(page, 'Keep these recovery codes')
    const codes = await page.locator('.codes li').allInnerTexts()
    assert.equal(codes.length, 10)
    await press(page, 'I have kept them')
    await page.locator('.factors li', { hasText: 'Authenticator app' }).waitFor()

    for (const [field, proof] of [
      ['#show-totp-totp', code],
      ['#show-recovery-recoveryCode', () => codes[0] ?? ''],
    ] as const) {
      await page.context().clearCookies()
      await page.goto(at(postern, '/sign-in?back=/security'))
      await page.fill('#sign-in-email', email)
      await page.fill('#sign-in-password', PASSWORD)
      await press(page, 'Sign in')
      await showsHeading(page, 'Show your second factor')
      if (field !== '#show-totp-totp') await page.getByRole('link', { name: 'Use a recovery code' }).click()
      await page.fill(field, proof())
      await press(page, 'Sign in')
      await showsHeading(page, 'Your second factors')
    }

    postern.clock.advance(11 * 60 * SECOND)
    await page.getByRole('button', { name: 'Remove Authenticator app' }).click()
    await press(page, 'Remove')
    await showsHeading(page, 'Show your second factor')
    await page.fill('#step-up-shown', code())
    await press(page, 'Continue')
    await showsHeading(page, 'Your second factors')
    assert.equal(await page.locator('.factors li').count(), 0)
    await closeCleanly(browsing)
  })
})
