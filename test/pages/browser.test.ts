import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mailAbout } from '../support/attacks.ts'
import {
  at,
  type Browsing,
  closeCleanly,
  inviteUnread,
  landsInConsole,
  noBrowser,
  openBrowser,
  press,
  showsHeading,
  tabTo,
} from '../support/chromium.ts'
import { inviteByMail } from '../support/invitees.ts'
import { administrator, PASSWORD, signUpBody } from '../support/people.ts'
import { type Postern, usePostern } from '../support/postern.ts'

/** The e-mail address of the account that is signed in in a browser. */
async function signedInAs(postern: Postern, { page }: Browsing): Promise<string | undefined> {
  const answer = await page.request.get(at(postern, '/v1/auth/session'))
  return answer.ok() ? (await answer.json()).user.email : undefined
}

/** What a script would do that was fed something hostile; each is refused by the policy of the page, in Chromium. */
const ATTEMPTS = {
  markup: `document.body.innerHTML = '<b>hostile</b>'`,
  'markup beside an element': `document.body.insertAdjacentHTML('beforeend', '<b>hostile</b>')`,
  'a whole document': `document.write('<b>hostile</b>')`,
  'a frame': `document.createElement('iframe').srcdoc = '<b>hostile</b>'`,
  'the text of a script': `document.createElement('script').text = 'alert(1)'`,
  'a script of elsewhere': `document.createElement('script').src = 'https://evil.test/x.js'`,
  'a policy of its own': `trustedTypes.createPolicy('hostile', { createHTML: (text) => text })`,
}

