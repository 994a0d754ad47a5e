import assert from 'node:assert/strict'
import { it } from 'node:test'
import { administrator, member, newEmail } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

onBothEngines('languages', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { DEFAULT_LANGUAGE: 'fr' } })

  test('a page is in the language of its link, of the links before, of the browser, of the installation: in this order', async () => {
    const postern = await server()
    const client = postern.client()
    const languageOf = async (path: string, accepted?: string) => {
      const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-language': accepted }
      const answer = await client.get(path, { headers })
      assert.equal(answer.headers.get('vary'), 'accept-language, cookie')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const [, language = ''] = /^<!doctype html>\n<html lang="([a-z]+)"/.exec(answer.text) ?? []
      assert.equal(answer.headers.get('content-language'), language)
      return language
    }
    assert.equal(await languageOf('/sign-in'), 'fr')
    assert.equal(await languageOf('/sign-in', 'pl, ja-JP;q=0.9, en;q=0.8'), 'ja')
    assert.equal(client.cookies.size, 0)
    assert.equal(await languageOf('/sign-in?lang=de', 'ja'), 'de')
    assert.equal(await languageOf('/reset-password', 'ja'), 'de')
    assert.equal(await languageOf('/reset-password?lang=es', 'ja'), 'es')
    assert.equal(await languageOf('/', 'ja'), 'es')
  })

  test('a page says all in its language, and leads to itself in each other one', async () => {
    const client = (await server()).client()
    const { text } = await client.get('/sign-in', { headers: { 'accept-language': 'ja' } })
    assert.match(text, /<h1 [^>]*>サインイン<\/h1>/)
    assert.match(text, /messages-ja\.js/)
    for (const [language, name] of [
      ['en', 'English'],
      ['de', 'Deutsch'],
      ['fr', 'Français'],
      ['es', 'Español'],
      ['ja', '日本語'],
    ])
      assert.match(text, new RegExp(`<a href="\\?lang=${language}" lang="${language}"[^>]*>${name}</a>`))
    const [, path = ''] = /href="(\/assets\/[^"]+\/messages-ja\.js)"/.exec(text) ?? []
    const messages = await client.get(path)
    assert.match(messages.headers.get('content-type') ?? '', /^text\/javascript/)
    assert.match(messages.headers.get('cache-control') ?? '', /immutable/)
    assert.match(messages.text, /^export const says = \{.*メールアドレス/s)
  })

  test('a language that is none of ours is not one: not in a link, a cookie, a header or a request', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    for (const hostile of ['xx', 'DE', '"><script>', 'de,', '__proto__', 'x'.repeat(5_000)]) {
      const client = postern.client()
      const query = await client.get(`/sign-in?lang=${encodeURIComponent(hostile)}&lang=`)
      assert.match(query.text, /<html lang="fr"/)
      assert.equal(client.cookies.size, 0)
      const inHeader = hostile.slice(0, 2_000)
      const header = await client.get('/sign-in', {
        headers: { 'accept-language': inHeader, cookie: `language=${encodeURIComponent(inHeader)}` },
      })
      assert.match(
        header.text,
        inHeader.toLowerCase().startsWith('de') ? /<html lang="de"/ : /<html lang="fr"/,
      )
      for (const refused of [
        await admin.client.patch('/v1/auth/account', { language: hostile }),
        await admin.client.patch(
          `/v1/organizations/${admin.organizationId}`,
          { language: hostile },
          { token: admin.token },
        ),
        await admin.client.post(
          '/v1/invitations',
          { email: newEmail(), language: hostile },
          { token: admin.token },
        ),
      ]) {
        assert.equal(refused.body.error.code, 'VALIDATION_FAILED')
        assert.equal(refused.body.error.details.field, 'language')
      }
    }
  })

  it('a mail is in the language of its recipient, of its invitation, of the organization, of the installation: in this order', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { mailbox } = postern
    const change = (language: string | null) =>
      admin.client.patch(`/v1/organizations/${admin.organizationId}`, { language }, { token: admin.token })
    const inviteTo = async (more: object = {}) => {
      const email = newEmail()
      const invited = await admin.client.post('/v1/invitations', { email, ...more }, { token: admin.token })
      assert.equal(invited.status, 201, invited.text)
      return mailbox.next(email)
    }
    const unchosen = await inviteTo()
    assert.match(unchosen.subject, /^Invitation à rejoindre /)
    assert.doesNotMatch(unchosen.link, /lang=/)
    const changed = await change('de')
    assert.equal(changed.body.language, 'de')
    const german = await inviteTo()
    assert.match(german.subject, /^Einladung zu /)
    assert.match(german.html, /<html lang="de">/)
    assert.equal(URL.parse(german.link)?.searchParams.get('lang'), 'de')
    const page = await postern.client().get(german.link, { headers: { 'accept-language': 'ja' } })
    assert.match(page.text, /<h1 [^>]*>Sie sind eingeladen<\/h1>/)
    const japanese = await inviteTo({ language: 'ja' })
    assert.match(japanese.subject, / への招待$/)
    assert.match(japanese.text, /有効期間は 7 日間です/)
    assert.match(japanese.text, /^招待を受ける:\nhttp/m)
    assert.match(japanese.html, /<html lang="ja">.*招待されました。/)

    const person = await member(postern, admin)
    const ask = async () => {
      const asked = await postern.client().post('/v1/auth/forget-password', { email: person.email })
      assert.equal(asked.status, 200)
      return mailbox.next(person.email)
    }
    assert.equal((await ask()).subject, 'Wählen Sie ein neues Passwort')
    const chosen = await person.client.patch('/v1/auth/account', { language: 'es' })
    assert.equal(chosen.body.language, 'es')
    const spanish = await ask()
    assert.equal(spanish.subject, 'Elija una contraseña nueva')
    assert.equal(URL.parse(spanish.link)?.searchParams.get('lang'), 'es')
    await person.client.patch('/v1/auth/account', { language: null })
    await change(null)
    assert.equal((await ask()).subject, 'Choisissez un nouveau mot de passe')
  })

  test('a name that looks like a header or a link stays a name in the subject of a mail, in Japanese too', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const name = `会社 www.evil.test ${'長い名前'.repeat(10)} {inviter} <b>`
    const renamed = await admin.client.patch(
      `/v1/organizations/${admin.organizationId}`,
      { name, language: 'ja' },
      { token: admin.token },
    )
    assert.equal(renamed.status, 200, renamed.text)
    const email = newEmail()
    await admin.client.post('/v1/invitations', { email }, { token: admin.token })
    const mail = await postern.mailbox.next(email)
    assert.match(mail.subject, /^会社 www evil․test 長い名前.* \{inviter\} <b> への招待$/)
    assert.match(mail.html, /&lt;b&gt;/)
    for (const { line } of mail.parsed.headerLines) assert.match(line, /^[\x20-\x7e\r\n\t]*$/)
  })

  it('the change of a language is in the audit log, and the invitation keeps its own through a resend', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const path = `/v1/organizations/${admin.organizationId}`
    for (const language of ['ja', 'ja']) await admin.client.patch(path, { language }, { token: admin.token })
    const { body } = await admin.client.get('/v1/audit-log', { token: admin.token })
    const entries = body.data.filter(
      ({ action }: { action: string }) => action === 'organization.language_changed',
    )
    assert.deepEqual(
      entries.map(({ details }: { details: object }) => details),
      [{ before: null, language: 'ja' }],
    )
    const email = newEmail()
    const invited = await admin.client.post(
      '/v1/invitations',
      { email, language: 'de' },
      { token: admin.token },
    )
    const first = await postern.mailbox.next(email)
    await admin.client.post(`/v1/invitations/${invited.body.id}/resend`, {}, { token: admin.token })
    const second = await postern.mailbox.next(email)
    assert.equal(first.subject, second.subject)
    assert.match(second.subject, /^Einladung zu /)
  })
})
