import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import {
  assertConnected,
  assertNotConnected,
  BACK,
  beginConnecting,
  connectReal,
  readConnection,
  useConnections,
} from '../support/connections.ts'
import { holdRows } from '../support/held-rows.ts'
import { administrator, apiKey, changeRole, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { until } from '../support/waits.ts'

onBothEngines('connecting an account at a provider', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = useConnections(engine)

  it('goes through the provider and back, with PKCE, state and nonce', async () => {
    const { postern, real } = await server()
    const admin = await administrator(postern)
    const authUrl = new URL(await beginConnecting(admin, 'real'))
    assert.equal(authUrl.origin, real.issuer)
    const query = Object.fromEntries(authUrl.searchParams)
    assert.equal(
      query.redirect_uri,
      `http://localhost:${postern.env.PORT}/v1/connections/oauth/callback/real`,
    )
    assert.equal(query.code_challenge_method, 'S256')
    assert.match(query.code_challenge ?? '', /^[\w-]{43}$/)
    assert.match(query.state ?? '', /^[\w-]{43}$/)
    assert.match(query.nonce ?? '', /^[\w-]{43}$/)
    assert.equal(query.prompt, 'consent')
    assert.equal(query.scope, 'openid offline_access email')
    const id = assertConnected(await admin.client.get(await real.consent(authUrl.href, 'ada-at-real')))
    const shown = await readConnection({ postern }, admin, id)
    assert.equal(shown.status, 'active')
    assert.equal(shown.provider, 'real')
    assert.equal(shown.subject, 'ada-at-real')
    assert.equal(shown.refreshable, true)
    assert.deepEqual(shown.scopes, ['openid', 'offline_access', 'email'])
    assert.equal(shown.createdBy, admin.accountId)
    assert.ok(shown.expiresAt > shown.createdAt)
    const list = await postern.client().get('/v1/connections?limit=1', { token: admin.token })
    assert.deepEqual(list.body.data, [shown])
  })

  test('can be asked for by the names that any member reads, with the scopes that each asks for', async () => {
    const { postern, real, wild } = await server()
    const admin = await administrator(postern)
    const { token } = await member(postern, admin)
    const { body } = await postern.client().get('/v1/connections/providers', { token })
    assert.deepEqual(body, {
      data: [
        { name: 'real', scopes: ['openid', 'offline_access', 'email'], apiHosts: [real.host] },
        { name: 'wild', scopes: ['read', 'write'], apiHosts: [wild.host] },
      ],
      nextCursor: null,
    })
  })

  it('renews the connection to the same account instead of making another', async () => {
    const context = await server()
    const { postern, real } = context
    const admin = await administrator(postern)
    const first = await connectReal(context, admin, 'twice')
    await real.takeBack('twice')
    const refused = await postern
      .client()
      .post(`/v1/connections/${first}/refresh`, {}, { token: admin.token })
    assertError(refused, 'INTEGRATION_REVOKED')
    assert.equal((await readConnection(context, admin, first)).status, 'revoked')
    assert.equal(await connectReal(context, admin, 'twice'), first)
    const renewed = await readConnection(context, admin, first)
    assert.equal(renewed.status, 'active')
    assert.equal(renewed.lastError, null)
    assert.notEqual(await connectReal(context, admin, 'another'), first)
    const other = await administrator(postern)
    assert.notEqual(await connectReal(context, other, 'twice'), first)
    const actions = await postern.client().get('/v1/audit-log', { token: admin.token })
    assert.deepEqual(
      actions.body.data
        .map(({ action }: { action: string }) => action)
        .filter((action: string) => action.startsWith('connection.')),
      ['connection.created', 'connection.renewed', 'connection.revoked', 'connection.created'],
    )
  })

  test('asks only an administrator, or a key of one', async () => {
    const { postern, admin } = await server()
    const plain = await member(postern, admin)
    const body = { provider: 'wild', redirectUrl: BACK }
    const refused = await plain.client.post('/v1/connections/oauth/authorize', body, { token: plain.token })
    assertError(refused, 'FORBIDDEN')
    const machine = postern.client()
    const token = await apiKey(postern, admin)
    const answer = await machine.post('/v1/connections/oauth/authorize', body, { token })
    assert.equal(answer.status, 200, answer.text)
    const [cookie = ''] = answer.headers.getSetCookie()
    assert.match(cookie, /^connect=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('sends browsers only where the operator allows', async () => {
    const { admin } = await server()
    for (const redirectUrl of [
      'https://evil.test/',
      'https://app.acme.test.evil.test/',
      'https://app.acme.test@evil.test/',
      '//evil.test/',
      'javascript:alert(1)',
      'https:\\\\evil.test',
    ]) {
      const body = { provider: 'wild', redirectUrl }
      const answer = await admin.client.post('/v1/connections/oauth/authorize', body, { token: admin.token })
      assertError(answer, 'VALIDATION_FAILED', { field: 'redirectUrl', reason: 'origin_not_allowed' })
    }
    const unknown = { provider: 'nobody', redirectUrl: BACK }
    const answer = await admin.client.post('/v1/connections/oauth/authorize', unknown, { token: admin.token })
    assertError(answer, 'VALIDATION_FAILED', { field: 'provider', reason: 'not_configured' })
  })

  it('takes a state once, in time, in its browser and at its provider alone', async () => {
    const context = await server()
    const { postern, wild } = context
    const admin = await administrator(postern)
    const authUrl = await beginConnecting(admin, 'wild')
    const callback = wild.authorize(authUrl)
    const state = new URL(authUrl).searchParams.get('state') ?? ''
    const stranger = postern.client()
    const other = await administrator(postern)
    await beginConnecting(other, 'wild')
    for (const [client, path] of [
      [admin.client, '/v1/connections/oauth/callback/wild'],
      [admin.client, '/v1/connections/oauth/callback/wild?code=x&state='],
      [admin.client, callback.replace(state, `${state}x`)],
      [admin.client, callback.replace('/wild?', '/real?')],
      [stranger, callback],
      [other.client, callback],
    ] as const) {
      assertError(await client.get(path), 'VALIDATION_FAILED', { field: 'state' })
    }
    assertError(
      await admin.client.get('/v1/connections/oauth/callback/nobody?state=x'),
      'VALIDATION_FAILED',
      {
        field: 'provider',
      },
    )
    const cookie = [...admin.client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const asked = wild.forms.length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => postern.client().get(callback, { headers: { cookie } })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [302, ...Array<number>(19).fill(400)])
    assert.equal(wild.forms.length, asked + 1)
    const late = wild.authorize(await beginConnecting(admin, 'wild'))
    postern.clock.advance(LIFETIME.connectionState)
    assertError(await admin.client.get(late), 'VALIDATION_FAILED', { field: 'state' })
  })

  it('gives no connection to who has lost the right to it on the way', async () => {
    const context = await server()
    const { postern, wild } = context
    const admin = await administrator(postern)
    const leaver = await member(postern, admin, 'administrator')
    const authUrl = await beginConnecting(leaver, 'wild')
    await changeRole(postern, admin, leaver, 'member')
    const before = wild.givenBack.length
    assertNotConnected(await leaver.client.get(wild.authorize(authUrl)), 'FORBIDDEN')
    // What the provider had handed over already is given back.
    await until(
      () => wild.givenBack.length,
      (count) => count === before + 2,
      { what: 'tokens to be revoked' },
    )
  })

  if (engine === 'postgres')
    it('keeps nothing of who is demoted at the moment at which the browser comes back', async () => {
      const { postern, wild } = await server()
      const admin = await administrator(postern)
      const leaver = await member(postern, admin, 'administrator')
      const authUrl = await beginConnecting(leaver, 'wild')
      const rows = await holdRows(postern, 'membership', 'account_id = $1', [leaver.accountId])
      try {
        const path = `/v1/organizations/${admin.organizationId}/members/${leaver.accountId}`
        const demoted = await rows.lineUp(() =>
          postern.client().patch(path, { role: 'member' }, { token: admin.token }),
        )
        const back = await rows.lineUp(() => leaver.client.get(wild.authorize(authUrl)))
        await rows.release()
        assert.equal((await demoted.answer).status, 200)
        assertNotConnected(await back.answer, 'FORBIDDEN')
      } finally {
        await rows.release()
      }
      const kept = await postern.client().get('/v1/connections', { token: admin.token })
      assert.deepEqual(kept.body.data, [])
    })

  test('sends the browser back with what went wrong, and keeps nothing', async () => {
    const context = await server()
    const { postern, wild } = context
    const admin = await administrator(postern)
    const json =
      (status: number, body: unknown) => (_request: unknown, response: import('node:http').ServerResponse) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const come = async (more: Record<string, string> = {}) =>
      admin.client.get(wild.authorize(await beginConnecting(admin, 'wild'), more))
    assertNotConnected(await come({ error: 'access_denied' }), 'FORBIDDEN')
    assertNotConnected(await come({ error: 'temporarily_unavailable' }), 'INTEGRATION_PROVIDER_ERROR')
    const cases: [string, (typeof wild.instead)['token']][] = [
      ['UNAUTHORIZED', json(400, { error: 'invalid_grant' })],
      // As GitHub says it.
      ['UNAUTHORIZED', json(200, { error: 'bad_verification_code' })],
      ['INTEGRATION_PROVIDER_ERROR', json(401, { error: 'invalid_client' })],
      ['INTEGRATION_PROVIDER_ERROR', json(503, { error: 'invalid_grant' })],
      ['INTEGRATION_PROVIDER_ERROR', json(200, { access_token: 'a', token_type: 'mac' })],
      ['INTEGRATION_PROVIDER_ERROR', json(200, { access_token: 'a\r\nx: y', token_type: 'bearer' })],
      ['INTEGRATION_PROVIDER_ERROR', json(200, { token_type: 'bearer' })],
      ['INTEGRATION_PROVIDER_ERROR', json(200, { access_token: 'a', token_type: 'bearer', expires_in: -1 })],
      ['INTEGRATION_PROVIDER_ERROR', json(200, 'no object')],
      [
        'INTEGRATION_PROVIDER_ERROR',
        (_q, response) => void response.writeHead(302, { location: '/api' }).end(),
      ],
      ['INTEGRATION_RATE_LIMIT', json(429, { error: 'slow_down' })],
    ]
    try {
      for (const [code, handler] of cases) {
        wild.instead = handler === undefined ? {} : { token: handler }
        assertNotConnected(await come(), code)
      }
    } finally {
      wild.instead = {}
    }
    const list = await postern.client().get('/v1/connections', { token: admin.token })
    assert.deepEqual(list.body.data, [])
    const audit = await postern.client().get('/v1/audit-log?limit=100', { token: admin.token })
    const refused = audit.body.data.filter(
      ({ action }: { action: string }) => action === 'connection.refused',
    )
    assert.equal(refused.length, cases.length + 2)
  })
})