describe('the pages in a browser', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('accept an invitation by keyboard alone', async () => {
    const postern = await server()
    const admin = await administrator(postern, 'Acme & <b>Sons</b>')
    const email = await inviteUnread(postern, admin)
    const link = (await postern.mailbox.next(email)).link
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(link)
    await page.locator('#sign-up fieldset:enabled').waitFor()
    await showsHeading(page, 'You are invited')
    assert.equal(await page.locator('[data-step="join"] li').textContent(), 'Acme & <b>Sons</b> Member')
    assert.equal(await page.inputValue('#sign-up-email'), email)
    await tabTo(page, '#sign-up-email')
    await page.keyboard.type('another@acme.test')
    assert.equal(await page.inputValue('#sign-up-email'), email, 'the address stays')
    for (const [field, text] of [
      ['firstName', 'Zoë'],
      ['lastName', "O'Neil"],
      ['password', PASSWORD],
    ]) {
      await tabTo(page, `#sign-up-${field}`)
      await page.keyboard.type(text ?? '')
    }
    await tabTo(page, '#sign-up-termsAccepted')
    await page.keyboard.press('Space')
    await tabTo(page, '#sign-up button.primary')
    assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
    await page.keyboard.press('Enter')
    await landsInConsole(page, admin.organizationId)
    await page.getByRole('button', { name: 'Acme & <b>Sons</b>' }).waitFor()
    assert.equal(await signedInAs(postern, browsing), email)
    await closeCleanly(browsing)
  })

  it('let who has an account accept an invitation by signing in, signed in before or not', async () => {
    const postern = await server()
    const [first, second] = [await administrator(postern), await administrator(postern, 'Second Org')]
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.fill('#sign-in-email', first.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await landsInConsole(page, first.organizationId)
    await postern.client().post('/v1/invitations', { email: first.email }, { token: second.token })
    await page.goto((await mailAbout(postern, first.email, /Second Org/)).link)
    await page.getByRole('link', { name: 'I already have an account' }).click()
    await page.getByText('Sign in to accept your invitation').waitFor()
    assert.equal(await page.inputValue('#sign-in-email'), first.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await landsInConsole(page)
    await page.goto(at(postern, '/sign-in'))
    await page.locator('[data-step="signed-in"] li', { hasText: 'Second Org' }).waitFor()
    await closeCleanly(browsing)
  })

  it('sign in with a password, show who is signed in, and sign out', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/'))
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', 'not the password')
    await press(page, 'Sign in')
    await page.getByText('Wrong address or password').waitFor()
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await landsInConsole(page)
    assert.equal(await signedInAs(postern, browsing), email)
    await page.goto(at(postern, '/'))
    await page.getByRole('link', { name: 'Open the console' }).click()
    await landsInConsole(page)
    await page.goto(at(postern, '/sign-in'))
    await showsHeading(page, 'You are signed in')
    await press(page, 'Sign out')
    await page.locator('#sign-in fieldset:enabled').waitFor()
    await showsHeading(page, 'Sign in')
    assert.equal(await signedInAs(postern, browsing), undefined)
    await closeCleanly(browsing)
  })

  it('lead from a forgotten password to a new one, once', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.fill('#sign-in-email', email)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    assert.equal(await page.inputValue('#forgot-password-email'), email, 'typed once')
    await press(page, 'E-mail me a link')
    await page.getByText(`If ${email} has an account`).waitFor()
    const { link } = await mailAbout(postern, email, /new password/)
    await page.goto(link)
    await page.fill('#reset-password-newPassword', 'another horse 8 battery')
    await press(page, 'Change password')
    await showsHeading(page, 'Password changed')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', 'another horse 8 battery')
    await press(page, 'Sign in')
    await landsInConsole(page)
    await page.goto(link)
    await page.fill('#reset-password-newPassword', 'a third horse 9 battery')
    await press(page, 'Change password')
    await showsHeading(page, 'This link cannot be used')
    await page.getByRole('link', { name: 'Ask for a new link' }).click()
    await showsHeading(page, 'Forgot your password?')
    await closeCleanly(browsing)
  })

  it('sign in with a mailed link in the browser that asked, or with its code there', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    for (const how of ['link', 'code'] as const) {
      const browsing = await openBrowser()
      const { page } = browsing
      await page.goto(at(postern, '/sign-in'))
      await page.getByRole('link', { name: 'E-mail me a link' }).click()
      await page.fill('#ask-link-email', email)
      await press(page, 'E-mail me a link')
      await page.getByText(`If ${email} has an account`).waitFor()
      // The link back to the form works although the page has its address already.
      await page.getByRole('link', { name: 'Use another address' }).click()
      await press(page, 'E-mail me a link')
      await mailAbout(postern, email, /sign-in link/)
      const { link, code } = await mailAbout(postern, email, /sign-in link/)
      if (how === 'link') await page.goto(link)
      else await page.fill('#type-code-code', ` ${code.toLowerCase()} `)
      await press(page, 'Sign in')
      await landsInConsole(page)
      assert.equal(await signedInAs(postern, browsing), email)
      await closeCleanly(browsing)
    }
  })

  it('lead back to where one came from by a mailed link too, and nowhere that is not ours', async () => {
    const postern = await server()
    const { email, organizationId } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    const path = `/console/${organizationId}/deliveries?status=failed`
    await page.goto(at(postern, path))
    await page.waitForURL(/\/sign-in\?back=/)
    await page.getByRole('link', { name: 'E-mail me a link' }).click()
    await page.fill('#ask-link-email', email)
    await press(page, 'E-mail me a link')
    const { link } = await mailAbout(postern, email, /sign-in link/)
    const other = await page.context().newPage()
    await other.goto(link)
    await press(other, 'Sign in')
    await other.waitForURL(at(postern, path))
    for (const back of [
      'https://evil.test/console/',
      '\\\\evil.test/console',
      '/\t/evil.test/console',
      'javascript:alert(1)//console',
      '/console/../v1/auth/sign-out',
    ]) {
      await page.context().clearCookies()
      await page.goto(at(postern, `/sign-in?${new URLSearchParams({ back })}`))
      await page.fill('#sign-in-email', email)
      await page.fill('#sign-in-password', PASSWORD)
      await press(page, 'Sign in')
      await landsInConsole(page, organizationId)
    }
    await closeCleanly(browsing)
  })

  it('ask for the code where a mailed link is opened in another browser, and go where it was asked to', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const callbackURL = at(postern, '/checkout?id=none')
    assert.equal((await postern.client().post('/v1/auth/magic-link', { email, callbackURL })).status, 200)
    const { link, code } = await mailAbout(postern, email, /sign-in link/)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(link)
    await press(page, 'Sign in')
    await showsHeading(page, 'Enter the code')
    assert.equal(await signedInAs(postern, browsing), undefined)
    await page.fill('#type-code-code', 'ZZZZZZZZ')
    await press(page, 'Sign in')
    await page.getByText('The code is wrong or has expired').waitFor()
    await page.fill('#type-code-code', code)
    await press(page, 'Sign in')
    await page.waitForURL(callbackURL)
    assert.equal(await signedInAs(postern, browsing), email)
    await closeCleanly(browsing)
  })

  it('let no script turn text into markup or code, or load one from elsewhere', async () => {
    const postern = await server()
    const browsing = await openBrowser()
    const { page, faults } = browsing
    for (const path of [
      '/',
      '/sign-in',
      '/accept-invitation?token=x',
      '/confirm-email?token=x',
      '/reset-password?token=x',
      '/magic-link?token=x',
      '/checkout',
    ]) {
      await page.goto(at(postern, path))
      for (const [what, attempt] of Object.entries(ATTEMPTS)) {
        const outcome = await page.evaluate(
          `(() => { try { ${attempt}; return 'done' } catch (e) { return e.name } })()`,
        )
        assert.equal(outcome, 'TypeError', `${what} at ${path}`)
      }
    }
    assert.ok(
      faults.some((fault) => /TrustedHTML/.test(fault)),
      faults.join('\n'),
    )
    await browsing.close()
  })

  it('complete a sign-up in the browser that signed up when its address is confirmed', async () => {
    const postern = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const browsing = await openBrowser()
    const { page } = browsing
    const data = signUpBody(email)
    const answer = await page.request.post(at(postern, '/v1/auth/sign-up/email'), { data })
    assert.equal(answer.status(), 201)
    await page.goto((await postern.mailbox.next(email)).link)
    await press(page, 'Confirm the address')
    await landsInConsole(page)
    assert.equal(await signedInAs(postern, browsing), email)
    await closeCleanly(browsing)
  })

  it('ask for the password where an address is confirmed in another browser', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    assert.equal((await postern.client().post('/v1/auth/sign-up/email', signUpBody(email))).status, 201)
    const browsing = await openBrowser()
    const { page } = browsing
    const { link } = await postern.mailbox.next(email)
    await page.goto(link)
    await press(page, 'Confirm the address')
    await showsHeading(page, 'Enter your password')
    assert.equal(await signedInAs(postern, browsing), undefined)
    await page.fill('#type-password-password', 'never chosen by anybody')
    await press(page, 'Confirm the address')
    await page.locator('#type-password-password-error', { hasText: 'not the password you chose' }).waitFor()
    await page.fill('#type-password-password', PASSWORD)
    await press(page, 'Confirm the address')
    await landsInConsole(page, admin.organizationId)
    assert.equal(await signedInAs(postern, browsing), email)
    await page.goto(link)
    await press(page, 'Confirm the address')
    await showsHeading(page, 'This link cannot be used')
    await closeCleanly(browsing)
  })
})
