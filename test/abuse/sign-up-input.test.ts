import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askReset, assertError, signIn } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { accountOf, inviteByMail, membershipsOf } from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'

onOneEngineByDay('the input of a sign-up', (engine) => {
  const server = usePostern(engine)

  /** A person who tries to sign up, again after each refusal. */
  async function invited(postern: Postern) {
    const admin = await administrator(postern)
    const { email, token } = await inviteByMail(postern, admin)
    const signUp = (more: object): Promise<Answer> =>
      postern.client().post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: token, ...more }))
    return { admin, email, token, signUp }
  }

  it('20: a sign-up sets no member that is not the person’s to set', async () => {
    const postern = await server()
    const { admin, email, signUp } = await invited(postern)
    const other = await administrator(postern)
    const extras = {
      id: other.accountId,
      status: 'active',
      role: 'administrator',
      emailVerified: true,
      email_verified_at: 1,
      organizationId: other.organizationId,
      organizations: [{ id: other.organizationId, role: 'administrator' }],
      createdAt: '2020-01-01T00:00:00.000Z',
      isAdmin: true,
      user: { status: 'active' },
    }
    for (const [field, value] of Object.entries(extras)) {
      assertError(await signUp({ [field]: value }), 'VALIDATION_FAILED', { field })
    }
    const polluting = { constructor: { prototype: { role: 'administrator' } } }
    assertError(await signUp(polluting), 'VALIDATION_FAILED', { field: 'body' })
    const before = await accountOf(postern, email)
    assert.equal(before?.status, 'inactive')
    assert.equal(before?.first_name, null)
    const answer = await signUp({})
    assert.equal(answer.status, 201)
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.equal(answer.body.user.organizations[0].role, 'member')
  })

  it('21: no body without a session acts for an account', async () => {
    const postern = await server()
    const victim = await administrator(postern)
    const { accountId, organizationId } = victim
    const bodies = {
      '/v1/auth/sign-up/email': signUpBody(newEmail()),
      '/v1/auth/sign-in/email': { email: newEmail(), password: PASSWORD },
      '/v1/auth/verify-email': { token: 'x' },
      '/v1/auth/magic-link': { email: newEmail() },
      '/v1/auth/magic-link/verify': { token: 'x' },
      '/v1/auth/forget-password': { email: newEmail() },
      '/v1/auth/reset-password': { token: 'x', newPassword: PASSWORD },
    }
    const claims = { userId: accountId, accountId, organizationId, role: 'administrator', sub: accountId }
    for (const [path, body] of Object.entries(bodies)) {
      for (const [field, value] of Object.entries(claims)) {
        const client = postern.client()
        const answer = await client.post(path, { ...body, [field]: value })
        assertError(answer, 'VALIDATION_FAILED', { field })
        assert.equal(client.cookies.size, 0)
      }
    }
    for (const path of ['/v1/auth/token', '/v1/auth/session', '/v1/organizations']) {
      const query = new URLSearchParams(claims).toString()
      assertError(await postern.client().get(`${path}?${query}`), 'UNAUTHORIZED')
    }
    // Routes without a body ignore one.
    const client = postern.client()
    assert.deepEqual((await client.post('/v1/auth/sign-out', claims)).body, { success: true })
    assert.equal((await victim.client.get('/v1/auth/session')).status, 200)
  })

  it('23: without the terms there is no account', async () => {
    const postern = await server()
    const { email, signUp } = await invited(postern)
    assertError(await signUp({ termsAccepted: false }), 'VALIDATION_FAILED', {
      field: 'termsAccepted',
      reason: 'must_be_true',
    })
    assertError(await signUp({ termsAccepted: undefined }), 'MISSING_REQUIRED_FIELD', {
      field: 'termsAccepted',
    })
    for (const termsAccepted of ['true', 'yes', 1, null, [true], {}]) {
      assertError(await signUp({ termsAccepted }), 'TYPE_MISMATCH', { field: 'termsAccepted' })
    }
    const account = await accountOf(postern, email)
    assert.equal(account?.status, 'inactive')
    assert.equal(account?.terms_accepted_at, null)
  })

  const refused = {
    '7 characters': 'abc-xyz',
    '7 emoji, 14 code units': '🐴'.repeat(7),
    '7 after NFKC, 8 before': `abc-xy${'e\u0301'}`,
    '257 characters': `${'ab-'.repeat(85)}xy`,
    nothing: '',
  }
  it('24: a password is 8 to 256 characters, as a person counts them', async () => {
    const postern = await server()
    const { email, signUp } = await invited(postern)
    for (const [what, password] of Object.entries(refused)) {
      const answer = await signUp({ password })
      assertError(answer, 'VALIDATION_FAILED', { field: 'password', value: '[redacted]' })
      assert.equal(answer.text.includes(password) && password !== '', false, what)
    }
    assertError(await signUp({ password: 'x'.repeat(1024 * 1024) }), 'VALIDATION_FAILED', { field: 'body' })
    assertError(await signUp({ password: 'x'.repeat(60_000) }), 'VALIDATION_FAILED', { field: 'password' })
    assert.equal((await accountOf(postern, email))?.status, 'inactive')
  })

  const accepted = {
    '8 emoji': '🐴🐎🦄🐴🐎🦄🐴🐎',
    '64 characters': 'horse-8-'.repeat(8),
    '256 characters': 'horse-8-'.repeat(32),
    'with a NUL in it': 'horse-8\0battery',
    'with spaces around it': '  horse 8 battery ',
  }
  for (const [what, password] of Object.entries(accepted)) {
    it(`24: a password is kept whole: ${what}`, async () => {
      const postern = await server()
      const { email, signUp } = await invited(postern)
      assert.equal((await signUp({ password })).status, 201)
      assert.equal((await signIn(postern.client(), email, password)).status, 200)
      const characters = [...password]
      const others = [
        characters.slice(0, -1).join(''),
        characters.slice(1).join(''),
        `${password}x`,
        password.trim(),
        password.split('\0', 1)[0] ?? '',
      ].filter((other) => other !== password)
      for (const other of others) assertError(await signIn(postern.client(), email, other), 'UNAUTHORIZED')
    })
  }

  it('24: the same text typed on another keyboard is the same password', async () => {
    const postern = await server()
    const { email, signUp } = await invited(postern)
    const composed = 'crème brûlée ½ №5'
    assert.equal((await signUp({ password: composed.normalize('NFC') })).status, 201)
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
      assert.equal((await signIn(postern.client(), email, composed.normalize(form))).status, 200, form)
    }
    assertError(await signIn(postern.client(), email, composed.toUpperCase()), 'UNAUTHORIZED')
  })

  it('25: a password that everybody tries, or that names the person or the organization, is refused', async () => {
    const postern = await server()
    const name = `Widget Works ${newEmail('org')}`
    const admin = await administrator(postern, name)
    const email = newEmail('longlocalpart')
    const { token } = await inviteByMail(postern, admin, email)
    const common = ['password', 'password1', '12345678', 'qwertyuiop', 'iloveyou', 'Sunshine', 'FOOTBALL']
    const personal = [email, email.toUpperCase(), email.split('@')[0] ?? '', name, name.toLowerCase()]
    for (const password of [...common, ...personal]) {
      const body = signUpBody(email, { password, invitationToken: token })
      const answer = await postern.client().post('/v1/auth/sign-up/email', body)
      assertError(answer, 'VALIDATION_FAILED', {
        field: 'password',
        reason: 'password_too_common',
        value: '[redacted]',
      })
    }
    assert.equal((await accountOf(postern, email))?.status, 'inactive')
    assertError(
      await postern.client().post('/v1/auth/reset-password', {
        token: await askReset(postern, admin.email),
        newPassword: name,
      }),
      'VALIDATION_FAILED',
      { field: 'newPassword', reason: 'password_too_common' },
    )
    // A caller without an invitation does not learn which organization invited the address.
    const guess = await postern
      .client()
      .post('/v1/auth/sign-up/email', signUpBody(newEmail(), { password: name }))
    assertError(guess, 'FORBIDDEN', { reason: 'invitation_required' })
  })

  it('26: passwords that are equal in their first 72 bytes are two passwords', async () => {
    const postern = await server()
    const { email, signUp } = await invited(postern)
    const start = 'horse-8-'.repeat(9)
    assert.equal((await signUp({ password: `${start}a` })).status, 201)
    for (const other of [start, `${start}b`, `${start}aa`, `${start}A`]) {
      assertError(await signIn(postern.client(), email, other), 'UNAUTHORIZED')
    }
    assert.equal((await signIn(postern.client(), email, `${start}a`)).status, 200)
  })
})
