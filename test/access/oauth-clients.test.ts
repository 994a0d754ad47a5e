import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import * as openid from 'openid-client'
import { consent, issuerOf, registerClient } from '../support/oauth.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'

/** What an MCP client keeps of its way through OAuth, as a hosted one does. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = 'https://client.test/callback'
  readonly clientMetadata = {
    client_name: 'An MCP client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  sentTo: URL | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what the client gives, it gets back.
  #kept: Record<string, any> = {}
  clientInformation = () => this.#kept.client
  saveClientInformation = (client: unknown) => void Object.assign(this.#kept, { client })
  tokens = () => this.#kept.tokens
  saveTokens = (tokens: unknown) => void Object.assign(this.#kept, { tokens })
  redirectToAuthorization = (url: URL) => void Object.assign(this, { sentTo: url })
  saveCodeVerifier = (verifier: string) => void Object.assign(this.#kept, { verifier })
  codeVerifier = () => this.#kept.verifier
}

onOneEngineByDay('clients of OAuth that others wrote', (engine) => {
  const server = usePostern(engine)

  it('the official MCP client connects knowing the URL of /mcp alone', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const keeper = new Keeper()
    const url = new URL(`${issuerOf(postern)}/mcp`)
    const first = new StreamableHTTPClientTransport(url, { authProvider: keeper })
    const refused = new Client({ name: 'test', version: '1.0.0' }).connect(first)
    await assert.rejects(refused, UnauthorizedError)
    assert.ok(keeper.sentTo)
    assert.equal(keeper.sentTo.searchParams.get('resource'), url.href)
    const request = { path: keeper.sentTo.pathname + keeper.sentTo.search, verifier: '', state: '' }
    const at = await consent(person, request)
    await first.finishAuth(at.searchParams)
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: keeper }))
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'list_webhooks'))
    const { isError } = await client.callTool({ name: 'list_webhooks', arguments: {} })
    assert.notEqual(isError, true)
    await client.close()
  })

  it('openid-client does code, PKCE, ID token, refresh, userinfo and revocation by discovery', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { id, redirectUri } = await registerClient(postern)
    const options = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(issuerOf(postern)), id, undefined, openid.None(), options)
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email profile offline_access webhooks:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
    })
    const at = await consent(person, { path: address.pathname + address.search, verifier, state })
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    const tokens = await openid.authorizationCodeGrant(config, at, { ...checks, idTokenExpected: true })
    const claims = tokens.claims()
    assert.equal(claims?.sub, person.accountId)
    assert.equal(claims?.org_id, person.organizationId)
    assert.equal(claims?.email, person.email)
    const told = await openid.fetchUserInfo(config, tokens.access_token, person.accountId)
    assert.deepEqual(
      [told.email, told.email_verified, told.org_id],
      [person.email, true, person.organizationId],
    )
    assert.equal((await postern.client().get('/v1/webhooks', { token: tokens.access_token })).status, 200)
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.equal(renewed.claims()?.sub, person.accountId)
    await openid.tokenRevocation(config, renewed.refresh_token ?? '')
    await assert.rejects(openid.refreshTokenGrant(config, renewed.refresh_token ?? ''))
  })
})
