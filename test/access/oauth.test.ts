import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { assertError } from '../support/attacks.ts'
import {
  authorizeRequest,
  connect,
  consent,
  issuerOf,
  openRequest,
  REDIRECT_URI,
  redeem,
  refresh,
  registerClient,
} from '../support/oauth.ts'
import { administrator, member } from '../support/people.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

onBothEngines('OAuth for clients', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('is found by the URL of the MCP server alone: the challenge, the resource, the authorization server', async () => {
    const postern = await server()
    const client = postern.client()
    const refused = await client.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })
    assertError(refused, 'UNAUTHORIZED')
    const challenge = refused.headers.get('www-authenticate') ?? ''
    const metadata = `${issuerOf(postern)}/.well-known/oauth-protected-resource/mcp`
    assert.equal(challenge, `Bearer resource_metadata="${metadata}"`)
    const { body: resource } = await client.get(new URL(metadata).pathname)
    assert.equal(resource.resource, `${issuerOf(postern)}/mcp`)
    assert.deepEqual(resource.authorization_servers, [issuerOf(postern)])
    assert.ok(resource.scopes_supported.includes('webhooks:read'))
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const { body } = await client.get(`/.well-known/${name}`)
      assert.equal(body.issuer, issuerOf(postern))
      assert.equal(body.authorization_endpoint, `${issuerOf(postern)}/oauth/authorize`)
      assert.equal(body.token_endpoint, `${issuerOf(postern)}/oauth/token`)
      assert.equal(body.registration_endpoint, `${issuerOf(postern)}/oauth/register`)
      assert.equal(body.jwks_uri, `${issuerOf(postern)}/.well-known/jwks.json`)
      assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
      assert.deepEqual(body.response_types_supported, ['code'])
      assert.equal(body.authorization_response_iss_parameter_supported, true)
      assert.equal(body.client_id_metadata_document_supported, true)
    }
    const { body: api } = await client.get('/.well-known/oauth-protected-resource')
    assert.equal(api.resource, issuerOf(postern))
  })

  it('connects a client: registration, sign-in, consent, code, tokens, refresh', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const client = await registerClient(postern)
    const request = authorizeRequest(postern, client, { scope: 'webhooks:read events:write' })
    const at = await consent(person, request)
    assert.equal(`${at.origin}${at.pathname}`, client.redirectUri)
    assert.equal(at.searchParams.get('state'), request.state)
    assert.equal(at.searchParams.get('iss'), issuerOf(postern))
    const answer = await redeem(postern, client, request, at)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { access_token, refresh_token, token_type, expires_in, scope } = answer.body
    assert.deepEqual([token_type, expires_in, scope], ['Bearer', 3_600, 'events:write webhooks:read'])
    const jwks = createRemoteJWKSet(new URL(`${issuerOf(postern)}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(access_token, jwks, {
      issuer: issuerOf(postern),
      audience: issuerOf(postern),
      typ: 'at+jwt',
    })
    assert.equal(protectedHeader.alg, 'ES256')
    assert.equal(payload.sub, person.accountId)
    assert.equal(payload.org_id, person.organizationId)
    assert.equal(payload.client_id, client.id)
    assert.equal(payload.scope, 'events:write webhooks:read')
    const listed = await postern.client().get('/v1/webhooks', { token: access_token })
    assert.equal(listed.status, 200, listed.text)
    const refused = await postern.client().get('/v1/members', { token: access_token })
    assert.notEqual(refused.status, 200)
    const renewed = await refresh(postern, client, refresh_token)
    assert.equal(renewed.status, 200, renewed.text)
    assert.notEqual(renewed.body.refresh_token, refresh_token)
    assert.equal(
      (await postern.client().get('/v1/webhooks', { token: renewed.body.access_token })).status,
      200,
    )
  })

  test('gives what the person may do and the client asked for, and names the scope that is missing', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const { access, scope } = await connect(postern, person, {
      scope: 'webhooks:read webhooks:write keys:write',
    })
    assert.equal(scope, 'webhooks:read')
    const hook = { url: 'https://receiver.test/', events: ['*'] }
    const write = await postern.client().post('/v1/webhooks', hook, { token: access })
    assertError(write, 'FORBIDDEN')
    const { access: narrow } = await connect(postern, admin, { scope: 'webhooks:read' })
    const refused = await postern.client().post('/v1/webhooks', hook, { token: narrow })
    assertError(refused, 'FORBIDDEN')
    assert.equal(refused.body.error.details.scope, 'webhooks:write')
    const challenge = refused.headers.get('www-authenticate') ?? ''
    assert.match(challenge, /^Bearer error="insufficient_scope", scope="webhooks:write", resource_metadata="/)
    assert.equal((await postern.client().get('/v1/webhooks', { token: narrow })).status, 200)
  })

  test('has a token for the MCP server that is good there, for its tools, and nowhere else', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { access } = await connect(postern, admin, {
      resource: `${issuerOf(postern)}/mcp`,
      scope: 'webhooks:read members:read',
    })
    assert.equal(decodeJwt(access).aud, `${issuerOf(postern)}/mcp`)
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'list_webhooks', arguments: {} },
    }
    const answer = await postern.client().post('/mcp', message, { token: access })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.result.isError, false, answer.text)
    assertError(await postern.client().get('/v1/webhooks', { token: access }), 'UNAUTHORIZED')
  })

  it('shows a person and the administrators what was granted, and either ends it at once', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const one = await connect(postern, person)
    const two = await connect(postern, person)
    const own = await person.client.get('/v1/auth/grants')
    assert.equal(own.body.data.length, 2, own.text)
    assert.equal(own.body.data[0].clientName, 'Test client')
    assert.equal(own.body.data[0].clientHost, 'client.test')
    const ended = await person.client.delete(`/v1/auth/grants/${decodeJwt(one.access).grant_id}`)
    assert.equal(ended.status, 204, ended.text)
    assertError(await postern.client().get('/v1/webhooks', { token: one.access }), 'UNAUTHORIZED')
    assert.equal((await refresh(postern, one.client, one.refresh)).body.error, 'invalid_grant')
    const listed = await admin.client.get('/v1/grants', { token: admin.token })
    assert.deepEqual(
      listed.body.data.map(({ accountId }: { accountId: string }) => accountId),
      [person.accountId],
    )
    const id = listed.body.data[0].id
    assert.equal((await admin.client.delete(`/v1/grants/${id}`, { token: admin.token })).status, 204)
    assertError(await postern.client().get('/v1/webhooks', { token: two.access }), 'UNAUTHORIZED')
  })

  test('asks in the browser in which the application asked, and nowhere else', async () => {
    const postern = await server()
    const [attacker, victim] = [await administrator(postern), await administrator(postern)]
    const client = await registerClient(postern)
    const id = await openRequest(attacker.client, authorizeRequest(postern, client))
    assertError(await victim.client.get(`/v1/auth/authorizations/${id}`), 'ENTITY_NOT_FOUND')
    const decision = { allow: true, organizationId: victim.organizationId }
    assertError(await victim.client.post(`/v1/auth/authorizations/${id}`, decision), 'ENTITY_NOT_FOUND')
  })

  it('knows applications that the operator registers: by name, with a secret, for one organization, until they are deleted', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const wish = {
      name: 'Gateway',
      redirectUris: [REDIRECT_URI],
      isConfidential: true,
      organizationId: person.organizationId,
    }
    const made = await operator.post('/v1/operator/oauth-clients', wish)
    assert.equal(made.status, 201, made.text)
    const { id, clientSecret, ...shown } = made.body
    assert.match(clientSecret, /^[\w-]{43}$/)
    const { createdAt, ...facts } = shown
    assert.ok(createdAt)
    assert.deepEqual(facts, {
      ...{ ...wish, origin: 'registered', usesDeviceFlow: false, lastUsedAt: null, expiresAt: null },
      postLogoutRedirectUris: [],
    })
    const { data } = (await operator.get('/v1/operator/oauth-clients?limit=100')).body
    assert.deepEqual(
      data.find((one: { id: string }) => one.id === id),
      { id, ...shown },
    )
    const client = { id, redirectUri: REDIRECT_URI }
    const stranger = authorizeRequest(postern, client)
    const seen = await other.client.get(
      `/v1/auth/authorizations/${await openRequest(other.client, stranger)}`,
    )
    assert.deepEqual([seen.body.client.name, seen.body.client.isRegistered], ['Gateway', true])
    assert.deepEqual(seen.body.organizations, [])
    const request = authorizeRequest(postern, client)
    const at = await consent(person, request)
    assert.equal((await redeem(postern, client, request, at)).status, 401)
    const again = authorizeRequest(postern, client)
    const form = new URLSearchParams({
      ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: again.verifier },
      code: (await consent(person, again)).searchParams.get('code') ?? '',
    })
    const tokens = await postern.client().post('/oauth/token', form.toString(), {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${id}:${clientSecret}`).toString('base64')}`,
      },
    })
    assert.equal(tokens.status, 200, tokens.text)
    const calls = callsOf(postern, tokens.body.access_token)
    assert.equal((await calls.get('/v1/webhooks')).status, 200)
    assert.equal((await operator.delete(`/v1/operator/oauth-clients/${id}`)).status, 204)
    assertError(await calls.get('/v1/webhooks'), 'UNAUTHORIZED')
    assertError(await operator.delete(`/v1/operator/oauth-clients/${id}`), 'ENTITY_NOT_FOUND')
    for (const redirectUris of [['http://client.test/'], ['https://client.test/#here'], ['client']])
      assertError(
        await operator.post('/v1/operator/oauth-clients', { ...wish, redirectUris }),
        'VALIDATION_FAILED',
        { field: 'redirectUris.0' },
      )
  })
})
