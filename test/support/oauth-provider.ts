import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import Provider from 'oidc-provider'
import { Client } from './browser.ts'
import { close } from './http-server.ts'
import { follow } from './openid-provider.ts'
import { takeRsaKeys } from './rsa-keys.ts'

/** A real provider of connections: refresh tokens rotate, and can be revoked. */
export interface OAuthProvider {
  issuer: string
  /** `host:port`, where its userinfo (`/me`) is the API that a connection's token opens. */
  host: string
  clientId: string
  clientSecret: string
  /** Requests to the token endpoint so far. */
  tokenRequests(): number
  /** Old refresh tokens that it was shown a second time. */
  reuses(): number
  /** Revocations that it was asked for. */
  revocations(): number
  /** Where a person's browser ends that follows `authUrl`: path and query of the callback. */
  consent(authUrl: string, account: string): Promise<string>
  /** Ends an access token, and not the grant. */
  endToken(token: string): Promise<void>
  /** The person takes the access back, on the provider's own pages. */
  takeBack(account: string): Promise<void>
  stop(): Promise<void>
}

const CLIENT = { client_id: 'postern', client_secret: 'a-secret-at-the-provider-of-connections' }

export async function startOAuthProvider(): Promise<OAuthProvider> {
  const grants = new Map<string, string[]>()
  const counts = { token: 0, reuse: 0, revocation: 0 }
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => {
      response.statusCode = 500
      response.end(error.stack)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `localhost:${(server.address() as AddressInfo).port}`
  const issuer = `http://${host}`
  const provider = await createProvider(issuer)
  const serve = provider.callback()
  provider.on('grant.revoked', () => {
    counts.reuse += 1
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    if (url === '/token') counts.token += 1
    if (url === '/token/revocation') counts.revocation += 1
    if (!url.startsWith('/interaction/')) return serve(request, response)
    const { params } = await provider.interactionDetails(request, response)
    const accountId = params.login_hint ?? ''
    const grant = new provider.Grant({ accountId, clientId: params.client_id ?? '' })
    grant.addOIDCScope('openid offline_access email')
    const grantId = await grant.save()
    grants.set(accountId, [...(grants.get(accountId) ?? []), grantId])
    await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } })
  }

  return {
    issuer,
    host,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    tokenRequests: () => counts.token,
    reuses: () => counts.reuse,
    revocations: () => counts.revocation,
    async consent(authUrl, account) {
      const start = new URL(authUrl)
      start.searchParams.set('login_hint', account)
      return follow(new Client(issuer), start)
    },
    async endToken(token) {
      await (await provider.AccessToken.find(token))?.destroy()
    },
    async takeBack(account) {
      for (const grantId of grants.get(account) ?? []) {
        await provider.RefreshToken.revokeByGrantId(grantId)
        await provider.AccessToken.revokeByGrantId(grantId)
      }
    },
    stop: () => close(server),
  }
}

async function createProvider(issuer: string): Promise<Provider> {
  const { privateKey } = takeRsaKeys()
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: ['http://localhost/replaced-below'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], email: ['email'] },
    scopes: ['openid', 'offline_access', 'email'],
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@provider.test` }),
    }),
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    // The operator's part: everybody who connects uses PKCE.
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 600,
    },
  })
  // Postern's port is not known yet; what must be exact is the path.
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    /^http:\/\/localhost:\d+\/v1\/connections\/oauth\/callback\/real$/.test(uri)
  return provider
}
