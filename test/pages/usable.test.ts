import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import {
  at,
  closeCleanly,
  inviteUnread,
  landsInConsole,
  noBrowser,
  openBrowser,
  press,
  showsHeading,
} from '../support/chromium.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { startPostern, usePostern } from '../support/postern.ts'

const PAGES = [
  '/',
  '/accept-invitation',
  '/confirm-email',
  '/reset-password',
  '/magic-link',
  '/sign-in',
  '/security',
  '/checkout',
  '/set-up',
]

/**
 * Texts of the page whose contrast with their background is below WCAG 2.2 AA (1.4.3), in the visible step and in
 * all others.
 */
const POOR_CONTRAST = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [r, g, b]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = (element) => {
    const color = numbers(getComputedStyle(element).backgroundColor)
    return color[3] === 0 && element.parentElement ? behind(element.parentElement) : color
  }
  for (const hidden of document.querySelectorAll('[hidden]')) hidden.hidden = false
  return [...document.body.querySelectorAll('*')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
    .filter((element) => getComputedStyle(element).visibility === 'visible' && element.tagName !== 'NOSCRIPT')
    .filter((element) => {
      const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x)
      return (a + 0.05) / (b + 0.05) < 4.5
    })
    .map((element) => element.outerHTML)
})()`

describe('the pages for every person', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('show nothing of an element that is hidden, whatever it is', async () => {
    const postern = await server()
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    const shown = await page.evaluate(`[...document.querySelectorAll('body *')].filter((element) => {
      element.hidden = true
      return getComputedStyle(element).display !== 'none'
    }).map((element) => element.outerHTML)`)
    assert.deepEqual(shown, [])
    await closeCleanly(browsing)
  })

  it('say what is wrong at the form and at its fields, and put the focus there', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = await inviteUnread(postern, admin)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto((await postern.mailbox.next(email)).link)
    await press(page, 'Join')
    const summary = page.locator('#sign-up .problem')
    await summary.waitFor()
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'alert')
    assert.equal(await summary.locator('li').count(), 4)
    await summary.getByRole('link', { name: 'Enter your first name.' }).click()
    assert.equal(await page.evaluate('document.activeElement.name'), 'firstName')
    await page.fill('#sign-up-firstName', 'Ada')
    await page.fill('#sign-up-lastName', 'Lovelace')
    await page.check('#sign-up-termsAccepted')
    for (const [password, words] of [
      ['seven77', /8 to 256/],
      ['password1', /too common/],
      ['x'.repeat(257), /8 to 256/],
    ] as const) {
      await page.fill('#sign-up-password', password)
      await press(page, 'Join')
      await page.locator('#sign-up-password-error', { hasText: words }).waitFor()
      const described = await page.getAttribute('#sign-up-password', 'aria-describedby')
      assert.ok(described?.split(' ').includes('sign-up-password-error'))
      assert.equal(await page.getAttribute('#sign-up-password', 'aria-invalid'), 'true')
      assert.equal(await page.getAttribute('#sign-up-firstName', 'aria-invalid'), null)
    }
    await page.getByRole('button', { name: 'Show password' }).click()
    assert.equal(await page.getAttribute('#sign-up-password', 'type'), 'text')
    await page.fill('#sign-up-password', PASSWORD)
    await press(page, 'Join')
    await landsInConsole(page, admin.organizationId)
    await closeCleanly(browsing)
  })

  it('say how a checkout goes on, and take nothing of the address for more than text', async () => {
    const postern = await server()
    const browsing = await openBrowser()
    const { page } = browsing
    const { organizationId } = await administrator(postern, 'Checkout of <img src=x>')
    const now = postern.clock.now()
    const id = newId('checkout', now)
    const row = {
      id,
      organization_id: organizationId as Id<'organization'>,
      credits: 1,
      plan: null,
      amount: 100,
      currency: 'eur',
      provider: 'manual',
      provider_reference: null,
      url: '',
      status: 'open',
      created_by: null,
      created_at: now,
      expires_at: now + DAY,
      paid_at: null,
      closing: 0,
    } as const
    await postern.app.database.tx((tx) => tx.insertInto('checkout').values(row).execute())
    for (const [query, heading] of [
      [`id=${id}`, 'Order received'],
      [`id=${id}&state=completed`, 'Thank you'],
      [`id=${id}&state=cancelled`, 'Nothing was paid'],
      [`id=${id}&state=constructor`, 'Order received'],
    ] as const) {
      await page.goto(at(postern, `/checkout?${query}`))
      await showsHeading(page, heading)
      await page.getByText(id).first().waitFor()
      // The page names the organization that the order is for.
      const number = page.locator('[data-step]:not([hidden]) p.quiet')
      assert.equal(await number.textContent(), `Checkout of Checkout of <img src=x>: ${id}`)
    }
    for (const query of [
      '',
      `id=${newId('checkout', now)}`,
      `id=${newId('checkout', now)}&state=completed`,
    ]) {
      await page.goto(at(postern, `/checkout?${query}`))
      await showsHeading(page, 'Order not found')
    }
    await page.goto(at(postern, '/checkout?id=%3Cimg%20src=x%3E'))
    await showsHeading(page, 'Order not found')
    assert.doesNotMatch(await page.locator('main').innerHTML(), /<img|&lt;img/)
    await closeCleanly(browsing)
  })

  it('say kindly that a link is dead or incomplete', async () => {
    const postern = await server()
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/accept-invitation?token=unknown'))
    await showsHeading(page, 'This invitation cannot be used')
    for (const path of ['/accept-invitation', '/confirm-email', '/reset-password', '/magic-link?token=']) {
      await page.goto(at(postern, path))
      await page.getByRole('heading', { name: 'cannot be used' }).waitFor()
    }
    await closeCleanly(browsing)
  })

  it('never show or run what the query says', async () => {
    const postern = await server()
    const browsing = await openBrowser()
    const { page } = browsing
    page.on('dialog', () => assert.fail('a script of the query ran'))
    for (const path of ['accept-invitation', 'confirm-email', 'reset-password', 'magic-link', 'sign-in']) {
      for (const text of [
        '"><img src=x onerror=alert(1)>',
        'javascript:alert(1)',
        '</script><script>alert(1)</script>',
      ]) {
        const query = new URLSearchParams({ token: text, error: text, done: text, invitation: text })
        await page.goto(at(postern, `/${path}?${query}#"><img src=x onerror=alert(1)>`))
        await page.locator('section:not([hidden]) h1').waitFor()
        assert.equal(await page.locator('img[src="x"]').count(), 0)
        assert.ok(!(await page.textContent('main'))?.includes('alert'))
      }
    }
    await closeCleanly(browsing)
  })

  it('can be read at 320 pixels and in the dark, without scrolling sideways', async () => {
    const postern = await server()
    for (const colorScheme of ['light', 'dark'] as const) {
      const browsing = await openBrowser({ colorScheme, viewport: { width: 320, height: 640 } })
      const { page } = browsing
      for (const path of PAGES) {
        await page.goto(at(postern, path))
        assert.deepEqual(await page.evaluate(POOR_CONTRAST), [], `${path} ${colorScheme}`)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path)
      }
      await closeCleanly(browsing)
    }
  })

  it('name the wait when there were too many tries', async (t) => {
    const LIMITS = JSON.stringify({ signInPerIp: { max: 1, windowMs: 120_000 } })
    const postern = await startPostern('sqlite', { env: { LIMITS } })
    t.after(() => postern.stop())
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.fill('#sign-in-email', 'ada@acme.test')
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.getByText('Wrong address or password').waitFor()
    await press(page, 'Sign in')
    await page.getByText('Too many tries for now. Try again in 2 minutes.').waitFor()
    await closeCleanly(browsing)
  })

  it('say that they need scripts where there are none, and then send nothing that is typed', async () => {
    const postern = await server()
    const browsing = await openBrowser({ javaScriptEnabled: false })
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.locator('noscript p').waitFor()
    assert.equal(await page.locator('#sign-in-password').isDisabled(), true)
    await closeCleanly(browsing)
  })

  it('lead an invited person through an identity provider and back', async (t) => {
    const provider = await startOpenIdProvider()
    t.after(() => provider.stop())
    const postern = await startPostern('sqlite', { env: provider.env('GOOGLE') })
    t.after(() => postern.stop())
    const admin = await administrator(postern, 'Acme')
    const email = await inviteUnread(postern, admin)
    const { link } = await postern.mailbox.next(email)
    const ada = {
      sub: 'ada',
      email,
      email_verified: true,
      hd: 'acme.test',
      given_name: 'Ada',
      family_name: 'Lovelace',
    }
    const known = await postern.client().post('/v1/auth/sign-in/social', {
      provider: 'google',
      callbackURL: at(postern, '/sign-in'),
    })
    await provider.signIn(known.body.authUrl, ada)
    const browsing = await openBrowser()
    const { page } = browsing
    // The person picks their account at the provider.
    let account = 'ada'
    await page.route(`${provider.issuer}/auth?*`, (route) =>
      route.continue({ url: `${route.request().url()}&prompt=login&login_hint=${account}` }),
    )
    await page.goto(link)
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await landsInConsole(page, admin.organizationId)
    await page.goto(at(postern, '/sign-in'))
    await showsHeading(page, 'You are signed in')
    assert.equal(await page.locator('[data-step="signed-in"] li strong').textContent(), 'Acme')
    assert.equal(page.url(), at(postern, '/sign-in'))
    await press(page, 'Sign out')
    await page.locator('#sign-in fieldset:enabled').waitFor()
    // Another person without an invitation.
    await provider.signIn(known.body.authUrl, { ...ada, sub: 'eve', email: 'eve@acme.test' })
    account = 'eve'
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await page.getByText('That account has no open invitation').waitFor()
    await closeCleanly(browsing)
  })
})
