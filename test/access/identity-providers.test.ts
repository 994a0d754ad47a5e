import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, mailAbout } from '../support/attacks.ts'
import type { Seen } from '../support/event-reader.ts'
import { enrolTotp } from '../support/factors.ts'
import { accountOf, auditOf, inviteByMail, membershipsOf } from '../support/invitees.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, member, newEmail, PASSWORD, signUpBody, tokenOf } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import {
  assertNoSession,
  assertRefused,
  assertSignedIn,
  CALLBACK,
  counts,
  failures,
  identitiesOf,
} from '../support/social.ts'
import { askSso, atProvider, beginSso, useSso } from '../support/sso.ts'

onBothEngines('an identity provider of an organization', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { server, acme, signIn, addProvider, loseDomain, prove } = useSso(engine)

  it('is made, read, changed and deleted, and never shows its secret', async () => {
    const { postern, openId } = await server()
    const { admin, id } = await acme()
    const { token } = admin
    const client = postern.client()
    const read = await client.get(`/v1/identity-providers/${id}`, { token })
    assert.equal(read.body.redirectUri, `http://localhost:${postern.env.PORT}/v1/auth/callback/${id}`)
    assert.deepEqual(read.body.oidc, {
      issuer: openId.issuer,
      clientId: openId.oidc.clientId,
      backChannelLogoutUri: `http://localhost:${postern.env.PORT}/v1/auth/logout/${id}`,
      postLogoutRedirectUri: `http://localhost:${postern.env.PORT}/v1/auth/signed-out/${id}`,
    })
    assert.equal(read.text.includes(openId.oidc.clientSecret), false)
    const list = await client.get('/v1/identity-providers', { token })
    assert.deepEqual(list.body.data, [read.body])
    const changed = await client.patch(`/v1/identity-providers/${id}`, { name: 'Other' }, { token })
    assert.equal(changed.body.name, 'Other')
    const rows = await postern.app.database.db.selectFrom('identity_provider').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(openId.oidc.clientSecret), false)
    assert.equal((await client.delete(`/v1/identity-providers/${id}`, { token })).status, 204)
    assertError(await client.get(`/v1/identity-providers/${id}`, { token }), 'ENTITY_NOT_FOUND')
    const log = (await client.get(`/v1/audit-log?target=${id}`, { token })).body.data
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      ['identity_provider.deleted', 'identity_provider.updated', 'identity_provider.created'],
    )
  })

  it('is shown in the live stream as it is changed and used, without its secret, to those alone who may read it', async () => {
    const { postern, openId } = await server()
    const { admin, id, email } = await acme()
    const { token } = await member(postern, admin)
    assertError(await admin.client.get('/v1/stream?topics=identity-providers', { token }), 'FORBIDDEN')
    const stream = await watchLive(postern.url, admin.token)
    const is = (isSo: (data: Seen['data']) => boolean) => (seen: Seen) =>
      seen.event === 'identityProvider' && seen.data.id === id && isSo(seen.data)
    const path = `/v1/identity-providers/${id}`
    await admin.client.patch(path, { name: 'Acme Entra ID' }, { token: admin.token })
    const renamed = await stream.sees(
      'the new name',
      is(({ name }) => name === 'Acme Entra ID'),
    )
    assert.deepEqual(renamed.data, (await admin.client.get(path, { token: admin.token })).body)
    const address = email()
    const { client, answer } = await signIn(atProvider(address), { email: address })
    await assertSignedIn(client, answer)
    await stream.sees(
      'a sign-in',
      is(({ lastSignInAt }) => lastSignInAt !== null),
    )
    await admin.client.delete(path, { token: admin.token })
    await stream.sees('the gap that a deletion makes', ({ event }) => event === 'gap')
    assert.ok(!JSON.stringify(stream.seen).includes(openId.oidc.clientSecret))
    stream.leave()
  })

  test('is not taken where its issuer is private, plain http, of every tenant, or no URL', async () => {
    const { postern, openId } = await server()
    const { token } = await administrator(postern)
    for (const [issuer, reason] of [
      ['http://10.0.0.1/', 'address_not_allowed'],
      ['http://login.acme.test', 'not_https'],
      ['https://login.microsoftonline.com/common/v2.0', 'shared_issuer'],
      ['https://login.microsoftonline.com/organizations/v2.0', 'shared_issuer'],
      ['https://login.acme.test/?tenant=1', 'not_an_issuer'],
      ['javascript:alert(1)', 'not_a_url'],
      ['https://user:password@login.acme.test', 'credentials'],
    ]) {
      const oidc = { ...openId.oidc, issuer }
      const body = { kind: 'oidc', name: 'Bad', oidc }
      const answer = await postern.client().post('/v1/identity-providers', body, { token })
      assertError(answer, 'VALIDATION_FAILED', { field: 'oidc.issuer', reason })
    }
  })

  test('is made and changed by nobody who may do less than everything', async () => {
    const { postern, openId } = await server()
    const { admin, id } = await acme()
    const client = postern.client()
    const role = await client.post(
      '/v1/roles',
      { name: 'Sign-in', permissions: ['sign_in:read', 'sign_in:write'] },
      { token: admin.token },
    )
    const holder = await member(postern, admin, role.body.id)
    const key = await apiKey(postern, admin, 'administrator', ['sign_in:write'])
    const body = { kind: 'oidc', name: 'Mine', oidc: openId.oidc }
    for (const token of [holder.token, key]) {
      const reason = 'all_permissions_required'
      assertError(await client.post('/v1/identity-providers', body, { token }), 'FORBIDDEN', { reason })
      const change = { oidc: { ...openId.oidc, issuer: `${openId.issuer}/other` } }
      assertError(await client.patch(`/v1/identity-providers/${id}`, change, { token }), 'FORBIDDEN', {
        reason,
      })
    }
  })

  test('does not get the secret of the issuer before it', async () => {
    const { postern, openId } = await server()
    const { admin, id } = await acme()
    const { clientId } = openId.oidc
    const oidc = { issuer: `${openId.issuer}/other`, clientId }
    const answer = await postern
      .client()
      .patch(`/v1/identity-providers/${id}`, { oidc }, { token: admin.token })
    assertError(answer, 'MISSING_REQUIRED_FIELD', { field: 'oidc.clientSecret' })
  })

  it('makes an address of a proven domain a member, and the audit log has that as its invitation', async () => {
    const { postern } = await server()
    const { organizationId, id, email: newAddress, admin } = await acme()
    const email = newAddress()
    const { client, answer } = await signIn(atProvider(email), { email })
    const user = await assertSignedIn(client, answer)
    assert.equal(user.email, email)
    assert.equal(user.emailVerified, true)
    assert.deepEqual([user.firstName, user.lastName], ['Grace', 'Hopper'])
    assert.deepEqual(await membershipsOf(postern, email), [organizationId])
    const [linked] = await identitiesOf(postern, user.id)
    assert.match(linked ?? '', new RegExp(`^${id} subject-`))
    const { session } = (await client.get('/v1/auth/session')).body
    assert.deepEqual([session.organizationId, session.identityProviderId], [organizationId, id])
    const token = await tokenOf(client, organizationId)
    assert.equal((await client.get('/v1/events', { token })).status, 200)
    const { data } = (
      await postern.client().get(`/v1/invitations?email=${encodeURIComponent(email)}`, { token: admin.token })
    ).body
    assert.deepEqual([data[0].status, data[0].inviterId], ['accepted', id])
    const named = await postern.client().get(`/v1/actors?ids=${id}`, { token: admin.token })
    assert.deepEqual(named.body.data, [{ id, kind: 'identity_provider', name: 'Acme login' }])
  })

  test('lets nobody in whom it does not make a member, unless the organization has invited the address', async () => {
    const { postern } = await server()
    const { admin, organizationId, email: newAddress } = await acme({})
    const email = newAddress()
    const subject = atProvider(email)
    const before = await counts(postern)
    const refused = await signIn(subject, { email })
    assertRefused(refused.client, refused.answer, 'FORBIDDEN')
    assert.deepEqual(await counts(postern), before)
    await inviteByMail(postern, admin, email)
    const { client, answer } = await signIn(subject, { email })
    await assertSignedIn(client, answer)
    assert.deepEqual(await membershipsOf(postern, email), [organizationId])
  })

  test('accepts the invitations of its organization alone, and the others wait for the own sign-in', async () => {
    const { postern } = await server()
    const { organizationId, email: newAddress } = await acme()
    const email = newAddress()
    const other = await administrator(postern)
    await inviteByMail(postern, other, email)
    const { client, answer } = await signIn(atProvider(email), { email })
    const user = await assertSignedIn(client, answer)
    assert.deepEqual(
      user.organizations.map(({ id }: { id: string }) => id),
      [organizationId],
    )
    assert.deepEqual(await membershipsOf(postern, email), [organizationId])
  })

  it('opens its organization alone: no token, list, grant or account of another one', async () => {
    const { postern } = await server()
    const first = await acme()
    const email = first.email()
    const invited = await inviteByMail(postern, await administrator(postern), email)
    const own = postern.client()
    const signedUp = await own.post(
      '/v1/auth/sign-up/email',
      signUpBody(email, { invitationToken: invited.token }),
    )
    assert.equal(signedUp.status, 201, signedUp.text)
    const other = signedUp.body.user.organizations[0].id
    const { client, answer } = await signIn(atProvider(email), { email })
    const user = await assertSignedIn(client, answer)
    assert.equal(user.id, signedUp.body.user.id)
    assert.deepEqual(
      user.organizations.map(({ id }: { id: string }) => id),
      [first.organizationId],
    )
    assertError(await client.get(`/v1/auth/token?organizationId=${other}`), 'FORBIDDEN', {
      reason: 'not_a_member',
    })
    const token = await tokenOf(client)
    const listed = await client.get('/v1/organizations', { token })
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: string }) => id),
      [first.organizationId],
    )
    // The session of the person's own sign-up lists both organizations.
    assert.equal(
      (await own.get('/v1/organizations', { token: await tokenOf(own, other) })).body.data.length,
      2,
    )
    const reason = 'own_sign_in_required'
    for (const path of ['/v1/auth/sessions', '/v1/auth/factors', '/v1/auth/grants'])
      assertError(await client.get(path), 'FORBIDDEN', { reason })
    assertError(await client.post('/v1/auth/factors/totp', { name: 'App' }), 'FORBIDDEN', { reason })
    assertError(await client.post('/v1/auth/factors/passkeys/options', {}), 'FORBIDDEN', { reason })
    assertError(
      await client.post('/v1/auth/change-password', {
        currentPassword: PASSWORD,
        newPassword: `${PASSWORD}!`,
      }),
      'FORBIDDEN',
      { reason },
    )
    assertError(await client.patch('/v1/auth/account', { firstName: 'Eve' }), 'FORBIDDEN', { reason })
    assertError(await client.delete('/v1/auth/sessions'), 'FORBIDDEN', { reason })
  })

  it('opens no account of an address outside of its domains, and says nothing of it: not by an invitation, a membership or its own word', async () => {
    const { postern } = await server()
    const { admin, id, organizationId } = await acme()
    const { token } = admin
    const stranger = await administrator(postern)
    const invitedStranger = await administrator(postern)
    const invited = newEmail('invited')
    const { email: colleague } = await member(postern, admin)
    for (const email of [invited, invitedStranger.email]) {
      const body = { email, role: 'member', sendEmail: false }
      const made = await postern.client().post('/v1/invitations', body, { token })
      assert.equal(made.status, 201, made.text)
    }
    const before = await counts(postern)
    const noted = (await failures(postern)).length
    const answers: string[] = []
    const outside = [stranger.email, invitedStranger.email, invited, colleague, newEmail('nobody'), undefined]
    for (const email of outside)
      for (const email_verified of [true, undefined, false]) {
        const subject = { ...atProvider(''), email, email_verified }
        const { client, answer } = await signIn(subject, { organizationId })
        assertRefused(client, answer, 'FORBIDDEN')
        answers.push(answer.headers.get('location') ?? '')
      }
    assert.equal(new Set(answers).size, 1)
    const fresh = (await failures(postern)).slice(0, answers.length)
    assert.equal((await failures(postern)).length, noted + answers.length)
    assert.deepEqual([...new Set(fresh.map(({ reason }) => reason))], ['domain_not_proven'])
    assert.deepEqual(await counts(postern), before)
    for (const { email, organizationId: own, accountId } of [stranger, invitedStranger]) {
      assert.deepEqual(await membershipsOf(postern, email), [own])
      assert.deepEqual(await identitiesOf(postern, accountId), [])
    }
    assert.deepEqual((await accountOf(postern, colleague))?.status, 'active')
    // A sign-in with the own password still accepts the invitation.
    const own = postern.client()
    await own.post('/v1/auth/sign-in/email', { email: colleague, password: PASSWORD })
    assert.equal((await own.get(`/v1/auth/token?organizationId=${organizationId}`)).status, 200)
    assert.ok(id)
  })

  it('knows those whom it has linked when the domain is lost, for its organization alone, and nobody new', async () => {
    const { postern } = await server()
    const org = await acme()
    const { admin, id, organizationId } = org
    const subject = atProvider(org.email())
    const first = await signIn(subject, { identityProviderId: id })
    const user = await assertSignedIn(first.client, first.answer)
    await inviteByMail(postern, await administrator(postern), String(subject.email))
    await loseDomain(org)
    const again = await signIn(subject, { identityProviderId: id })
    assert.equal((await assertSignedIn(again.client, again.answer)).id, user.id)
    const { session } = (await again.client.get('/v1/auth/session')).body
    assert.equal(session.organizationId, organizationId)
    assertError(await again.client.get('/v1/auth/factors'), 'FORBIDDEN', { reason: 'own_sign_in_required' })
    for (const other of [{ ...subject, sub: 'another' }, atProvider(org.email())]) {
      const { client, answer } = await signIn(other, { identityProviderId: id })
      assertRefused(client, answer, 'FORBIDDEN')
    }
    // After the removal the provider no longer knows the person, even with a new invitation.
    const path = `/v1/organizations/${organizationId}/members/${user.id}`
    assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
    await inviteByMail(postern, admin, String(subject.email))
    const gone = await signIn(subject, { identityProviderId: id })
    assertRefused(gone.client, gone.answer, 'FORBIDDEN')
  })

  test('begins no session in which an act of the account is done, by any route', async () => {
    const { postern } = await server()
    const org = await acme()
    const mate = await member(postern, org.admin, 'member', org.email())
    const to = newEmail('new')
    const body = { newEmail: to, currentPassword: PASSWORD }
    assert.equal((await mate.client.post('/v1/auth/change-email', body)).status, 200)
    const { token } = await mailAbout(postern, to, /^Confirm your new/)
    const { client, answer } = await signIn(atProvider(mate.email), { identityProviderId: org.id })
    await assertSignedIn(client, answer)
    const reason = 'own_sign_in_required'
    assertError(await client.post('/v1/auth/change-email/confirm', { token }), 'FORBIDDEN', { reason })
    const confirmed = await mate.client.post('/v1/auth/change-email/confirm', { token })
    assert.equal(confirmed.status, 200, confirmed.text)
    // Its own end is all that it may do beside.
    assert.equal((await client.post('/v1/auth/sign-out', {})).status, 200)
    assertError(await client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.equal((await mate.client.get('/v1/auth/session')).status, 200)
  })

  test('is not believed where it doubts the address itself', async () => {
    const { postern } = await server()
    const { id, email: newAddress } = await acme()
    const before = await counts(postern)
    const { client, answer } = await signIn(atProvider(newAddress(), { email_verified: false }), {
      identityProviderId: id,
    })
    assertRefused(client, answer, 'UNAUTHORIZED')
    assert.deepEqual(await counts(postern), before)
    // Some providers do not send `email_verified` (Entra ID); the domain of the organization suffices.
    const silent = await signIn(atProvider(newAddress(), { email_verified: undefined }), {
      identityProviderId: id,
    })
    await assertSignedIn(silent.client, silent.answer)
  })

  test('does not take one person for another by an address that the provider names now', async () => {
    const { postern } = await server()
    const { id, email: newAddress } = await acme()
    const boss = newAddress()
    const first = await signIn(atProvider(boss), { identityProviderId: id })
    const user = await assertSignedIn(first.client, first.answer)
    const renamed = await signIn(atProvider(boss), { identityProviderId: id })
    assertRefused(renamed.client, renamed.answer, 'UNAUTHORIZED')
    // A linked person keeps the account, even when the provider names the address of another one.
    const known = atProvider(newAddress())
    const own = await signIn(known, { identityProviderId: id })
    const { id: ownId } = await assertSignedIn(own.client, own.answer)
    const moved = await signIn({ ...known, email: boss }, { identityProviderId: id })
    assert.equal((await assertSignedIn(moved.client, moved.answer)).id, ownId)
    assert.notEqual(ownId, user.id)
    assert.equal((await auditOf(postern, boss, 'identity.linked')).length, 1)
  })

  it('keys a person by the provider: one issuer under two organizations is two', async () => {
    const { postern } = await server()
    const theirs = await acme()
    const subject = atProvider(theirs.email())
    const first = await signIn(subject, { identityProviderId: theirs.id })
    await assertSignedIn(first.client, first.answer)
    const evil = await acme()
    const { client, answer } = await signIn(subject, { identityProviderId: evil.id })
    assertRefused(client, answer, 'FORBIDDEN')
    const { id = '' } = (await accountOf(postern, String(subject.email))) ?? {}
    assert.equal((await identitiesOf(postern, id)).length, 1)
  })

  it('gives roles by its groups, the first that matches, at every sign-in', async () => {
    const { postern } = await server()
    const { admin, id, organizationId, email: newAddress } = await acme()
    const client = postern.client()
    const { token } = admin
    const role = (
      await client.post('/v1/roles', { name: 'Readers', permissions: ['events:read'] }, { token })
    ).body.id
    const rules = [
      { claim: 'groups', value: 'bosses', role: 'administrator' },
      { claim: 'groups', value: 'readers', role },
    ]
    const changed = await client.patch(
      `/v1/identity-providers/${id}`,
      { roleRules: rules, managesRoles: true },
      { token },
    )
    assert.equal(changed.status, 200, changed.text)
    assertError(await client.delete(`/v1/roles/${role}`, { token }), 'FORBIDDEN', { reason: 'role_in_use' })
    const subject = atProvider(newAddress())
    const roleAfter = async (groups: string[]) => {
      const entered = await signIn({ ...subject, groups }, { identityProviderId: id })
      return (await assertSignedIn(entered.client, entered.answer)).organizations[0].role
    }
    assert.equal(await roleAfter(['other', 'readers']), role)
    assert.equal(await roleAfter(['readers', 'bosses']), 'administrator')
    assert.equal(await roleAfter([]), 'member')
    // Without another administrator the last one stays one.
    assert.equal(await roleAfter(['bosses']), 'administrator')
    const path = `/v1/organizations/${organizationId}/members/${admin.accountId}`
    assert.equal((await client.patch(path, { role: 'member' }, { token })).status, 200)
    assert.equal(await roleAfter([]), 'administrator')
  })

  test('counts as a second factor only where it is meant to, and else the own one is asked for', async () => {
    const { postern } = await server()
    const { admin, id, organizationId, email: newAddress } = await acme()
    const { token } = admin
    const client = postern.client()
    const email = newAddress()
    const subject = atProvider(email)
    const from = { secondFactorRequiredFrom: '2020-01-01T00:00:00.000Z' }
    await enrolTotp(postern, admin)
    assert.equal((await client.patch(`/v1/organizations/${organizationId}`, from, { token })).status, 200)
    const plain = await signIn({ ...subject, amr: ['pwd'] }, { identityProviderId: id })
    await assertSignedIn(plain.client, plain.answer)
    assertError(await plain.client.get('/v1/auth/token'), 'FORBIDDEN', { reason: 'second_factor_required' })
    const meant = await client.patch(
      `/v1/identity-providers/${id}`,
      { secondFactorValues: ['mfa'] },
      { token },
    )
    assert.equal(meant.status, 200, meant.text)
    const vouched = await signIn({ ...subject, amr: ['pwd', 'mfa'] }, { identityProviderId: id })
    await assertSignedIn(vouched.client, vouched.answer)
    const own = await tokenOf(vouched.client)
    assert.equal((await client.get('/v1/events', { token: own })).status, 200)
    const lesser = await signIn({ ...subject, amr: ['pwd'] }, { identityProviderId: id })
    assertError(await lesser.client.get('/v1/auth/token'), 'FORBIDDEN', { reason: 'second_factor_required' })
  })

  test('asks for the own second factor of an account that has one, and the session is of the organization then, too', async () => {
    const { postern } = await server()
    const { id, organizationId, email: newAddress } = await acme()
    const email = newAddress()
    const other = await administrator(postern)
    const invited = await inviteByMail(postern, other, email)
    const own = postern.client()
    await own.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: invited.token }))
    const factor = await enrolTotp(postern, { client: own })
    const { client, answer } = await signIn(atProvider(email), { identityProviderId: id })
    assert.match(answer.headers.get('location') ?? '', /\/sign-in#second-factor$/)
    assertNoSession(client)
    const shown = await client.post('/v1/auth/sign-in/second-factor', { code: factor.code() })
    assert.equal(shown.status, 200, shown.text)
    assert.equal(shown.body.callbackURL, CALLBACK)
    assert.equal(shown.body.session.organizationId, organizationId)
    assertError(await client.get(`/v1/auth/token?organizationId=${other.organizationId}`), 'FORBIDDEN')
  })

  it('ends what it began when it is disabled or deleted, and the own session goes on', async () => {
    const { postern } = await server()
    const { admin, id, email: newAddress } = await acme()
    const { token } = admin
    const client = postern.client()
    for (const end of [
      () => client.patch(`/v1/identity-providers/${id}`, { status: 'disabled' }, { token }),
      () => client.delete(`/v1/identity-providers/${id}`, { token }),
    ]) {
      const active = await client.patch(`/v1/identity-providers/${id}`, { status: 'active' }, { token })
      assert.equal(active.status, 200, active.text)
      const email = newAddress()
      const entered = await signIn(atProvider(email), { email })
      await assertSignedIn(entered.client, entered.answer)
      const own = await tokenOf(entered.client)
      assert.equal((await client.get('/v1/events', { token: own })).status, 200)
      const waiting = postern.client()
      const authUrl = await beginSso(waiting, { email })
      assert.ok((await end()).status < 300)
      assertError(await entered.client.get('/v1/auth/session'), 'UNAUTHORIZED')
      assertError(await client.get('/v1/events', { token: own }), 'UNAUTHORIZED')
      const { openId } = await server()
      const late = await waiting.get(await openId.signIn(authUrl, atProvider(email)))
      assertError(late, 'VALIDATION_FAILED', { field: 'state' })
      assertError(await askSso(postern.client(), { email }), 'VALIDATION_FAILED', {
        reason: 'no_identity_provider',
      })
    }
    assert.equal((await admin.client.get('/v1/auth/session')).status, 200)
  })

  it('ends with the membership, and knows the person no more', async () => {
    const { postern } = await server()
    const { admin, id, organizationId, email: newAddress } = await acme()
    const email = newAddress()
    const entered = await signIn(atProvider(email), { email })
    const user = await assertSignedIn(entered.client, entered.answer)
    const removed = await postern
      .client()
      .delete(`/v1/organizations/${organizationId}/members/${user.id}`, { token: admin.token })
    assert.equal(removed.status, 204, removed.text)
    assertError(await entered.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.deepEqual(await identitiesOf(postern, user.id), [])
    // A new subject at the provider with the same address is linked to the account.
    const anew = await signIn(atProvider(email), { identityProviderId: id })
    assert.equal((await assertSignedIn(anew.client, anew.answer)).id, user.id)
  })

  test('answers for an address by its domain alone', async () => {
    const { postern } = await server()
    const { admin, id, domain } = await acme()
    const reason = 'no_identity_provider'
    const answers = [admin.email, newEmail('unknown')].map((email) => askSso(postern.client(), { email }))
    const [known, unknown] = await Promise.all(answers)
    for (const answer of [known, unknown]) assertError(answer as never, 'VALIDATION_FAILED', { reason })
    const texts = [known, unknown].map((answer) =>
      JSON.stringify(answer?.body.error).replaceAll(/[\w-]+@acme\.test|req_[\w-]+/g, 'its own'),
    )
    assert.equal(texts[0], texts[1])
    // The answer does not depend on whether there is an account.
    assert.equal((await askSso(postern.client(), { email: `nobody@${domain}` })).status, 200)
    assertError(await askSso(postern.client(), { email: `nobody@mail.${domain}` }), 'VALIDATION_FAILED', {
      reason,
    })
    assertError(await askSso(postern.client(), {}), 'MISSING_REQUIRED_FIELD')
    assertError(
      await askSso(postern.client(), { email: `a@${domain}`, identityProviderId: id }),
      'VALIDATION_FAILED',
    )
  })

  it('does not speak for a domain that another organization has proven', async () => {
    const { postern } = await server()
    const theirs = await acme()
    const evil = await acme()
    const email = theirs.email()
    const before = await counts(postern)
    const { client, answer } = await signIn(atProvider(email), { identityProviderId: evil.id })
    assertRefused(client, answer, 'FORBIDDEN')
    assert.deepEqual(await counts(postern), before)
  })

  it('is one of ten at most', async () => {
    const { postern, openId } = await server()
    const admin = await administrator(postern)
    for (let count = 0; count < 10; count += 1) await addProvider(admin)
    const body = { kind: 'oidc', name: 'One more', oidc: openId.oidc }
    assertError(
      await postern.client().post('/v1/identity-providers', body, { token: admin.token }),
      'FORBIDDEN',
      {
        reason: 'too_many_identity_providers',
      },
    )
    await prove(admin)
  })
})
