import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { administrator, member, newEmail } from '../support/people.ts'
import { platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { bringAnswer, newSamlProvider, readRequest } from '../support/saml-provider.ts'
import { directoryWith } from '../support/scim.ts'
import { auditOf, makeSetupLink, openSetupLink, putProvider } from '../support/setup-links.ts'
import { assertSignedIn } from '../support/social.ts'
import { askSso, atProvider, useSso } from '../support/sso.ts'

onBothEngines('a setup link', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sso = useSso(engine)
  let counter = 0
  const newName = () => {
    counter += 1
    return `it-${counter}-${process.pid}.test`
  }

  const testOf = async (it: Client) => {
    const begun = await it.post('/v1/setup/identity-provider/test')
    assert.equal(begun.status, 200, begun.text)
    return begun.body.authUrl as string
  }

  /** Has a domain proven by its record. */
  async function proveBy(it: Client, name = newName()) {
    const claimed = await it.post('/v1/setup/domains', { name })
    assert.equal(claimed.status, 200, claimed.text)
    const domain = claimed.body.domains.find((one: { name: string }) => one.name === name)
    assert.deepEqual([domain.status, domain.reason], ['pending', 'no_record'])
    sso.publish(domain.record.name, domain.record.value)
    const found = await it.post('/v1/setup/domains', { name })
    const after = found.body.domains.find((one: { name: string }) => one.name === name)
    assert.equal(after.status, 'verified', found.text)
    return name
  }

  it('leads a person without an account through domain, OpenID provider, test and directory, after which people sign in', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const { id, it, opened } = await openSetupLink(postern, admin, {
      ...{ activates: true, createsMemberships: true },
    })
    const { identityProvider, directory, status } = opened.body
    assert.equal(status, 'opened')
    const used = await postern.mailbox.next(admin.email)
    assert.equal(used.subject, 'The setup link for IT of Acme was opened')
    assert.match(used.text, /opened from 127\.0\.0\.1/)
    assert.deepEqual(opened.body.domains, [])
    assert.match(identityProvider.redirectUri, /\/v1\/auth\/callback\/idp_[0-9a-f-]{36}$/)
    assert.equal(identityProvider.kind, null)
    assert.equal(directory.hasKey, false)
    const domain = await proveBy(it)

    const entered = await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    assert.equal(entered.status, 200, entered.text)
    const { redirectUri } = identityProvider
    const { issuer, clientId } = openId.oidc
    assert.deepEqual(entered.body.identityProvider, {
      ...{ ...identityProvider, kind: 'oidc', status: 'disabled', issuer, clientId, isChangeable: true },
      test: null,
    })
    assert.ok(!entered.text.includes(openId.oidc.clientSecret), 'a secret is not shown')
    const provider = redirectUri.split('/').at(-1) ?? ''
    // It is off until a sign-in there has worked.
    const person = atProvider(`grace@${domain}`)
    assertError(await askSso(postern.client(), { email: person.email as string }), 'VALIDATION_FAILED')

    const back = await it.get(await openId.signIn(await testOf(it), person))
    assert.equal(back.status, 302, back.text)
    assert.match(back.headers.get('location') ?? '', /\/set-up#provider$/)
    assert.equal(it.cookies.has('session'), false, 'a test signs nobody in')
    const tested = (await it.get('/v1/setup')).body.identityProvider
    assert.deepEqual([tested.status, tested.isChangeable], ['active', false])
    const { at: _, ...result } = tested.test
    assert.deepEqual(result, { works: true, reason: null, address: 'proven' })
    assertError(await putProvider(it, { kind: 'oidc', oidc: openId.oidc }), 'FORBIDDEN', {
      reason: 'changed_elsewhere',
    })

    const made = await it.post('/v1/setup/directory')
    assert.equal(made.status, 201, made.text)
    assert.match(made.body.url, /\/scim\/v2$/)
    const scim = directoryWith(postern, made.body.key)
    assert.equal((await scim.get('/Users')).status, 200)
    assertError(await postern.client().get('/v1/audit-log', { token: made.body.key }), 'FORBIDDEN')
    assert.ok(!(await it.get('/v1/setup')).text.includes(made.body.key), 'a key is shown once')

    const finished = await it.post('/v1/setup/finish')
    assert.deepEqual([finished.status, finished.body.status], [200, 'finished'])
    assert.equal(it.cookies.has('setup'), false)
    const told = await postern.mailbox.next(admin.email)
    assert.equal(told.subject, 'The setup by the link for IT of Acme is finished')
    const { client, answer } = await sso.signIn(person, { email: person.email as string })
    assert.equal((await assertSignedIn(client, answer)).email, person.email)
    assert.equal((await scim.get('/Users')).status, 200)

    const call = { token: admin.token }
    const link = (await postern.client().get(`/v1/setup-links/${id}`, call)).body
    assert.deepEqual([link.status, link.identityProviderId], ['finished', provider])
    const names = (await postern.client().get(`/v1/actors?ids=${id}`, call)).body.data
    assert.deepEqual(names, [{ id, kind: 'setup_link', name: 'IT of Acme' }])
    assert.deepEqual(await auditOf(postern, admin, id), [
      ...['setup_link.finished', 'api_key.created', 'service_account.created'],
      ...['identity_provider.updated', 'identity_provider.tested', 'identity_provider.created'],
      ...['domain.verified', 'domain.created', 'setup_link.opened'],
    ])
  })

  test('adds a provider that stays disabled until an administrator enables it, who is told, and cannot while it may change', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const { id, it } = await openSetupLink(postern, admin, { purposes: ['provider'] })
    const entered = await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    const path = `/v1/identity-providers/${entered.body.identityProvider.redirectUri.split('/').at(-1)}`
    const enable = () => postern.client().patch(path, { status: 'active' }, call)
    await it.get(await openId.signIn(await testOf(it), atProvider('a@nowhere.test')))
    const { test: result, status } = (await it.get('/v1/setup')).body.identityProvider
    assert.deepEqual([result.works, result.address, status], [true, 'not_proven', 'disabled'])
    assertError(await enable(), 'FORBIDDEN', { reason: 'setup_under_way', setupLinkId: id })
    const problems = async () =>
      (await postern.client().get('/v1/problems', call)).body.data.filter(
        ({ kind }: { kind: string }) => kind === 'identity_provider',
      )
    assert.deepEqual(await problems(), [])
    assert.equal((await it.post('/v1/setup/finish')).status, 200)
    const [problem] = await problems()
    assert.deepEqual([problem.state, problem.reason], ['waiting', 'setup_finished'])
    assert.equal((await enable()).status, 200)
    assert.deepEqual(await problems(), [])
  })

  test('adds a provider that comes after one that an administrator has added since the link was made', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const { name } = await sso.prove(admin)
    const { it } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    const own = await sso.addProvider(admin)
    postern.clock.advance(SECOND)
    await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    await it.get(await openId.signIn(await testOf(it), atProvider('a@nowhere.test')))
    assert.equal((await it.get('/v1/setup')).body.identityProvider.status, 'active')
    for (const named of [{ email: `a@${name}` }, { organizationId: admin.organizationId }]) {
      const { body } = await askSso(postern.client(), named)
      const redirectUri = new URL(body.authUrl).searchParams.get('redirect_uri') ?? ''
      assert.equal(redirectUri.split('/').at(-1), own)
    }
    const { data } = (await postern.client().get('/v1/identity-providers', { token: admin.token })).body
    assert.equal(data[0].id, own)
  })

  test('says why a sign-in at the provider did not work, and takes better settings', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const { it } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    const wrong = { ...openId.oidc, clientSecret: 'another secret' }
    assert.equal((await putProvider(it, { kind: 'oidc', oidc: wrong })).status, 200)
    const trip = async () => it.get(await openId.signIn(await testOf(it), atProvider('a@nowhere.test')))
    assert.match((await trip()).headers.get('location') ?? '', /\/set-up#provider$/)
    const failed = (await it.get('/v1/setup')).body.identityProvider
    assert.deepEqual(
      [failed.status, failed.test.works, failed.test.reason],
      [...['disabled', false, 'invalid_client']],
    )
    const right = await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    assert.equal(right.body.identityProvider.test, null)
    await trip()
    assert.equal((await it.get('/v1/setup')).body.identityProvider.status, 'active')
  })

  test('leads through SAML, from the names to enter there to an answer that is read', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const { it, opened } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    const idp = newSamlProvider()
    const entered = await putProvider(it, { kind: 'saml', saml: idp.saml })
    assert.equal(entered.status, 200, entered.text)
    const authUrl = await testOf(it)
    const request = readRequest(authUrl)
    const { redirectUri, ownEntityId } = opened.body.identityProvider
    assert.deepEqual([request.acsUrl, request.issuer], [redirectUri, ownEntityId])
    const answer = idp.answer(authUrl, { nameId: 'ada' }, { now: postern.clock.now() })
    const back = await bringAnswer(it, postern.client(), request, answer)
    assert.match(back.headers.get('location') ?? '', /\/set-up#provider$/)
    const { status, test: result } = (await it.get('/v1/setup')).body.identityProvider
    assert.deepEqual([status, result.works, result.address], ['active', true, 'none'])
    assert.equal(it.cookies.has('session'), false)
  })

  test('is mailed to whom it is for, in a language, and its answer then has no link', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const email = newEmail('it')
    const wish = { name: 'IT', purposes: ['domains'], email, language: 'de', expiresInDays: 3 }
    const made = await postern.client().post('/v1/setup-links', wish, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.url, undefined)
    const mail = await postern.mailbox.next(email)
    assert.match(mail.subject, /^Anmeldung von .+ einrichten$/)
    assert.match(mail.text, /3 Tage lang/)
    const token = new URL(mail.link).hash.slice(1)
    assert.equal((await postern.client().post('/v1/setup/open', { token })).status, 200)
  })

  test('gives no more than its maker has: all permissions, but for domains alone, and no more time', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const wish = { name: 'narrow', role: 'administrator', scopes: ['sign_in:write', 'sign_in:read'] }
    const key = await postern
      .client()
      .post('/v1/api-keys', { ...wish, expiresInDays: 2 }, { token: admin.token })
    const narrow = { token: key.body.key }
    const ask = (purposes: string[]) =>
      postern.client().post('/v1/setup-links', { name: 'IT', purposes }, narrow)
    for (const purpose of ['provider', 'directory'])
      assertError(await ask(['domains', purpose]), 'FORBIDDEN', { reason: 'all_permissions_required' })
    const made = await ask(['domains'])
    assert.equal(made.body.expiresAt, key.body.expiresAt)
    const whole = { name: 'whole', role: 'administrator' }
    const brief = await postern
      .client()
      .post('/v1/api-keys', { ...whole, expiresInDays: 2 }, { token: admin.token })
    const directory = { name: 'IT', purposes: ['directory'] }
    // The key of the directory would outlive the one that made the link.
    assertError(
      await postern.client().post('/v1/setup-links', directory, { token: brief.body.key }),
      'FORBIDDEN',
      {
        reason: 'beyond_own_expiry',
      },
    )
    const { key: token, id: platformKeyId } = await platformKey(postern, { scopes: null })
    const headers = { 'postern-organization': admin.organizationId }
    const byPlatform = await postern
      .client()
      .post('/v1/setup-links', { name: 'IT', purposes: ['provider'] }, { token, headers })
    assert.equal(byPlatform.status, 201, byPlatform.text)
    const it = postern.client()
    const secret = new URL(byPlatform.body.url).hash.slice(1)
    assert.equal((await it.post('/v1/setup/open', { token: secret })).status, 200)
    const ended = await postern.client().delete(`/v1/operator/platform-keys/${platformKeyId}`, {
      token: OPERATOR_TOKEN,
    })
    assert.equal(ended.status, 204, ended.text)
    assertError(await it.get('/v1/setup'), 'UNAUTHORIZED')
  })

  it('is one of ten that are open, which each end gives back', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const ids: string[] = []
    for (let made = 0; made < 10; made += 1) ids.push((await makeSetupLink(postern, admin)).id)
    const wish = { name: 'IT', purposes: ['domains'] }
    const more = () => postern.client().post('/v1/setup-links', wish, call)
    assertError(await more(), 'FORBIDDEN', { reason: 'too_many_setup_links', limit: 10 })
    assert.equal((await postern.client().delete(`/v1/setup-links/${ids[0]}`, call)).status, 204)
    assert.equal((await postern.client().delete(`/v1/setup-links/${ids[0]}`, call)).status, 204)
    assert.equal((await more()).status, 201)
    const { data } = (await postern.client().get('/v1/setup-links?limit=100', call)).body
    assert.deepEqual(
      data.map(({ status }: { status: string }) => status),
      [...Array.from({ length: 10 }, () => 'pending'), 'revoked'],
    )
    assert.ok(data.every(({ url }: { url?: string }) => url === undefined))
    // The filter is the server's: its pages have no gaps, and a link leaves it with its time.
    const open = async (query: string) =>
      (await postern.client().get(`/v1/setup-links?onlyOpen=true&${query}`, call)).body
    const first = await open('limit=6')
    const second = await open(`limit=6&cursor=${first.nextCursor}`)
    assert.deepEqual([...first.data, ...second.data], data.slice(0, 10))
    assert.equal(second.nextCursor, null)
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('setup_link')
        .set({ expires_at: postern.clock.now() })
        .where('id', '=', data[0].id)
        .execute(),
    )
    assert.deepEqual((await open('limit=20')).data, data.slice(1, 10))
  })

  test('takes up a domain that an administrator has claimed, and claims ten of its own', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const name = newName()
    await postern.client().post('/v1/domains', { name }, { token: admin.token })
    const { it } = await openSetupLink(postern, admin, { purposes: ['domains'] })
    await proveBy(it, name)
    for (let claimed = 0; claimed < 10; claimed += 1)
      assert.equal((await it.post('/v1/setup/domains', { name: newName() })).status, 200)
    assertError(await it.post('/v1/setup/domains', { name: newName() }), 'FORBIDDEN', {
      ...{ reason: 'too_many_domains', limit: 10 },
    })
    assertError(await it.post('/v1/setup/domains', { name: 'not a domain' }), 'VALIDATION_FAILED', {
      reason: 'not_a_domain',
    })
    const other = await openSetupLink(postern, await administrator(postern), { purposes: ['domains'] })
    const theirs = await other.it.post('/v1/setup/domains', { name })
    const { record } = (await other.it.get('/v1/setup')).body.domains[0]
    assert.equal(theirs.body.domains[0].reason, 'other_value')
    sso.publish(record.name, record.value)
    assertError(await other.it.post('/v1/setup/domains', { name }), 'DUPLICATE', {
      reason: 'proven_elsewhere',
    })
  })

  it('ends at its time, and while its organization is disabled', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const { it } = await openSetupLink(postern, admin, { purposes: ['domains'], expiresInDays: 1 })
    const path = `/v1/operator/organizations/${admin.organizationId}`
    const set = (status: string) => postern.client().patch(path, { status }, { token: OPERATOR_TOKEN })
    const later = await makeSetupLink(postern, admin, { expiresInDays: 1 })
    assert.equal((await set('disabled')).status, 200)
    assertError(await it.get('/v1/setup'), 'UNAUTHORIZED')
    assertError(await it.post('/v1/setup/domains', { name: newName() }), 'UNAUTHORIZED')
    assertError(await postern.client().post('/v1/setup/open', { token: later.secret }), 'ENTITY_NOT_FOUND')
    assert.equal((await set('active')).status, 200)
    assert.equal((await it.get('/v1/setup')).status, 200)
    postern.clock.advance(DAY + SECOND)
    assertError(await it.get('/v1/setup'), 'UNAUTHORIZED')
    assertError(await postern.client().post('/v1/setup/open', { token: later.secret }), 'ENTITY_NOT_FOUND')
  })

  it('lets a directory have one key, the newest, which ends with those of its maker', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const maker = await member(postern, admin, 'administrator')
    const { it } = await openSetupLink(postern, maker, { purposes: ['directory'] })
    const [first, second] = [await it.post('/v1/setup/directory'), await it.post('/v1/setup/directory')]
    const usersBy = async (key: string) => (await directoryWith(postern, key).get('/Users')).status
    assert.deepEqual([await usersBy(first.body.key), await usersBy(second.body.key)], [401, 200])
    const path = `/v1/organizations/${admin.organizationId}/members/${maker.accountId}?endKeys=true`
    assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
    assert.equal(await usersBy(second.body.key), 401)
    assertError(await it.post('/v1/setup/directory'), 'UNAUTHORIZED')
  })
})
