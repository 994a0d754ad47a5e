import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { administrator, member } from '../support/people.ts'
import { platformKey } from '../support/platform.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { makeSetupLink, openSetupLink, putProvider } from '../support/setup-links.ts'
import { assertRefused } from '../support/social.ts'
import { atProvider, useSso } from '../support/sso.ts'

const PLACES = ['domains', 'directory', 'identity-provider/test', 'finish']

onBothEngines('a setup link in the wrong hands', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const sso = useSso(engine)
  const testOf = async (it: ReturnType<Awaited<ReturnType<typeof sso.server>>['postern']['client']>) =>
    (await it.post('/v1/setup/identity-provider/test')).body.authUrl as string

  it('is opened by one of twenty browsers at once, and by no other one afterwards, nor after it is finished', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const { secret } = await makeSetupLink(postern, admin)
    const browsers = Array.from({ length: 20 }, () => postern.client())
    const answers = await Promise.all(browsers.map((one) => one.post('/v1/setup/open', { token: secret })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertError(answer, 'ENTITY_NOT_FOUND', { field: 'token', reason: 'opened_elsewhere' })
    const it = browsers[answers.findIndex(({ status }) => status === 200)] ?? postern.client()
    // The browser that opened it may load the page again.
    assert.equal((await it.post('/v1/setup/open', { token: secret })).status, 200)
    const cookie = `setup=${it.cookies.get('setup')}`
    assert.equal((await it.post('/v1/setup/finish')).status, 200)
    for (const client of [it, postern.client()]) {
      const late = await client.post('/v1/setup/open', { token: secret })
      assertError(late, 'ENTITY_NOT_FOUND', { field: 'token' })
      assert.equal(late.body.error.details.reason, undefined)
    }
    assertError(await postern.client().get('/v1/setup', { headers: { cookie } }), 'UNAUTHORIZED')
  })

  test('is made without settings of a provider that it may not add', async () => {
    const { postern } = await sso.server()
    const { client, token } = await administrator(postern)
    for (const field of ['activates', 'createsMemberships'])
      assertError(
        await client.post(
          '/v1/setup-links',
          { name: 'IT', purposes: ['domains', 'directory'], [field]: true },
          { token },
        ),
        'VALIDATION_FAILED',
        { field, value: true, reason: 'no_provider_purpose' },
      )
  })

  test('is not opened in a browser that has another setup open, whose page would write into another organization', async () => {
    const { postern, openId } = await sso.server()
    const [acme, evil] = [await administrator(postern), await administrator(postern)]
    const { it, id } = await openSetupLink(postern, acme)
    const other = await makeSetupLink(postern, evil)
    const open = () => it.post('/v1/setup/open', { token: other.secret })
    assertError(await open(), 'FORBIDDEN', { reason: 'another_setup' })
    assert.equal((await putProvider(it, { kind: 'oidc', oidc: openId.oidc })).status, 200)
    const theirs = await postern.client().get('/v1/identity-providers', { token: evil.token })
    assert.deepEqual(theirs.body.data, [])
    // The link is not used up, and can be opened after the other one has ended.
    assert.equal((await postern.client().delete(`/v1/setup-links/${id}`, { token: acme.token })).status, 204)
    assert.equal((await open()).status, 200)
    assert.equal((await it.post('/v1/setup/finish')).status, 200)
  })

  test('keeps its token out of the store, the log and the requested pages', async () => {
    const { postern } = await sso.server()
    const { secret, it } = await openSetupLink(postern, await administrator(postern))
    const rows = JSON.stringify(await postern.app.database.db.selectFrom('setup_link').selectAll().execute())
    for (const value of [secret, it.cookies.get('setup') ?? '']) assert.ok(!rows.includes(value))
    const page = await it.get('/set-up')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal((await it.get('/v1/setup')).headers.get('cache-control'), 'no-store')
    // Mail scanners request the page without the fragment.
    assert.ok(!page.text.includes(secret))
  })

  test('does nothing without its cookie, with a foreign purpose, from another site, or as a person', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const { it } = await openSetupLink(postern, admin, { purposes: ['domains'] })
    const cookies = [
      '',
      'setup=garbage',
      `setup=${'x'.repeat(43)}`,
      `setup=${admin.client.cookies.get('session')}`,
    ]
    for (const cookie of cookies) {
      assertError(await postern.client().get('/v1/setup', { headers: { cookie } }), 'UNAUTHORIZED')
      for (const place of PLACES) {
        const body = place === 'domains' ? { name: 'acme.test' } : {}
        assertError(
          await postern.client().post(`/v1/setup/${place}`, body, { headers: { cookie } }),
          'UNAUTHORIZED',
        )
      }
    }
    const purpose = { reason: 'another_purpose' }
    assertError(await putProvider(it, { kind: 'oidc', oidc: openId.oidc }), 'FORBIDDEN', purpose)
    assertError(await it.post('/v1/setup/identity-provider/test'), 'FORBIDDEN', purpose)
    assertError(await it.post('/v1/setup/directory'), 'FORBIDDEN', purpose)
    const headers = { origin: 'https://evil.test' }
    assertError(await it.post('/v1/setup/finish', {}, { headers }), 'FORBIDDEN', { reason: 'cross_site' })
    for (const path of ['/v1/auth/session', '/v1/identity-providers', '/v1/audit-log'])
      assertError(await it.get(path), 'UNAUTHORIZED')
    assert.equal((await it.get('/v1/setup')).body.identityProvider, null)
  })

  test('ends on its way to the provider: an answer to a revoked link changes nothing', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const { id, it } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    const callback = await openId.signIn(await testOf(it), atProvider('a@nowhere.test'))
    assert.equal((await postern.client().delete(`/v1/setup-links/${id}`, call)).status, 204)
    assert.equal((await it.get(callback)).status, 400)
    assertError(await putProvider(it, { kind: 'oidc', oidc: openId.oidc }), 'UNAUTHORIZED')
    const [provider] = (await postern.client().get('/v1/identity-providers', call)).body.data
    assert.equal(provider.status, 'disabled')
  })

  it('counts no answer after it is finished, and the audit log has why', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const { it } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    const callback = await openId.signIn(await testOf(it), atProvider('a@nowhere.test'))
    assert.equal((await it.post('/v1/setup/finish')).status, 200)
    const back = await it.get(callback)
    assert.equal(back.status, 302)
    assert.match(back.headers.get('location') ?? '', /error=UNAUTHORIZED/)
    const [provider] = (await postern.client().get('/v1/identity-providers', call)).body.data
    assert.equal(provider.status, 'disabled')
    const log = await postern.client().get('/v1/audit-log?action=sign_in.failed', call)
    const [{ details }] = log.body.data
    assert.deepEqual(
      [details.how, details.code, details.reason],
      [provider.id, 'UNAUTHORIZED', 'setup_ended'],
    )
  })

  test('counts no answer of settings that were replaced, of another browser, or that came before', async () => {
    const { postern, openId } = await sso.server()
    const admin = await administrator(postern)
    const { it } = await openSetupLink(postern, admin, { purposes: ['provider'], activates: true })
    const entered = { kind: 'oidc', oidc: openId.oidc }
    await putProvider(it, entered)
    const callback = await openId.signIn(await testOf(it), atProvider('a@nowhere.test'))
    const stolen = await postern.client().get(callback)
    assert.equal(stolen.status, 400)
    await putProvider(it, entered)
    assert.equal((await it.get(callback)).status, 400)
    const { test: result, status } = (await it.get('/v1/setup')).body.identityProvider
    assert.deepEqual([result, status], [null, 'disabled'])
  })

  it('leaves no key of a directory behind that is made while its maker ends, and nothing waits in a circle', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const keysAfter = async (it: ReturnType<typeof postern.client>, end: () => Promise<unknown>) => {
      const make = () => it.post('/v1/setup/directory')
      assert.equal((await make()).status, 201)
      const made = [make(), make(), make()]
      const ended = end()
      for (const { status, text } of await Promise.all([...made, make(), make()]))
        assert.ok([201, 401].includes(status), text)
      await ended
      return (await postern.client().get('/v1/api-keys', { token: admin.token })).body.data
    }
    for (let round = 0; round < 3; round += 1) {
      const { key: token, id } = await platformKey(postern, { scopes: null })
      const headers = { 'postern-organization': admin.organizationId }
      const wish = { name: 'IT', purposes: ['directory'] }
      const { body } = await postern.client().post('/v1/setup-links', wish, { token, headers })
      const it = postern.client()
      await it.post('/v1/setup/open', { token: new URL(body.url).hash.slice(1) })
      const path = `/v1/operator/platform-keys/${id}?withMade=true`
      const end = async () =>
        assert.equal((await postern.client().delete(path, { token: OPERATOR_TOKEN })).status, 204)
      assert.deepEqual(await keysAfter(it, end), [])
    }
    for (let round = 0; round < 3; round += 1) {
      const maker = await member(postern, admin, 'administrator')
      const { it } = await openSetupLink(postern, maker, { purposes: ['directory'] })
      const end = async () => {
        const query = round === 0 ? `?endKeys=true&email=${maker.email}` : ''
        const ended = await postern.client().call(`/v1/operator/accounts/${maker.accountId}${query}`, {
          ...(round === 0
            ? { method: 'DELETE' }
            : { method: 'PATCH', body: { status: 'disabled', endKeys: true } }),
          token: OPERATOR_TOKEN,
        })
        assert.ok([200, 204].includes(ended.status), ended.text)
      }
      assert.deepEqual(await keysAfter(it, end), [])
    }
  })

  it('makes no other key where an administrator has deleted, rotated or limited the one of the directory', async () => {
    const { postern } = await sso.server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const acts: [method: string, path: string, body: object | undefined, status: number][] = [
      ['DELETE', '', undefined, 204],
      ['POST', '/rotate', {}, 200],
      ['PATCH', '', { allowedAddresses: ['10.0.0.0/8'] }, 200],
      ['PATCH', '', { expiresInDays: 1 }, 200],
    ]
    for (const [method, path, body, status] of acts) {
      const { it } = await openSetupLink(postern, admin, { purposes: ['directory'] })
      assert.equal((await it.post('/v1/setup/directory')).status, 201)
      const keys = async () => (await postern.client().get('/v1/api-keys', call)).body.data
      const [{ id }] = await keys()
      const done = await postern.client().call(`/v1/api-keys/${id}${path}`, { ...call, method, body })
      assert.equal(done.status, status, done.text)
      const before = await keys()
      assertError(await it.post('/v1/setup/directory'), 'FORBIDDEN', { reason: 'key_changed_elsewhere' })
      assert.deepEqual(await keys(), before)
    }
    const { it } = await openSetupLink(postern, admin, {
      name: `${'a'.repeat(88)}😀`,
      purposes: ['directory'],
    })
    assert.equal((await it.post('/v1/setup/directory')).status, 201)
    const [{ name }] = (await postern.client().get('/v1/api-keys', call)).body.data
    assert.equal(name, `Directory: ${'a'.repeat(88)}😀`)
  })

  test('changes no provider of another organization, of an administrator, or that one has enabled or deleted', async () => {
    const { postern, openId } = await sso.server()
    const acme = await sso.acme()
    const call = { token: acme.admin.token }
    const { it, opened } = await openSetupLink(postern, acme.admin, { purposes: ['provider'] })
    const body = { kind: 'oidc', oidc: openId.oidc }
    assertError(await putProvider(it, { ...body, id: acme.id }), 'VALIDATION_FAILED', { field: 'id' })
    // Both changes happen at the same time.
    using _stopped = postern.clock.stop()
    await putProvider(it, body)
    const { data } = (await postern.client().get('/v1/identity-providers', call)).body
    assert.equal(data.length, 2)
    assert.ok(data.some(({ id }: { id: string }) => opened.body.identityProvider.redirectUri.endsWith(id)))
    const path = `/v1/identity-providers/${opened.body.identityProvider.redirectUri.split('/').at(-1)}`
    const renamed = await postern.client().patch(path, { name: 'Looked at' }, call)
    assert.equal(renamed.status, 200, renamed.text)
    const changed = { reason: 'changed_elsewhere' }
    assertError(await putProvider(it, body), 'FORBIDDEN', changed)
    // The link can no longer change it, so it may be enabled.
    assert.equal((await postern.client().patch(path, { status: 'active' }, call)).status, 200)
    assertError(await it.post('/v1/setup/identity-provider/test'), 'FORBIDDEN', changed)
    assert.equal((await postern.client().delete(path, call)).status, 204)
    assertError(await putProvider(it, body), 'FORBIDDEN', changed)
  })

  test('reaches no address of a private network, and reads no metadata that are too large or mean harm', async () => {
    const { postern } = await sso.server()
    const { it } = await openSetupLink(postern, await administrator(postern), { purposes: ['provider'] })
    const oidcAt = (issuer: string) => ({ kind: 'oidc', oidc: { issuer, clientId: 'x', clientSecret: 'y' } })
    const addresses = [
      'https://10.0.0.1/',
      'https://169.254.169.254/latest',
      'https://[fd00::1]/',
      'https://0x0a000001/',
    ]
    for (const issuer of addresses)
      assertError(await putProvider(it, oidcAt(issuer)), 'VALIDATION_FAILED', { field: 'oidc.issuer' })
    assertError(await putProvider(it, oidcAt('file:///etc/passwd')), 'VALIDATION_FAILED')
    assertError(
      await putProvider(it, oidcAt('https://login.microsoftonline.com/common/v2.0')),
      'VALIDATION_FAILED',
      {
        reason: 'shared_issuer',
      },
    )
    const saml = (metadata: string) => putProvider(it, { kind: 'saml', saml: { metadata } })
    assertError(await saml('x'.repeat(200_001)), 'VALIDATION_FAILED', { field: 'saml.metadata' })
    const harm = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    assertError(await saml(harm), 'VALIDATION_FAILED', { field: 'saml.metadata' })
    assert.equal((await it.get('/v1/setup')).body.identityProvider.kind, null)
  })

  test('signs no person in, for any answer of the provider', async () => {
    const { postern, openId } = await sso.server()
    const acme = await sso.acme()
    const { it } = await openSetupLink(postern, acme.admin, { purposes: ['provider'], activates: true })
    await putProvider(it, { kind: 'oidc', oidc: openId.oidc })
    const person = atProvider(acme.email())
    const back = await it.get(await openId.signIn(await testOf(it), person))
    assert.match(back.headers.get('location') ?? '', /\/set-up#provider$/)
    assert.equal(it.cookies.has('session'), false)
    const accounts = await postern.app.database.db
      .selectFrom('account')
      .select('id')
      .where('email', '=', person.email as string)
      .execute()
    assert.deepEqual(accounts, [])
    // A stranger's address at an enabled provider is still refused.
    const { client, answer } = await sso.signIn(atProvider('b@nowhere.test'), {
      organizationId: acme.organizationId,
    })
    assertRefused(client, answer, 'FORBIDDEN')
  })
})
