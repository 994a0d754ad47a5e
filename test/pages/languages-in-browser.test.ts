import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  at,
  closeCleanly,
  inviteUnread,
  noBrowser,
  openBrowser,
  press,
  showsHeading,
} from '../support/chromium.ts'
import { overflowOf, violationsOf } from '../support/console.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

const NARROW = { width: 390, height: 844 }
const PAGES = [
  '/',
  '/sign-in',
  '/accept-invitation',
  '/magic-link',
  '/confirm-email',
  '/reset-password',
  '/nowhere',
]

describe('the pages in other languages', { skip: noBrowser }, () => {
  const server = usePostern('sqlite', { env: { CONSOLE: 'off' } })

  it('fit a telephone with every step, and are free of barriers', async () => {
    const postern = await server()
    for (const locale of ['de', 'ja']) {
      const browsing = await openBrowser({ viewport: NARROW, locale })
      const { page } = browsing
      for (const path of PAGES) {
        await page.goto(at(postern, path))
        assert.equal(await page.evaluate('document.documentElement.lang'), locale, path)
        if (['/sign-in', '/nowhere'].includes(path)) assert.deepEqual(await violationsOf(page), [], path)
        await page.evaluate(
          'for (const hidden of document.querySelectorAll("[hidden]")) if (hidden.tagName !== "INPUT") hidden.hidden = false',
        )
        assert.ok((await overflowOf(page)) <= 0, `${locale} ${path}`)
      }
      // The page of an unknown address has the status 404, which the browser logs.
      const faults = browsing.faults.filter((fault) => !/status of 404/.test(fault))
      await closeCleanly({ ...browsing, faults })
    }
  })

  it('speak as the mail does, change at their foot with what else is in the address, and the account keeps the choice', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const path = `/v1/organizations/${admin.organizationId}`
    await admin.client.patch(path, { language: 'de' }, { token: admin.token })
    const email = await inviteUnread(postern, admin)
    const browsing = await openBrowser({ viewport: NARROW, locale: 'es' })
    const { page } = browsing
    await page.goto((await postern.mailbox.next(email)).link)
    await showsHeading(page, 'Sie sind eingeladen')
    await page.getByText(/^Gültig bis \d+\. \p{L}+ \d{4}\.$/u).waitFor()
    await press(page, 'Beitreten')
    await page.getByText('Bitte prüfen Sie:').waitFor()
    await page.getByRole('link', { name: '日本語' }).click()
    await showsHeading(page, '招待が届いています')
    assert.match(page.url(), /token=.*&lang=ja$/)
    assert.equal(await page.inputValue('#sign-up-email'), email)
    await page.fill('#sign-up-lastName', '山田')
    await page.fill('#sign-up-firstName', '花子')
    await page.fill('#sign-up-password', 'password1')
    await page.check('#sign-up-termsAccepted')
    await press(page, '参加する')
    await page
      .getByRole('link', { name: 'このパスワードは広く使われています。別のパスワードを選んでください。' })
      .waitFor()
    await page.fill('#sign-up-password', PASSWORD)
    const kept = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await press(page, '参加する')
    await showsHeading(page, 'ようこそ')
    await page.locator('section:not([hidden])').getByText('メンバー').waitFor()
    const { language, firstName } = (await (await kept).json()) as Record<string, string>
    assert.deepEqual({ language, firstName }, { language: 'ja', firstName: '花子' })
    await postern.client().post('/v1/auth/forget-password', { email })
    assert.equal((await postern.mailbox.next(email)).subject, '新しいパスワードの設定')
    await closeCleanly(browsing)
  })
})
