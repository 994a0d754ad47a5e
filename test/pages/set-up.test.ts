import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '#src/core/language.ts'
import { PAGE_MESSAGES } from '#src/messages/messages.ts'
import { at, closeCleanly, enter, noBrowser, openBrowser, showsHeading, tabTo } from '../support/chromium.ts'
import { violationsOf } from '../support/console.ts'
import { administrator } from '../support/people.ts'
import { makeSetupLink } from '../support/setup-links.ts'
import { useSso } from '../support/sso.ts'

describe('the page of a setup link', { skip: noBrowser }, () => {
  const sso = useSso('sqlite')

  it('leads a person through all of it by the keyboard, and shows no token in its address or a key twice', async () => {
    const { postern, openId } = await sso.server()
    const { secret } = await makeSetupLink(postern, await administrator(postern))
    const browsing = await openBrowser()
    const { page } = browsing
    const button = (form: string) => page.locator(`#${form} button.primary`)
    const isClean = async () => assert.deepEqual(await violationsOf(page), [])

    await page.goto(at(postern, `/set-up#${secret}`))
    await showsHeading(page, 'Set up the sign-in')
    await isClean()
    await enter(button('open-setup'))
    await showsHeading(page, 'Prove your domains')
    assert.ok(!page.url().includes(secret))

    await tabTo(page, '#check-domain-name')
    await page.keyboard.type(`it-${process.pid}.test`)
    await page.keyboard.press('Enter')
    await page.getByText('The record is not there yet.').waitFor()
    await isClean()
    const values = page.locator('[data-domains] dd code')
    sso.publish((await values.nth(1).textContent()) ?? '', (await values.nth(2).textContent()) ?? '')
    await enter(page.getByRole('button', { name: /^Check it-.* now$/ }))
    await page.locator('[data-domains] li', { hasText: 'proven' }).waitFor()

    await enter(button('leave-domains'))
    await showsHeading(page, 'Your identity provider')
    await enter(page.getByRole('link', { name: 'By SAML 2.0' }))
    await showsHeading(page, 'By SAML 2.0')
    await isClean()
    await enter(button('enter-saml'))
    await page.locator('#enter-saml .problem').waitFor()
    await page.goBack()
    await showsHeading(page, 'Your identity provider')
    await enter(page.getByRole('link', { name: 'By OpenID Connect' }))
    await showsHeading(page, 'By OpenID Connect')
    await isClean()
    const { issuer, clientId, clientSecret } = openId.oidc
    for (const [name, value] of Object.entries({ issuer, clientId, clientSecret })) {
      await tabTo(page, `[id="enter-oidc-oidc.${name}"]`)
      await page.keyboard.type(value)
    }
    await page.keyboard.press('Enter')
    await page.getByText('It was not tried yet.').waitFor()
    await isClean()

    await enter(button('leave-provider'))
    await showsHeading(page, 'Your directory')
    await enter(button('make-key'))
    const key = page.locator('[data-text="key"]')
    await key.filter({ hasText: /^psk_/ }).waitFor()
    await isClean()
    await page.reload()
    await page.getByText('A token has been made.').waitFor()
    assert.ok(!(await page.content()).includes('psk_'))
    await enter(button('leave-directory'))
    await showsHeading(page, 'Finish the setup')
    await isClean()
    await enter(button('finish-setup'))
    await showsHeading(page, 'The setup is finished')
    await page.goto(at(postern, '/set-up'))
    await showsHeading(page, 'This link cannot be used')
    await closeCleanly(browsing)
  })

  it('says in another browser that the link is open elsewhere, and speaks every language', async () => {
    const { postern } = await sso.server()
    const { secret } = await makeSetupLink(postern, await administrator(postern), { purposes: ['domains'] })
    assert.equal((await postern.client().post('/v1/setup/open', { token: secret })).status, 200)
    const browsing = await openBrowser()
    const { page } = browsing
    for (const language of LANGUAGES) {
      await page.goto(at(postern, `/set-up?lang=${language}#${secret}`))
      const { setUp } = PAGE_MESSAGES[language]
      await showsHeading(page, setUp.title)
      await enter(page.locator('#open-setup button.primary'))
      await page.getByText(setUp.elsewhere).waitFor()
    }
    await closeCleanly(browsing)
  })
})
