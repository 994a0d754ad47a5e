import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Answer, Client } from './browser.ts'
import { type ForgingProvider, startForgingProvider } from './forging-provider.ts'
import { type EngineName, type Postern, startPostern } from './postern.ts'

/** Where a test's front end waits for the browser. */
export const CALLBACK = 'https://app.acme.test/signed-in'
const ERROR_CALLBACK = 'https://app.acme.test/failed?from=social'
export const SOCIAL_ENV = { ALLOWED_ORIGINS: 'https://app.acme.test' }

/** The tenants of the forged directory. */
export const TENANT = '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9'
export const EVIL_TENANT = 'eeeeeeee-4f50-4617-8293-a4b5c6d7e8f9'
export const TRUSTED_TENANT = 'aaaaaaaa-4f50-4617-8293-a4b5c6d7e8f9'

export type ProviderName = 'google' | 'microsoft'

let counter = 0
function next(): number {
  counter += 1
  return counter
}

/** A new person of a directory. */
export const newOid = () => `00000000-0000-4000-8000-${String(next()).padStart(12, '0')}`

/** Claims of Google for a person with a verified address. */
export const vouched = (email: string) => ({
  sub: `sub-${next()}`,
  email,
  email_verified: true,
  hd: 'acme.test',
})

export interface Social {
  postern: Postern
  google: ForgingProvider
  /** An issuer with many tenants. Only one tenant is trusted. */
  microsoft: ForgingProvider
}

/** Postern beside two issuers that forge, for a suite. */
export function useSocial(engine: EngineName) {
  let started: Promise<Social> | undefined
  after(async () => {
    const running = await started
    await running?.postern.stop()
    await running?.google.stop()
    await running?.microsoft.stop()
  })

  async function start(): Promise<Social> {
    const google = await startForgingProvider()
    const microsoft = await startForgingProvider('/{tenantid}/v2.0')
    const env = {
      ...SOCIAL_ENV,
      ...google.env('GOOGLE'),
      ...microsoft.env('MICROSOFT'),
      MICROSOFT_TRUSTED_TENANTS: TRUSTED_TENANT,
    }
    return { google, microsoft, postern: await startPostern(engine, { env }) }
  }

  function server(): Promise<Social> {
    started ??= start()
    return started
  }

  /** A person's flow through the provider, with the given claims. */
  async function come(
    provider: ProviderName,
    claims: object,
    more: object = {},
    returned: Record<string, string> = {},
  ): Promise<{ client: Client; answer: Answer }> {
    const { postern, [provider]: idp } = await server()
    idp.claims = { ...claims }
    const client = postern.client()
    const authUrl = await begin(client, provider, more)
    return { client, answer: await client.get(idp.authorize(authUrl, returned)) }
  }

  /** As `come`, for a flow that must fail with a logged error and without a new row. */
  async function refuse(
    code: string,
    provider: ProviderName,
    claims: object,
    more: object = {},
    returned: Record<string, string> = {},
  ): Promise<void> {
    const { postern } = await server()
    const rows = await counts(postern)
    const noted = (await failures(postern)).length
    const { client, answer } = await come(provider, claims, more, returned)
    assertRefused(client, answer, code)
    assert.deepEqual(await counts(postern), rows)
    assert.equal((await failures(postern)).length, noted + 1)
  }

  return { server, come, refuse }
}

/** Begins a social sign-in and returns where the browser is to go. */
export async function begin(client: Client, provider: ProviderName, more: object = {}): Promise<string> {
  const answer = await client.post('/v1/auth/sign-in/social', {
    provider,
    callbackURL: CALLBACK,
    errorCallbackURL: ERROR_CALLBACK,
    ...more,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.authUrl
}

/** The browser was sent to where the front end waits, with a session. */
export async function assertSignedIn(client: Client, answer: Answer): Promise<Answer['body']> {
  assert.equal(answer.status, 302, answer.text)
  assert.equal(answer.headers.get('location'), CALLBACK)
  const session = await client.get('/v1/auth/session')
  assert.equal(session.status, 200, session.text)
  return session.body.user
}

/** The browser was sent back with an error of the catalogue, and without a session. */
export function assertRefused(client: Client, answer: Answer, code: string): void {
  assert.equal(answer.status, 302, answer.text)
  const location = new URL(answer.headers.get('location') ?? '')
  assert.equal(location.origin + location.pathname, 'https://app.acme.test/failed')
  assert.equal(location.searchParams.get('from'), 'social')
  assert.equal(location.searchParams.get('error'), code, 'the error that the browser is sent back with')
  assert.ok(location.searchParams.get('error_description'))
  assertNoSession(client)
}

/** The answer to a callback with a foreign state: without a state there is no safe address to redirect to. */
export function assertUnknownState(client: Client, answer: Answer): void {
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.error.code, 'VALIDATION_FAILED')
  assert.equal(answer.body.error.details.field, 'state')
  assertNoSession(client)
}

export function assertNoSession(client: Client): void {
  assert.equal(client.cookies.has('session'), false, 'a session cookie was set')
}

export async function identitiesOf(postern: Postern, accountId: string): Promise<string[]> {
  const rows = await postern.app.database.db
    .selectFrom('identity')
    .select(['provider', 'subject'])
    .where('account_id', '=', accountId as never)
    .orderBy('subject')
    .execute()
  return rows.map(({ provider, subject }) => `${provider} ${subject}`)
}

/** How many rows there are of accounts, identities and sessions: what a refused sign-in must not change. */
export async function counts(postern: Postern): Promise<Record<string, number>> {
  const { db } = postern.app.database
  const found: Record<string, number> = {}
  for (const table of ['account', 'identity', 'session'] as const) {
    found[table] = (await db.selectFrom(table).selectAll().execute()).length
  }
  return found
}

/** The failed sign-ins that the audit log has, newest first. */
export async function failures(postern: Postern): Promise<Record<string, unknown>[]> {
  const rows = await postern.app.database.db
    .selectFrom('audit')
    .select('details')
    .where('action', '=', 'sign_in.failed')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ details }) => JSON.parse(details) as Record<string, unknown>)
}

/** The settings with which another Postern continues on the data of this one. */
export function storeOf({ env: { DATA_DIR = '', DATABASE_URL } }: Postern): Record<string, string> {
  return { DATA_DIR, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) }
}

/** The same browser, at a server that was started again. */
export function withCookiesOf(old: Client, browser: Client): Client {
  for (const [name, value] of old.cookies) browser.cookies.set(name, value)
  return browser
}
