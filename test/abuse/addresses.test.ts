import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { accountOf, inviteByMail, mailsAreResolved, mailsTo } from '../support/invitees.ts'
import { administrator, newEmail, type Person, signUp, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

async function mailsToOthers({ app }: Postern, { email }: Person): Promise<number> {
  const rows = await app.database.db.selectFrom('mail').select('id').where('recipient', '!=', email).execute()
  return rows.length
}

onBothEngines('addresses', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  async function invite(postern: Postern, { token }: Person, email: string) {
    return postern.client().post('/v1/invitations', { email }, { token })
  }

  it('15: another spelling of an address is the same address, a tag is another', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const twins = [
      ['ada@example.test', 'ADA@EXAMPLE.TEST', 'Ada@Example.Test', '  ada@example.test  '],
      ['bea@bücher.test', 'bea@xn--bcher-kva.test', 'bea@BÜCHER.test', 'bea@XN--BCHER-KVA.test'],
      ['cy@straße.test', 'cy@xn--strae-oqa.test'],
    ]
    for (const [first = '', ...others] of twins) {
      const invited = await invite(postern, admin, first)
      assert.equal(invited.status, 201, invited.text)
      assert.match(invited.body.email, /^[\x21-\x7e]+$/)
      for (const other of others) {
        assertError(await invite(postern, admin, other), 'DUPLICATE', {
          field: 'email',
          invitationId: invited.body.id,
        })
      }
    }
    for (const other of ['ada+tag@example.test', 'a.da@example.test', 'cy@strasse.test']) {
      assert.equal((await invite(postern, admin, other)).status, 201, other)
    }
    // The sign-up may use any spelling.
    const { email, token } = await inviteByMail(postern, admin)
    const answer = await postern
      .client()
      .post('/v1/auth/sign-up/email', signUpBody(` ${email.toUpperCase()}`, { invitationToken: token }))
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.body.user.email, email)
  })

  test('16: a text that two mailers could read as two addresses is refused', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const tricks = [
      'a@evil.test,b@acme.test',
      'a@evil.test;b@acme.test',
      'a@evil.test b@acme.test',
      '<a@acme.test>',
      'Ada <a@acme.test>',
      'a@acme.test\r\nBcc: b@evil.test',
      'a@acme.test\nRCPT TO:<b@evil.test>',
      'a\r\n@acme.test',
      '"a@evil.test b"@acme.test',
      '"a"@acme.test',
      'a(comment)@acme.test',
      'a@evil.test@acme.test',
      'a@evil.test%acme.test',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
      'a@evil.test＠acme.test',
      'a＠acme.test',
      'a@acme．test',
      'ａ@acme.test',
      'a@acm\u200be.test',
      'a\u200b@acme.test',
      'a@acm\u00ade.test',
      'a@acme\u2060.test',
      'a@acme。test',
      'a@acme.test\0',
      'a\0@acme.test',
      'a@acme\0.test',
      'a@\u202eacme.test',
      'a@acme',
      'a@.test',
      'a@acme..test',
      'a..b@acme.test',
      '.a@acme.test',
      'a.@acme.test',
      '@acme.test',
      'a@',
      '',
      ' ',
      `${'a'.repeat(65)}@acme.test`,
      `${'a'.repeat(60)}@${'b.'.repeat(125)}test`,
      `a@${'b'.repeat(64)}.test`,
    ]
    const client = postern.client()
    const before = await mailsToOthers(postern, admin)
    for (const email of tricks) {
      assertError(await invite(postern, admin, email), 'INVALID_EMAIL', { field: 'email' })
      assertError(await client.post('/v1/auth/sign-up/email', signUpBody(email)), 'INVALID_EMAIL')
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
        assertError(await client.post(path, { email }), 'INVALID_EMAIL')
      }
    }
    // A row that is too long or has a NUL makes the whole bulk invalid.
    const rows = tricks.filter((email) => email.length <= 320 && !email.includes('\0'))
    const bulk = { invitations: rows.map((email) => ({ email })) }
    const answer = await client.post('/v1/invitations/bulk', bulk, { token: admin.token })
    assert.equal(answer.status, 200, answer.text)
    for (const { error } of answer.body.results) assert.equal(error?.code, 'INVALID_EMAIL')
    await mailsAreResolved(postern, admin)
    assert.equal(await mailsToOthers(postern, admin), before)
  })

  test('16: an address at the limits of the form gets exactly one mail', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const longest = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(55)}.test`
    assert.equal(longest.length, 253)
    for (const email of [longest, "o'hara+x=y!#$%&*/?^_`{|}~-@acme.test", '-a@acme.test']) {
      const before = postern.mailbox.recipients.length
      await inviteByMail(postern, admin, email)
      const recipients = postern.mailbox.recipients.slice(before)
      // Mails of earlier tests may still arrive.
      assert.equal(recipients.filter((recipient) => recipient === email).length, 1)
      assert.ok(recipients.every((recipient) => /^[^@\s]+@[^@\s]+$/.test(recipient)))
    }
  })

  test('17: names cannot change a mail: no markup, no header, no link', async () => {
    const postern = await server()
    const name = '<img src=x onerror=alert(1)> https://evil.test/a'
    const admin = await administrator(postern, `<b>Org</b> "&" www.evil.test ${newEmail()}`)
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('account')
        .set({ first_name: name, last_name: 'x\r\nBcc: victim@evil.test\u202e' })
        .where('email', '=', admin.email)
        .execute(),
    )
    const email = newEmail('invited')
    await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    const invitation = await postern.mailbox.next(email)
    // Without the invitation's token a mail also contains the name of the sign-up.
    const typed = signUpBody(email, { firstName: name, lastName: 'evil.test/b mailto:x@evil.test' })
    assert.equal((await postern.client().post('/v1/auth/sign-up/email', typed)).status, 201)
    const confirmation = await postern.mailbox.next(email)
    for (const { recipients, parsed, text, html, subject } of [invitation, confirmation]) {
      assert.deepEqual(recipients, [email])
      assert.equal(parsed.headers.has('bcc'), false)
      assert.equal(parsed.headers.has('cc'), false)
      assert.doesNotMatch(subject, /[\r\n]|evil\.test/)
      assert.doesNotMatch(html, /<(img|b)\b/)
      for (const shown of [text, html]) {
        assert.doesNotMatch(shown, /evil\.test|\u202e/)
        const links = shown.match(/https?:\/\/[^\s"<]+/g) ?? []
        assert.ok(links.length > 0)
        for (const link of links)
          assert.equal(
            new URL(link).host,
            new URL(postern.env.BASE_URL ?? `http://localhost:${postern.env.PORT}`).host,
          )
      }
    }
  })

  test('17: a name with control characters is refused', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email, token } = await inviteByMail(postern, admin)
    const names = [
      'Ada\0',
      '\0',
      'A\r\nBcc: x@evil.test',
      '\u001b[31mAda',
      '   ',
      '',
      'a'.repeat(101),
      `${'a'.repeat(60_000)}\0`,
    ]
    for (const name of names) {
      for (const field of ['firstName', 'lastName']) {
        const body = signUpBody(email, { [field]: name, invitationToken: token })
        assertError(await postern.client().post('/v1/auth/sign-up/email', body), 'VALIDATION_FAILED', {
          field,
        })
      }
      const key = await postern.client().post('/v1/api-keys', { name }, { token: admin.token })
      assertError(key, 'VALIDATION_FAILED', { field: 'name' })
    }
    await signUp(postern, { email, invitationToken: token, organizationId: admin.organizationId })
    assert.equal((await accountOf(postern, email))?.first_name, 'Ada')
    assert.equal((await mailsTo(postern, email)).length, 1)
  })
})
