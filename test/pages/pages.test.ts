import assert from 'node:assert/strict'
import { it } from 'node:test'
import { escapeHtml, html } from '#src/core/text/html.ts'
import { administrator, newEmail, signUpBody } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

const WITH_TOKEN = [
  '/accept-invitation',
  '/first-start',
  '/confirm-email',
  '/reset-password',
  '/change-email',
  '/magic-link',
  '/v1/auth/magic-link/verify',
]
const PAGES = ['/', '/sign-in', '/sign-out', '/security', '/checkout', '/set-up', ...WITH_TOKEN]

const HOSTILE = [
  '"><script>alert(1)</script>',
  "' onload='alert(1)",
  '</title><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '\u202e\u0000%00',
  'x'.repeat(5_000),
]

onOneEngineByDay('pages', (engine) => {
  const server = usePostern(engine)

  it('are complete HTML in a named language, with one heading a step and a label for every input', async () => {
    const client = (await server()).client()
    for (const path of PAGES) {
      const { status, headers, text } = await client.get(path)
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(text, /^<!doctype html>\n<html lang="en"/)
      assert.match(text, /<title>[^<]+ · Postern<\/title>/)
      const steps = text.match(/<section /g) ?? []
      assert.equal(steps.length, text.match(/<h1 /g)?.length, path)
      for (const [input, id] of text.matchAll(/<input id="([^"]+)"[^>]*>/g)) {
        assert.ok(text.includes(`<label for="${id}">`), `${path} ${id} has a label`)
        const [, described = ''] = /aria-describedby="([^"]+)"/.exec(input) ?? []
        for (const part of described.split(' ')) assert.ok(text.includes(`id="${part}"`), `${path} ${part}`)
        if (!input.includes('type="checkbox"')) assert.match(input, /autocomplete="[a-z-]+"/)
        if (/name="\w*[pP]assword"/.test(input)) assert.match(input, /type="password"/)
      }
    }
  })

  it('allow nothing from elsewhere and nothing inline, and tell nobody where one came from', async () => {
    const client = (await server()).client()
    for (const path of PAGES) {
      const { headers, text } = await client.get(path)
      const policy = headers.get('content-security-policy') ?? ''
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ])
        assert.ok(policy.split('; ').includes(directive), `${path} ${directive}`)
      assert.doesNotMatch(policy, /unsafe|\*/)
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.deepEqual(headers.getSetCookie(), [])
      assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|<script(?! type="module" src="\/assets\/)/)
      assert.doesNotMatch(text, /https?:\/\//)
    }
  })

  it('are the same whatever the query says', async () => {
    const client = (await server()).client()
    for (const path of PAGES) {
      const plain = await client.get(path)
      for (const token of HOSTILE) {
        const answer = await client.get(
          `${path}?token=${encodeURIComponent(token)}&error=${encodeURIComponent(token)}`,
        )
        assert.equal(answer.status, 200)
        assert.equal(answer.text, plain.text)
      }
    }
  })

  it('answer HEAD as GET, and no other method', async () => {
    const client = (await server()).client()
    for (const path of PAGES) {
      const got = await client.get(path)
      const head = await client.call(path, { method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      for (const name of ['content-type', 'content-length', 'content-security-policy', 'referrer-policy'])
        assert.equal(head.headers.get(name), got.headers.get(name), `${path} ${name}`)
      if (path.startsWith('/v1/')) continue
      const posted = await client.post(path, { token: 'x' })
      assert.equal(posted.status, 404)
      assert.equal(posted.body.error.code, 'ENTITY_NOT_FOUND')
    }
  })

  it('have their files under a name that is kept for ever, and under others that is not kept', async () => {
    const client = (await server()).client()
    const { text } = await client.get('/sign-in')
    const paths = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    assert.ok(paths.length >= 3)
    const types: Record<string, string> = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml',
    }
    for (const path of paths) {
      const asset = await client.get(path)
      assert.equal(asset.status, 200)
      assert.equal(asset.headers.get('content-type'), types[path.split('.').at(-1) ?? ''])
      assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.match(asset.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
      const old = await client.get(path.replace(/\/assets\/[0-9a-f]+\//, '/assets/0123456789ab/'))
      assert.equal(old.text, asset.text)
      assert.equal(old.headers.get('cache-control'), 'no-store')
    }
  })

  it('have their files sent whole, whatever part or edition of them is asked for', async () => {
    const client = (await server()).client()
    const page = await client.get('/sign-in')
    const [, edition = ''] = /(\/assets\/[^/"]+)\//.exec(page.text) ?? []
    for (const path of [`${edition}/page.css`, '/api/docs', '/openapi.json', '/console']) {
      const whole = await client.get(path)
      assert.equal(whole.status, 200, path)
      for (const headers of [
        { range: 'bytes=0-1' },
        { range: 'bytes=999999999-' },
        { range: 'bytes=9-1,x' },
        { 'if-match': '"another"' },
        { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
        { 'if-range': '"another"', range: 'bytes=0-1' },
      ]) {
        const answer = await client.get(path, { headers })
        assert.equal(answer.status, 200, `${path} ${JSON.stringify(headers)}`)
        assert.equal(answer.text, whole.text)
      }
    }
  })

  it('give no other file away', async () => {
    const client = (await server()).client()
    const [edition = ''] = /\/assets\/[0-9a-f]+/.exec((await client.get('/sign-in')).text) ?? []
    for (const name of ['', 'none.js', '..%2fpages.ts', '%2e%2e%2fassets.ts', '..%5cpages.ts', '__proto__']) {
      const answer = await client.get(`${edition}/${name}`)
      assert.equal(answer.status, 404, name)
      assert.equal(answer.body.error.code, 'ENTITY_NOT_FOUND')
    }
    assert.equal((await client.get(`${edition}/page.css%00`)).status, 400)
    for (const path of ['/accept-invitation/', '/Sign-in', '/index.html', '/assets', '/favicon.ico']) {
      assert.equal((await client.get(path)).status, 404, path)
    }
  })

  it('are inert: opening them any number of times uses nothing up', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = newEmail()
    await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    const { token } = await postern.mailbox.next(email)
    const scanner = postern.client()
    for (const path of PAGES) {
      for (const method of ['GET', 'HEAD']) await scanner.call(`${path}?token=${token}`, { method })
    }
    assert.equal(scanner.cookies.size, 0)
    const preview = await scanner.get(`/v1/invitations/preview?token=${token}`)
    assert.equal(preview.body.email, email)
    const body = signUpBody(email, { invitationToken: token })
    assert.equal((await postern.client().post('/v1/auth/sign-up/email', body)).status, 201)
  })

  it('know who is signed in by asking the API only where there is a cookie', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const opening = /data-step="opening"[^>]*hidden/
    assert.match((await postern.client().get('/sign-in')).text, opening)
    assert.doesNotMatch((await admin.client.get('/sign-in')).text, opening)
  })

  it('stay out of the document of the API, but for the one at a path of the API', async () => {
    const { body } = await (await server()).client().get('/openapi.json')
    for (const path of ['/', '/sign-in', '/accept-invitation']) assert.equal(body.paths[path], undefined)
    const { 200: shown } = body.paths['/v1/auth/magic-link/verify'].get.responses
    assert.deepEqual(Object.keys(shown.content), ['text/html'])
  })
})

onOneEngineByDay('pages of a configured server', (engine) => {
  const server = usePostern(engine, {
    env: {
      BASE_URL: 'http://localhost:4999/gate',
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      TERMS_URL: 'https://acme.test/terms?a=1&b="2"',
    },
  })

  it('offer the providers that are configured, lead to the terms, and stand below the path of BASE_URL', async () => {
    const client = (await server()).client()
    const accept = (await client.get('/accept-invitation')).text
    assert.ok(accept.includes('data-provider="google"'))
    assert.ok(!accept.includes('data-provider="microsoft"'))
    assert.ok(accept.includes('href="https://acme.test/terms?a=1&amp;b=&quot;2&quot;"'))
    assert.ok(accept.includes('data-root="/gate"'))
    assert.ok(accept.includes('href="/gate/sign-in?invitation"'))
    assert.match(accept, /src="\/gate\/assets\/[0-9a-f]{12}\/accept-invitation\.js"/)
    assert.doesNotMatch(accept, /secret/)
  })
})

it('a template of HTML escapes every value that is not its own', () => {
  const hostile = `<b a="1" c='2'>&amp;`
  const escaped = '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;'
  assert.equal(escapeHtml(hostile), escaped)
  assert.equal(
    html`<p>${hostile}${html`<i>${'<'}</i>`}${[html`<u></u>`]}</p>`.markup,
    `<p>${escaped}<i>&lt;</i><u></u></p>`,
  )
})
