import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import Provider from 'oidc-provider'
import { Client } from './browser.ts'
import { close } from './http-server.ts'
import { takeRsaKeys } from './rsa-keys.ts'

/** Claims of a person's account at the provider; `sub` is the name for signing in. */
export type Person = { sub: string } & Record<string, unknown>

/** A real OpenID provider on this machine. A named account signs in and consents at once. */
export interface OpenIdProvider {
  issuer: string
  /** Settings for Postern: `env('GOOGLE')`. */
  env(provider: 'GOOGLE' | 'MICROSOFT'): Record<string, string>
  /** What an organization is told of it. */
  oidc: { issuer: string; clientId: string; clientSecret: string }
  /** Lets a person sign in there in a browser, who is named by the address that Postern passes on. */
  know(person: Person & { email: string }): void
  /** Another application that people sign in to with the same provider. */
  otherClientId: string
  /**
   * Follows `authUrl` as a person's browser would.
   * @returns the path and query of the callback that it ends at
   */
  signIn(authUrl: string, person: Person): Promise<string>
  /**
   * Signs out there in the browser in which a person has signed in, and confirms it where the provider asks.
   * @returns the path and query at which that ends; undefined where the provider knows no way back
   */
  signOut(url: string, sub: string): Promise<string | undefined>
  /** Whether a person is signed in there, in the browser of the last sign-in. */
  isSignedIn(sub: string): boolean
  stop(): Promise<void>
}

const CLIENT = { client_id: 'postern', client_secret: 'postern-secret-at-the-provider' }
const OTHER = { client_id: 'other', client_secret: 'other-secret-at-the-provider' }

/** @param path where it is mounted: Microsoft's issuers end in `/<tenant>/v2.0` */
export async function startOpenIdProvider(path = ''): Promise<OpenIdProvider> {
  const people = new Map<string, Person>()
  const browsers = new Map<string, Client>()
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => {
      response.statusCode = 500
      response.end(error.stack)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}${path}`
  const provider = await createProvider(issuer, path, people)
  const serve = provider.callback()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    if (!url.startsWith(path)) {
      response.statusCode = 404
      response.end()
      return
    }
    // As a framework would mount it.
    Object.assign(request, { originalUrl: url })
    request.url = url.slice(path.length)
    if (!request.url.startsWith('/interaction/')) return serve(request, response)
    const { params } = await provider.interactionDetails(request, response)
    const accountId = params.login_hint ?? ''
    const grant = new provider.Grant({ accountId, clientId: params.client_id ?? '' })
    grant.addOIDCScope('openid email profile')
    await provider.interactionFinished(request, response, {
      login: { accountId, ...methodsOf(people.get(accountId)) },
      consent: { grantId: await grant.save() },
    })
  }

  return {
    issuer,
    oidc: { issuer, clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret },
    otherClientId: OTHER.client_id,
    env: (name) => ({
      [`${name}_CLIENT_ID`]: CLIENT.client_id,
      [`${name}_CLIENT_SECRET`]: CLIENT.client_secret,
      [`${name}_ISSUER`]: issuer,
    }),
    know: (person) => void people.set(person.email, { ...person, sub: person.email }),
    async signIn(authUrl, person) {
      people.set(person.sub, person)
      const browser = new Client(issuer)
      browsers.set(person.sub, browser)
      const start = new URL(authUrl)
      start.searchParams.set('login_hint', person.sub)
      return follow(browser, start)
    },
    async signOut(url, sub) {
      const browser = browsers.get(sub) ?? new Client(issuer)
      const asked = await browser.get(url)
      assert.equal(asked.status, 200, asked.text)
      const xsrf = /name="xsrf" value="(\w+)"/.exec(asked.text)?.[1]
      assert.ok(xsrf, asked.text)
      const answer = await browser.post(
        '/session/end/confirm',
        new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
        { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      )
      const to = new URL(answer.headers.get('location') ?? '', issuer)
      return to.origin === new URL(issuer).origin ? undefined : to.pathname + to.search
    },
    isSignedIn: (sub) => browsers.get(sub)?.cookies.has('_session') ?? false,
    stop: () => close(server),
  }
}

/** How a person has signed in there, as the ID token says it. */
function methodsOf(person: Person | undefined): { amr?: string[] } {
  const amr = person?.amr
  return Array.isArray(amr) ? { amr: amr as string[] } : {}
}

async function createProvider(issuer: string, path: string, people: Map<string, Person>): Promise<Provider> {
  const { privateKey } = takeRsaKeys()
  const provider = new Provider(issuer, {
    clients: [CLIENT, OTHER].map((client) => ({
      ...client,
      redirect_uris: ['http://localhost/replaced-below'],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    claims: {
      openid: ['sub', 'hd', 'tid', 'oid', 'xms_edov', 'verified_primary_email', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'groups'],
    },
    // The supported providers put the claims into the ID token.
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => people.get(sub) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${path}/interaction/${uid}` },
    // That Postern uses PKCE is for a test to see, not for the provider to insist on.
    pkce: { required: () => false },
    cookies: { keys: ['only for tests'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: 3_600,
      IdToken: 3_600,
      Interaction: 600,
      Session: 600,
    },
  })
  // Postern's port is not known yet; what must be exact is the path.
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    /^http:\/\/localhost:\d+\/v1\/auth\/callback\/[\w-]+$/.test(uri)
  provider.Client.prototype.postLogoutRedirectUriAllowed = (uri) =>
    /^http:\/\/localhost:\d+\/v1\/auth\/signed-out\/[\w-]+$/.test(uri)
  return provider
}

/** Follows redirects at the provider until one leads away from it. */
export async function follow(browser: Client, start: URL): Promise<string> {
  let next = start
  for (let hop = 0; hop < 10; hop += 1) {
    const answer = await browser.get(next.href)
    const location = answer.headers.get('location')
    assert.ok(location, `the provider answered ${answer.status}: ${answer.text.slice(0, 500)}`)
    next = new URL(location, next)
    if (next.origin !== start.origin) return next.pathname + next.search
  }
  throw new Error('the provider redirects for ever')
}
