import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import {
  authorizeRequest,
  connect,
  consent,
  issuerOf,
  openRequest,
  REDIRECT_URI,
  redeem,
  registerClient,
} from '../support/oauth.ts'
import { administrator, PASSWORD } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

onBothEngines('OpenID and introspection', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('a client that asks for a new sign-in, or one of late, or of one account gets no other, and the time of it', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const client = await registerClient(postern)
    postern.clock.advance(10 * MINUTE)
    const ask = (more: Record<string, string>) =>
      authorizeRequest(postern, client, { scope: 'openid webhooks:read', ...more })
    const seen = async (id: string) =>
      (await person.client.get(`/v1/auth/authorizations/${id}`)).body.needsNewSignIn
    const allow = { allow: true, organizationId: person.organizationId }
    let signIn = { from: 0, to: 0 }
    for (const more of [{ prompt: 'login' }, { max_age: '60' }] as Record<string, string>[]) {
      const id = await openRequest(person.client, ask(more))
      assert.equal(await seen(id), true)
      const refused = await person.client.post(`/v1/auth/authorizations/${id}`, allow)
      assertError(refused, 'FORBIDDEN', { reason: 'new_sign_in_required' })
      postern.clock.advance(SECOND)
      const from = postern.clock.now()
      const signedIn = { email: person.email, password: PASSWORD }
      assert.equal((await person.client.post('/v1/auth/sign-in/email', signedIn)).status, 200)
      signIn = { from, to: postern.clock.now() }
      assert.equal(await seen(id), false)
      const decided = await person.client.post(`/v1/auth/authorizations/${id}`, allow)
      assert.equal(decided.status, 200, decided.text)
      postern.clock.advance(10 * MINUTE)
    }
    assert.deepEqual(await seen(await openRequest(person.client, ask({ max_age: '3600' }))), false)
    const request = ask({ max_age: '3600', scope: 'openid offline_access webhooks:read' })
    const tokens = (await redeem(postern, client, request, await consent(person, request))).body
    const authTime = Number(decodeJwt(tokens.id_token).auth_time)
    assert.ok(authTime >= Math.floor(signIn.from / SECOND) && authTime <= Math.ceil(signIn.to / SECOND))

    const other = await administrator(postern)
    const hinted = ask({ id_token_hint: tokens.id_token })
    assert.equal(await seen(await openRequest(person.client, hinted)), false)
    const id = await openRequest(other.client, hinted)
    const decision = { allow: true, organizationId: other.organizationId }
    const refused = await other.client.post(`/v1/auth/authorizations/${id}`, decision)
    assertError(refused, 'FORBIDDEN', { reason: 'new_sign_in_required' })
  })

  test('an application that is a page alone reads what it needs from any origin, and nothing with cookies', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const headers = { origin: 'https://spa.test' }
    const open = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
    const documents = [...open, '/.well-known/oauth-protected-resource/mcp', '/.well-known/jwks.json']
    const answers = await Promise.all([
      ...documents.map((path) => postern.client().get(path, { headers })),
      ...['/oauth/token', '/oauth/revoke', '/oauth/userinfo', '/oauth/register'].map((path) =>
        postern.client().call(path, {
          method: 'OPTIONS',
          headers: {
            ...{ ...headers, 'access-control-request-method': 'POST' },
            'access-control-request-headers': 'authorization',
          },
        }),
      ),
      postern.client().post('/oauth/token', 'grant_type=x', { headers: { ...FORM, ...headers } }),
    ])
    for (const answer of answers) {
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', answer.text)
      assert.equal(answer.headers.get('access-control-allow-credentials'), null)
    }
    // The person would be shown the address of the page's visitor as that of the device.
    const device = await postern.client().post('/oauth/device', `client_id=${CLI_CLIENT}`, {
      headers: { ...FORM, ...headers, 'sec-fetch-site': 'cross-site' },
    })
    assertError(device, 'FORBIDDEN')
    assert.equal(device.headers.get('access-control-allow-origin'), null)
    for (const path of ['/oauth/authorize', '/oauth/introspect', '/v1/auth/grants', '/v1/auth/devices']) {
      const answer = await person.client.get(path, { headers })
      assert.equal(answer.headers.get('access-control-allow-origin'), null, path)
    }
  })

  test('a request without a page is refused alike, whether the person is signed in or not', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const client = await registerClient(postern)
    for (const browser of [person.client, postern.client()]) {
      const { path, state } = authorizeRequest(postern, client, { prompt: 'none', scope: 'openid' })
      const at = new URL((await browser.get(path)).headers.get('location') ?? '')
      assert.equal(at.origin + at.pathname, REDIRECT_URI)
      assert.deepEqual(
        [at.searchParams.get('error'), at.searchParams.get('state')],
        ['login_required', state],
      )
    }
  })

  it('a service with a secret learns whether a token is good now and what it permits; nobody else does', async () => {
    const postern = await server()
    const [person, stranger] = [await administrator(postern), await administrator(postern)]
    const gateway = await register(postern, { isConfidential: true })
    const bound = await register(postern, {
      ...{ isConfidential: true, organizationId: stranger.organizationId },
    })
    const open = await register(postern, { isConfidential: false })
    const { access, refresh } = await connect(postern, person, { scope: 'webhooks:read events:write' })
    const { body: metadata } = await postern.client().get('/.well-known/openid-configuration')
    assert.equal(metadata.introspection_endpoint, `${issuerOf(postern)}/oauth/introspect`)
    const answer = await introspect(postern, gateway, access)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { exp, grant_id, scope, ...facts } = answer.body
    assert.deepEqual(facts, {
      ...{ active: true, token_type: 'Bearer', iss: issuerOf(postern), aud: issuerOf(postern) },
      ...{ sub: person.accountId, org_id: person.organizationId, client_id: decodeJwt(access).client_id },
    })
    assert.deepEqual(String(scope).split(' ').sort(), ['events:write', 'webhooks:read'])
    assert.deepEqual([exp, grant_id], [decodeJwt(access).exp, decodeJwt(access).grant_id])
    const inactive = [
      ...[person.token, refresh, 'x', `${access}x`, 'a.b.c', 'x'.repeat(5_000)].map((token) =>
        introspect(postern, gateway, token),
      ),
      introspect(postern, bound, access),
    ]
    for (const { status, body } of await Promise.all(inactive))
      assert.deepEqual([status, body], [200, { active: false }])
    for (const asker of [
      open,
      { ...gateway, secret: 'x' },
      { ...gateway, id: 'ocl_x' },
      { id: '', secret: '' },
    ]) {
      const refused = await introspect(postern, asker, access)
      assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client'])
    }
    const twice = new URLSearchParams([
      ...[
        ['client_id', gateway.id],
        ['client_secret', gateway.secret],
      ],
      ...[
        ['token', access],
        ['token', access],
      ],
    ])
    assert.equal(
      (await postern.client().post('/oauth/introspect', twice.toString(), { headers: FORM })).status,
      400,
    )
    assert.equal((await person.client.delete(`/v1/auth/grants/${grant_id}`)).status, 204)
    assert.deepEqual((await introspect(postern, gateway, access)).body, { active: false })
  })
})

async function register(postern: Postern, more: object): Promise<{ id: string; secret: string }> {
  const wish = { name: 'Service', redirectUris: [REDIRECT_URI], ...more }
  const { body, text } = await callsOf(postern, OPERATOR_TOKEN).post('/v1/operator/oauth-clients', wish)
  assert.match(body.id, /^ocl_/, text)
  return { id: body.id, secret: body.clientSecret ?? '' }
}

function introspect(
  postern: Postern,
  { id, secret }: { id: string; secret: string },
  token: string,
): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  return postern.client().post('/oauth/introspect', new URLSearchParams({ token }).toString(), {
    headers: { ...FORM, ...(id === '' ? {} : { authorization }) },
  })
}
