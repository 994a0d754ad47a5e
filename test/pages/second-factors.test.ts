import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpCode } from '#src/access/factors/totp.ts'
import { DAY, SECOND, systemClock, toIso } from '#src/core/clock.ts'
import { at, closeCleanly, noBrowser, openBrowser, press, showsHeading } from '../support/chromium.ts'
import { violationsOf } from '../support/console.ts'
import { enrolTotp } from '../support/factors.ts'
import { administrator, member, PASSWORD, tokenOf } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

describe('the pages for second factors', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('ask at the sign-in for the factor that an organization requires: until the day that it names it can be put off', async () => {
    const postern = await server()
    const admin = await administrator(postern, 'Careful')
    const { code } = await enrolTotp(postern, admin)
    const { email } = await member(postern, admin)
    await admin.client.post('/v1/auth/step-up', { code: code() })
    const token = await tokenOf(admin.client, admin.organizationId)
    const demand = { secondFactorRequiredFrom: toIso(systemClock.now()), secondFactorGraceMs: 7 * DAY }
    const set = (body: object) =>
      postern.client().patch(`/v1/organizations/${admin.organizationId}`, body, { token })
    assert.equal((await set(demand)).status, 200)
    const browsing = await openBrowser()
    const { page } = browsing
    const signIn = async () => {
      await page.context().clearCookies()
      await page.goto(at(postern, '/sign-in?back=/device'))
      await page.fill('#sign-in-email', email)
      await page.fill('#sign-in-password', PASSWORD)
      await press(page, 'Sign in')
      await showsHeading(page, 'Add a second factor')
    }
    await signIn()
    await page.locator('li', { hasText: 'Careful required from' }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('button', { name: 'Later' }).click()
    await page.waitForURL('**/device')

    assert.equal((await set({ secondFactorGraceMs: 0 })).status, 200)
    await signIn()
    await page.locator('li', { hasText: 'Careful required now' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Later' }).isVisible(), false)
    await page.getByRole('link', { name: 'Add one now' }).click()
    await press(page, 'Add an authenticator app')
    await showsHeading(page, 'Add an authenticator app')
    const secret = ((await page.locator('code.secret').textContent()) ?? '').replaceAll(' ', '')
    await page.fill('#confirm-totp-totp', totpCode(secret, postern.clock.now()))
    await press(page, 'Add')
    await showsHeading(page, 'Keep these recovery codes')
    await press(page, 'I have kept them')
    await page.waitForURL('**/device')
    await closeCleanly(browsing)
  })

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
