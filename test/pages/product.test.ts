import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { at, closeCleanly, landsInConsole, noBrowser, openBrowser, press } from '../support/chromium.ts'
import { overflowOf, violationsOf } from '../support/console.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'postern-logo-'))
after(() => rmSync(FOLDER, { recursive: true }))
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG =
  '<?xml version="1.0"?>\n<!-- a sign --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><script>parent.document.title = 1; alert(1)</script><rect width="90" height="30" fill="#347"/></svg>'
const NAME = 'Gate & <b>Sons</b> "one"'

function file(name: string, content: string | Buffer): string {
  const path = join(FOLDER, name)
  writeFileSync(path, content)
  return path
}

describe('the product', () => {
  const server = usePostern('sqlite', { env: { PRODUCT_NAME: NAME, PRODUCT_LOGO: file('sign', SVG) } })

  it('is named, and shown by its sign, on every page and in the console', async () => {
    const client = (await server()).client()
    for (const path of ['/', '/sign-in', '/checkout', '/magic-link', '/console']) {
      const { text } = await client.get(path)
      assert.match(text, /<title>[^<]+ · Gate &amp; &lt;b&gt;Sons&lt;\/b&gt; &quot;one&quot;<\/title>/, path)
      assert.match(text, /<link rel="icon" href="\/assets\/logo\/[0-9a-f]{12}\.svg" type="image\/svg\+xml">/)
      assert.doesNotMatch(text, /Postern|<b>/, path)
    }
  })

  it('signs every mail', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = newEmail()
    await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    const { text, html, parsed } = await postern.mailbox.next(email)
    assert.deepEqual(parsed.from?.value, [{ name: NAME, address: 'postern@localhost' }])
    assert.ok(text.trimEnd().endsWith(`\n\n${NAME}`), text)
    assert.ok(html.includes('<p>Gate &amp; &lt;b&gt;Sons&lt;/b&gt; &quot;one&quot;</p>'), html)
  })

  it('has its sign served as what it is and nothing else, kept for ever, and inert when it is opened by itself', async () => {
    const client = (await server()).client()
    const [path = ''] = /\/assets\/logo\/[^"]+/.exec((await client.get('/')).text) ?? []
    const answer = await client.get(path)
    assert.equal(answer.text, SVG)
    assert.equal(answer.headers.get('content-type'), 'image/svg+xml')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'.*; sandbox$/)
    for (const other of [path.replace(/[0-9a-f]{12}/, '0123456789ab'), '/assets/logo/..%2f..%2fsecret.key'])
      assert.equal((await client.get(other)).status, 404, other)
  })

  it('is what people see, from the mail to the console', { skip: noBrowser }, async () => {
    const postern = await server()
    const { email, organizationId } = await administrator(postern)
    const browsing = await openBrowser({ viewport: { width: 320, height: 640 } })
    const { page } = browsing
    page.on('dialog', () => assert.fail('a script of the sign ran'))
    await page.goto(at(postern, '/sign-in'))
    await page.locator('header', { hasText: NAME }).locator('img').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(await overflowOf(page), 0)
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await landsInConsole(page, organizationId)
    await page.setViewportSize({ width: 1_280, height: 900 })
    const brand = page.getByRole('link', { name: NAME })
    const drawn = await brand.locator('img').evaluate((image) => {
      const { naturalWidth, naturalHeight } = image as unknown as Record<string, number>
      return Number(naturalWidth) / Number(naturalHeight)
    })
    assert.equal(Math.round(drawn), 3)
    assert.equal(await page.title(), `Overview · ${NAME}`)
    assert.deepEqual(await violationsOf(page), [])
    await closeCleanly(browsing)
  })
})

describe('a server whose console is switched off', { skip: noBrowser }, () => {
  const server = usePostern('sqlite', { env: { CONSOLE: 'off', PRODUCT_LOGO: file('sign.png', PNG) } })

  it('leads nobody to it: who signs in stays on the page, and sees who they are', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const browsing = await openBrowser()
    const { page } = browsing
    await page.goto(at(postern, '/'))
    assert.equal(await page.getByRole('link', { name: /console/ }).count(), 0)
    await page.goto(at(postern, '/sign-in'))
    await page.fill('#sign-in-email', email)
    await page.fill('#sign-in-password', PASSWORD)
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await page.getByText('You can close this page now').waitFor()
    assert.equal(
      await page
        .locator('header img')
        .getAttribute('src')
        .then((src) => src?.endsWith('.png')),
      true,
    )
    await closeCleanly(browsing)
  })
})

it('a sign that is none, is too large, or a name of more than a line ends the start with its reason', () => {
  for (const [env, problem] of [
    [{ PRODUCT_LOGO: join(FOLDER, 'missing') }, /^PRODUCT_LOGO must be a file/],
    [{ PRODUCT_LOGO: FOLDER }, /^PRODUCT_LOGO must be a file/],
    [
      { PRODUCT_LOGO: file('page', '<!doctype html><svg></svg>') },
      /^PRODUCT_LOGO must be a file of SVG or PNG/,
    ],
    [
      { PRODUCT_LOGO: file('broken', Buffer.from([0x3c, 0x73, 0xff])) },
      /^PRODUCT_LOGO must be a file of SVG or PNG/,
    ],
    [{ PRODUCT_LOGO: file('large', Buffer.concat([PNG, Buffer.alloc(256 * 1_024)])) }, /256 KB at most/],
    [{ PRODUCT_NAME: 'x'.repeat(61) }, /^PRODUCT_NAME must be one line/],
    [{ PRODUCT_NAME: 'a\nb' }, /^PRODUCT_NAME must be one line/],
    [{ PRODUCT_NAME: 'a\u202eb' }, /^PRODUCT_NAME must be one line/],
  ] as const)
    assert.throws(
      () => readConfig({ ...env }),
      (error) => error instanceof ConfigError && problem.test(error.message),
      JSON.stringify(env),
    )
  assert.equal(readConfig({ PRODUCT_LOGO: join(FOLDER, 'sign.png') }).web.product.logo?.type, 'image/png')
})
