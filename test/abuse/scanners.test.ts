import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askMagicLink, askReset, assertError, mailAbout, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { noBrowser, openBrowser, press, showsHeading } from '../support/chromium.ts'
import { accountOf, inviteByMail, mailsAreResolved, mailsTo } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'

const VERIFY = '/v1/auth/magic-link/verify'
const PAGES = [
  '/accept-invitation',
  '/first-start',
  '/confirm-email',
  '/reset-password',
  '/change-email',
  '/magic-link',
  VERIFY,
  '/sign-in',
  '/',
]

/** One live secret of each kind from the link of a mail, and its owner. */
async function liveLinks(postern: Postern) {
  const admin = await administrator(postern)
  const invited = await inviteByMail(postern, admin)
  const unproven = await inviteByMail(postern, admin)
  assert.equal(
    (await postern.client().post('/v1/auth/sign-up/email', signUpBody(unproven.email))).status,
    201,
  )
  const confirmation = (await mailAbout(postern, unproven.email, /Confirm/)).token
  const reset = await askReset(postern, admin.email)
  const magic = await askMagicLink(postern, admin.email)
  const tokens = { invitation: invited.token, confirmation, reset, magic: magic.token }
  return { admin, invited, unproven, magic, tokens }
}

/** Sends the request of each page's button, and asserts that it still works. */
async function useAll(postern: Postern, links: Awaited<ReturnType<typeof liveLinks>>): Promise<void> {
  const { admin, invited, tokens, magic } = links
  const body = signUpBody(invited.email, { invitationToken: tokens.invitation })
  assert.equal((await postern.client().post('/v1/auth/sign-up/email', body)).status, 201)
  const confirmed = await postern
    .client()
    .post('/v1/auth/verify-email', { token: tokens.confirmation, password: PASSWORD })
  assert.equal(confirmed.status, 200, confirmed.text)
  const signedIn = await magic.client.post(VERIFY, { token: tokens.magic })
  assert.equal(signedIn.status, 200, signedIn.text)
  const newPassword = 'another horse 8 battery'
  const changed = await postern.client().post('/v1/auth/reset-password', { token: tokens.reset, newPassword })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await signIn(postern.client(), admin.email, newPassword)).status, 200)
}

async function isSignedIn(client: Client): Promise<boolean> {
  return (await client.get('/v1/auth/session')).status === 200
}

