import type { KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, type JWK, SignJWT } from 'jose'
import { systemClock } from '#src/core/clock.ts'
import { close, json } from './http-server.ts'
import { takeRsaKeys } from './rsa-keys.ts'

export type Claims = Record<string, unknown>

/** What a test can forge with. */
export interface Forge {
  /** A token that is good in every way. */
  claims: Claims
  header: { alg: string; kid: string } & Record<string, unknown>
  privateKey: KeyObject
  publicPem: string
  /** Signs with the provider's key. */
  sign(claims: Claims, header?: object): Promise<string>
}

export type Endpoint = 'metadata' | 'token' | 'jwks' | 'userinfo'
type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** A hand-written issuer that a test controls. */
export interface ForgingProvider {
  issuer: string
  env(provider: 'GOOGLE' | 'MICROSOFT'): Record<string, string>
  /** What the next tokens say beside what makes them good. */
  claims: Claims
  /** Makes the next tokens instead. */
  forge: ((forge: Forge) => string | Promise<string>) | undefined
  /** Added to the metadata. */
  metadata: Claims
  /** The answer of the userinfo endpoint to any caller. */
  userinfo: Claims
  /** Answers in the place of an endpoint. */
  instead: Partial<Record<Endpoint, Handler>>
  /** Which endpoints were asked, in order. */
  asked: Endpoint[]
  /** Other paths that were asked for. */
  strayed: string[]
  /** The form of the last token request. */
  lastForm: URLSearchParams
  /** Signs with a new key from now on, and publishes only that. */
  rotate(): Promise<void>
  /**
   * Sends the browser back without asking the person.
   * @returns the path and query of the callback
   */
  authorize(authUrl: string, more?: Record<string, string>): string
  stop(): Promise<void>
}

const CLIENT_ID = 'postern'

/** @param path the issuer's; a `{tenantid}` in it is what Microsoft's metadata for many tenants have */
export async function startForgingProvider(path = ''): Promise<ForgingProvider> {
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const issuer = `${origin}${path}`
  const nonces = new Map<string, string>()
  let keys = await newKeys('key-1')

  const provider: ForgingProvider = {
    issuer,
    env: (name) => ({
      [`${name}_CLIENT_ID`]: CLIENT_ID,
      [`${name}_CLIENT_SECRET`]: 'a-secret',
      [`${name}_ISSUER`]: issuer.replace('{tenantid}', 'organizations'),
    }),
    claims: {},
    forge: undefined,
    metadata: {},
    userinfo: {},
    instead: {},
    asked: [],
    strayed: [],
    lastForm: new URLSearchParams(),
    async rotate() {
      keys = await newKeys(`key-${crypto.randomUUID()}`)
    },
    authorize(authUrl, more = {}) {
      const { searchParams } = new URL(authUrl)
      const code = crypto.randomUUID()
      nonces.set(code, searchParams.get('nonce') ?? '')
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '', ...more }).toString()
      return back.pathname + back.search
    },
    stop: () => close(server),
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    provider.lastForm = new URLSearchParams(await textOf(request))
    const nonce = nonces.get(provider.lastForm.get('code') ?? '')
    const now = Math.floor(systemClock.now() / 1_000)
    const { tid } = provider.claims
    const claims: Claims = {
      iss: issuer.replace('{tenantid}', String(tid)),
      aud: CLIENT_ID,
      iat: now,
      exp: now + 3_600,
      nonce,
      sub: 'somebody',
      ...provider.claims,
    }
    const header = { alg: 'RS256', kid: keys.kid }
    const sign = (forged: Claims, more: object = {}) =>
      new SignJWT(forged).setProtectedHeader({ ...header, ...more }).sign(keys.privateKey)
    const forge: Forge = { claims, header, privateKey: keys.privateKey, publicPem: keys.publicPem, sign }
    const idToken = await (provider.forge ?? (() => sign(claims)))(forge)
    json(response, { access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: idToken })
  }

  const handlers: Record<Endpoint, Handler> = {
    metadata: (_request, response) =>
      json(response, {
        issuer,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
        userinfo_endpoint: `${origin}/userinfo`,
        ...provider.metadata,
      }),
    token,
    jwks: (_request, response) => json(response, { keys: [keys.publicJwk] }),
    userinfo: (_request, response) => json(response, provider.userinfo),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    const endpoint = url.endsWith('/.well-known/openid-configuration')
      ? 'metadata'
      : (['token', 'jwks', 'userinfo'] as const).find((name) => url === `/${name}`)
    if (endpoint === undefined) {
      provider.strayed.push(url)
      response.end()
      return
    }
    provider.asked.push(endpoint)
    await (provider.instead[endpoint] ?? handlers[endpoint])(request, response)
  }

  return provider
}

interface Keys {
  kid: string
  privateKey: KeyObject
  publicJwk: JWK
  publicPem: string
}

async function newKeys(kid: string): Promise<Keys> {
  const { privateKey, publicKey } = takeRsaKeys()
  const publicJwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' }
  return { kid, privateKey, publicJwk, publicPem: await exportSPKI(publicKey) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
