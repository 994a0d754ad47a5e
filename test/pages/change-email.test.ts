import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mailAbout } from '../support/attacks.ts'
import { at, closeCleanly, noBrowser, openBrowser, press, showsHeading, tabTo } from '../support/chromium.ts'
import { violationsOf } from '../support/console.ts'
import { accountOf } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

describe('the pages of a change of address and of a sign-out', { skip: noBrowser }, () => {
  const server = usePostern('sqlite')

  it('take the press of a button, by keyboard alone, and lead through the sign-in', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const to = newEmail('new')
    assert.equal((await person.client.post('/v1/auth/change-email', { newEmail: to })).status, 200)
    const links = [
      await mailAbout(postern, to, /^Confirm/),
      await mailAbout(postern, person.email, /^Approve/),
    ]
    const [proof = '', approval = ''] = links.map(({ link }) => {
      const { pathname, search } = new URL(link)
      return at(postern, `${pathname}${search}`)
    })
    const browsing = await openBrowser()
    const { page } = browsing
    const agree = async () => {
      await tabTo(page, '#agree button.primary')
      await page.keyboard.press('Enter')
    }
    await page.goto(proof)
    await showsHeading(page, 'Change your e-mail address')
    assert.deepEqual(await violationsOf(page), [])
    await agree()
    await showsHeading(page, 'Sign in first')
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.fill('#sign-in-email', person.email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.waitForURL(/\/console/)
    await page.goto(proof)
    await agree()
    await showsHeading(page, 'Agreed')
    assert.deepEqual(await violationsOf(page), [])
    await page.goto(approval)
    await agree()
    await showsHeading(page, 'Address changed')
    assert.deepEqual(await violationsOf(page), [])
    assert.equal((await accountOf(postern, to))?.id, person.accountId)
    await page.goto(approval)
    await tabTo(page, '#refuse button.primary')
    await page.keyboard.press('Enter')
    await showsHeading(page, 'This link cannot be used')
    await browsing.close()
  })

  it('ask whether to sign out, and say that it is done', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/sign-in'))
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.waitForURL(/\/console/)
    await page.goto(at(postern, '/oauth/logout'))
    await showsHeading(page, 'Sign out')
    assert.deepEqual(await violationsOf(page), [])
    await tabTo(page, '#sign-out button.primary')
    await page.keyboard.press('Enter')
    await showsHeading(page, 'You are signed out')
    assert.deepEqual(await violationsOf(page), [])
    await closeCleanly(browsing)
  })
})