onOneEngineByDay('scanners of mails', (engine) => {
  const server = usePostern(engine)

  it('54: a link leaks nowhere: not to other sites, not into logs, errors or the audit log', async (t) => {
    const postern = await server()
    const links = await liveLinks(postern)
    const { admin, magic } = links
    const secrets = Object.values({ ...links.tokens, code: magic.code })
    const seen: string[] = []
    const client = postern.client()
    for (const token of secrets) {
      for (const path of [...PAGES, '/nowhere', '/v1/invitations/preview', '/v1/auth/reset-password']) {
        for (const method of ['GET', 'HEAD', 'OPTIONS']) {
          const answer = await client.call(`${path}?token=${token}`, { method })
          assert.equal(answer.headers.get('referrer-policy'), 'no-referrer', `${method} ${path}`)
          assert.equal(answer.headers.get('location'), null)
          seen.push(answer.text, JSON.stringify([...answer.headers]))
        }
      }
      // Each secret in the place of another one, altered, and together with an error.
      for (const [path, body] of [
        ['/v1/auth/reset-password', { token, newPassword: 'short' }],
        ['/v1/auth/reset-password', { token: `${token}x`, newPassword: PASSWORD }],
        ['/v1/auth/reset-password', { token: [token], newPassword: PASSWORD }],
        ['/v1/auth/verify-email', { token: `${token}x` }],
        ['/v1/auth/verify-email', { token: { token } }],
        ['/v1/auth/verify-email', { [token]: token }],
        ['/v1/auth/sign-up/email', signUpBody('x', { invitationToken: token })],
        [VERIFY, { token: 1, code: token.repeat(20) }],
        [VERIFY, `{"token":"${token}"`],
      ] as const) {
        const answer = await client.post(path, body, { headers: { 'content-type': 'application/json' } })
        assert.ok(answer.status >= 400, answer.text)
        // The name of an unknown member is the caller's own; its value is not repeated.
        if (!(token in Object(body))) seen.push(answer.text)
      }
    }
    await useAll(postern, links)
    const session = await signIn(postern.client(), admin.email, 'another horse 8 battery')
    assert.equal(session.status, 200)
    const audit = await postern.app.database.db.selectFrom('audit').selectAll().execute()
    seen.push(postern.log(), JSON.stringify(audit))
    for (const text of seen) for (const secret of secrets) assert.ok(!text.includes(secret))
    if (noBrowser) return t.diagnostic(noBrowser)

    // The headers that a browser adds while a page with a token is open.
    const token = (await askMagicLink(postern, admin.email)).token
    const { page, faults, close } = await openBrowser()
    const referers: string[] = []
    const elsewhere: string[] = []
    const origin = `http://localhost:${postern.env.PORT}`
    page.on('request', (request) => {
      referers.push(request.headers().referer ?? '')
      if (!request.url().startsWith(`${origin}/`)) elsewhere.push(request.url())
    })
    await page.goto(`${origin}/magic-link?token=${token}`)
    await press(page, 'Sign in')
    await showsHeading(page, 'Enter the code')
    await page.getByRole('link', { name: 'ask for a new one' }).click()
    await showsHeading(page, 'Sign in without a password')
    assert.equal(await page.evaluate('document.referrer'), '')
    assert.ok(referers.length > 5)
    assert.deepEqual(new Set(referers), new Set(['']))
    assert.deepEqual([elsewhere, faults], [[], []])
    await close()
    assert.ok(!postern.log().includes(token))
  })

  it('55: opening a link, in any way and any number of times, uses nothing up', async (t) => {
    const postern = await server()
    const links = await liveLinks(postern)
    const scanner = postern.client()
    const ways: { method: string; headers?: Record<string, string> }[] = [
      { method: 'HEAD' },
      { method: 'GET' },
      { method: 'GET', headers: { 'user-agent': 'Mozilla/5.0 (compatible; SafeLinks)', accept: '*/*' } },
      { method: 'GET', headers: { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' } },
      { method: 'GET', headers: { 'x-forwarded-for': '203.0.113.9' } },
      ...Array.from({ length: 50 }, () => ({ method: 'GET' })),
    ]
    for (const [kind, token] of Object.entries(links.tokens)) {
      for (const way of ways) {
        const path = PAGES[ways.indexOf(way) % PAGES.length] as string
        const answer = await scanner.call(`${path}?token=${token}`, way)
        assert.equal(answer.status, 200, kind)
      }
      await scanner.get(`/v1/invitations/preview?token=${token}`)
    }
    assert.equal(scanner.cookies.size, 0)
    if (noBrowser) t.diagnostic(noBrowser)
    else {
      // A scanner that runs the scripts of pages.
      const { page, close } = await openBrowser()
      const sent: string[] = []
      page.on('request', (request) => void (request.method() !== 'GET' && sent.push(request.url())))
      const paths = ['/accept-invitation', '/confirm-email', '/reset-password', '/magic-link']
      for (const [index, token] of Object.values(links.tokens).entries()) {
        await page.goto(`http://localhost:${postern.env.PORT}${paths[index]}?token=${token}`)
        await page.locator('section:not([hidden]) fieldset:enabled').first().waitFor()
      }
      assert.deepEqual(sent, [])
      assert.deepEqual(await page.context().cookies(), [])
      await close()
    }
    await useAll(postern, links)
  })

  it('56: a scanner that also presses the button, in another browser, is asked for the code', async (t) => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client, token } = await askMagicLink(postern, email)
    const scanner = postern.client()
    await scanner.get(`/magic-link?token=${token}`)
    for (const body of [
      { token },
      { token, code: '' },
      { token, email },
      { token, email, code: 'ABCD2345' },
    ]) {
      const answer = await scanner.post(VERIFY, body)
      assert.ok(answer.status === 401 || answer.status === 400, answer.text)
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assertError(await scanner.post(VERIFY, `token=${token}`, { headers: form }), 'UNAUTHORIZED')
    const forged = { cookie: `binding=${token}` }
    assertError(await scanner.post(VERIFY, { token }, { headers: forged }), 'UNAUTHORIZED')
    assert.equal(await isSignedIn(scanner), false)
    if (noBrowser) t.diagnostic(noBrowser)
    else {
      const { page, close } = await openBrowser()
      await page.goto(`http://localhost:${postern.env.PORT}/magic-link?token=${token}`)
      await press(page, 'Sign in')
      await showsHeading(page, 'Enter the code')
      // The scanner presses all buttons.
      await press(page, 'Sign in')
      await page.getByText('Please check').waitFor()
      assert.deepEqual(await page.context().cookies(), [])
      await close()
    }
    const answer = await client.post(VERIFY, { token })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await isSignedIn(client), true)
  })

  it('57: a link that an attacker requested does not sign the attacker in', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client: attacker, token, code } = await askMagicLink(postern, email)
    const victim = postern.client()
    await victim.get(`/magic-link?token=${token}`)
    assertError(await victim.post(VERIFY, { token }), 'UNAUTHORIZED')
    assert.equal(await isSignedIn(attacker), false)
    // The attacker knows the address, and has the cookie of the requesting browser.
    for (const body of [{ email }, { email, code: 'ABCD2345' }, { token: 'x', code }, { code }]) {
      assert.ok((await attacker.post(VERIFY, body)).status >= 400)
    }
    const answer = await victim.post(VERIFY, { token, code })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.user.email, email)
    assert.equal(await isSignedIn(victim), true)
    assert.equal(await isSignedIn(attacker), false)
    assertError(await attacker.post(VERIFY, { email, code }), 'UNAUTHORIZED')
    assertError(await attacker.post(VERIFY, { token }), 'UNAUTHORIZED')
  })

  it('58: a magic link for an address without an invitation sends no mail', async () => {
    const postern = await server()
    const known = await administrator(postern)
    const stranger = newEmail('stranger')
    const client = postern.client()
    const answer = await client.post('/v1/auth/magic-link', { email: stranger })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { status: true })
    await mailsAreResolved(postern, known)
    assert.deepEqual(await mailsTo(postern, stranger), [])
    assert.ok(!postern.mailbox.recipients.includes(stranger))
    assert.equal(await accountOf(postern, stranger), undefined)
    assertError(await client.post(VERIFY, { email: stranger, code: 'ABCD2345' }), 'UNAUTHORIZED')
  })
})
