import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { DEVICE_GRANT } from '#src/access/authorization/built-in-clients.ts'
import type { Answer, Client } from './browser.ts'
import type { Person } from './people.ts'
import type { Postern } from './postern.ts'

export const REDIRECT_URI = 'https://client.test/callback'

/** `BASE_URL` of a server of a test: the issuer of its tokens. */
export const issuerOf = ({ env }: Postern) => `http://localhost:${env.PORT}`

/** A client of the authorization server, as it registered itself. */
export interface OAuthClient {
  id: string
  redirectUri: string
}

/** Registers a client as a hosted one does. */
export async function registerClient(
  server: Postern,
  { redirectUris = [REDIRECT_URI], ...more }: { redirectUris?: string[]; [member: string]: unknown } = {},
): Promise<OAuthClient> {
  const body = {
    client_name: 'Test client',
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...more,
  }
  const answer = await server.client().post('/oauth/register', body)
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.client_id, redirectUri: redirectUris[0] ?? '' }
}

/** A request for a code, and the secret that proves who made it. */
export interface Request {
  path: string
  verifier: string
  state: string
}

/** The address to which a client sends a browser. `undefined` removes a parameter. */
export function authorizeRequest(
  server: Postern,
  client: OAuthClient,
  more: Record<string, string | undefined> = {},
): Request {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('hex')
  const query = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: issuerOf(server),
    scope: 'webhooks:read',
    state,
    ...more,
  }
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { path: `/oauth/authorize?${new URLSearchParams(given)}`, verifier, state }
}

/** Opens a client's request in a browser. @returns the id of what the page for consent asks */
export async function openRequest(browser: Client, { path }: Request): Promise<string> {
  const answer = await browser.get(path)
  assert.equal(answer.status, 303, answer.text)
  const page = new URL(answer.headers.get('location') ?? '')
  assert.equal(page.pathname, '/consent', page.href)
  const id = page.searchParams.get('request')
  assert.ok(id, page.href)
  return id
}

interface Decision {
  allow?: boolean
  organizationId?: string
  scopes?: string[]
}

/** Grants what a client asks for. @returns where the browser ends: at the client, with a code */
export async function consent(person: Person, request: Request, decision: Decision = {}): Promise<URL> {
  const { client: browser, organizationId } = person
  const id = await openRequest(browser, request)
  const decided = await browser.post(`/v1/auth/authorizations/${id}`, {
    ...{ allow: true, organizationId },
    ...decision,
  })
  assert.equal(decided.status, 200, decided.text)
  const { pathname } = new URL(decided.body.redirectTo)
  const answer = await browser.get(pathname)
  assert.equal(answer.status, 303, answer.text)
  return new URL(answer.headers.get('location') ?? '')
}

/** A request of a client to the token endpoint. */
export function askToken(server: Postern, form: Record<string, string>): Promise<Answer> {
  return server.client().post('/oauth/token', new URLSearchParams(form).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

export function redeem(
  server: Postern,
  client: OAuthClient,
  request: Request,
  at: URL,
  more: Record<string, string> = {},
): Promise<Answer> {
  return askToken(server, {
    grant_type: 'authorization_code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code: at.searchParams.get('code') ?? '',
    code_verifier: request.verifier,
    ...more,
  })
}

export function refresh(server: Postern, client: OAuthClient, token: string): Promise<Answer> {
  return askToken(server, { grant_type: 'refresh_token', client_id: client.id, refresh_token: token })
}

export interface Tokens {
  client: OAuthClient
  access: string
  refresh: string
  scope: string
}

/** Connects a client: registration, consent and code. */
export async function connect(
  server: Postern,
  person: Person,
  more: Record<string, string | undefined> = {},
  decision: Decision = {},
): Promise<Tokens> {
  const client = await registerClient(server)
  const request = authorizeRequest(server, client, more)
  const answer = await redeem(server, client, request, await consent(person, request, decision))
  assert.equal(answer.status, 200, answer.text)
  const { access_token: access, refresh_token, scope } = answer.body
  return { client, access, refresh: refresh_token, scope }
}

/** What a device was told to show. */
export interface DeviceAsked {
  device_code: string
  user_code: string
  verification_uri: string
}

/** Asks as a device does (RFC 8628). */
export async function askByDevice(
  server: Postern,
  clientId: string,
  more: Record<string, string> = {},
): Promise<DeviceAsked> {
  const form = new URLSearchParams({ client_id: clientId, scope: 'webhooks:read', ...more })
  const answer = await server.client().post('/oauth/device', form.toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** A device asks whether the person has decided. */
export function pollToken(server: Postern, clientId: string, { device_code }: DeviceAsked): Promise<Answer> {
  return askToken(server, { grant_type: DEVICE_GRANT, client_id: clientId, device_code })
}
