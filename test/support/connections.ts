import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Answer } from './browser.ts'
import { type OAuthProvider, startOAuthProvider } from './oauth-provider.ts'
import { administrator, apiKey, type Person } from './people.ts'
import { type EngineName, type Options, type Postern, startPostern } from './postern.ts'
import { startWildProvider, type WildProvider } from './wild-provider.ts'

/** Where a test's front end waits for the browser. */
export const BACK = 'https://app.acme.test/connected?from=postern'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Writes a file of providers. @returns the settings that name it */
export function connectionsEnv(providers: Record<string, object>, more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
  const file = join(folder, 'connections.json')
  writeFileSync(file, JSON.stringify({ providers }))
  folders.push(folder)
  return {
    CONNECTIONS_FILE: file,
    CONNECTIONS_ALLOWED_NETWORKS: '127.0.0.0/8',
    ALLOWED_ORIGINS: 'https://app.acme.test',
    ...more,
  }
}

/** The entry of a provider with endpoints only. */
export function wildEntry({ origin, host }: WildProvider, more: object = {}): object {
  return {
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    revocationEndpoint: `${origin}/revoke`,
    clientId: 'postern',
    clientSecretVariable: 'WILD_SECRET',
    scopes: ['read', 'write'],
    apiHosts: [host],
    ...more,
  }
}

export interface Connections {
  postern: Postern
  real: OAuthProvider
  wild: WildProvider
  admin: Person
  env: Record<string, string>
}

/** Postern beside two providers, `real` and `wild`, for a suite. */
export function useConnections(
  engine: EngineName,
  more: { wild?: object } & Pick<Options, 'extend'> = {},
): () => Promise<Connections> {
  let started: Promise<Connections> | undefined
  after(async () => {
    const running = await started
    await running?.postern.stop()
    await running?.real.stop()
    await running?.wild.stop()
  })
  async function start(): Promise<Connections> {
    const [real, wild] = await Promise.all([startOAuthProvider(), startWildProvider()])
    const env = connectionsEnv(
      {
        real: {
          issuer: real.issuer,
          clientId: real.clientId,
          clientSecretVariable: 'REAL_SECRET',
          scopes: ['openid', 'offline_access', 'email'],
          apiHosts: [real.host],
          authorizeParameters: { prompt: 'consent' },
        },
        wild: wildEntry(wild, more.wild),
      },
      { REAL_SECRET: real.clientSecret, WILD_SECRET: 'wild-secret' },
    )
    const postern = await startPostern(engine, { env, ...(more.extend && { extend: more.extend }) })
    return { postern, real, wild, env, admin: await lasting(postern) }
  }
  return () => {
    started ??= start()
    return started
  }
}

/** An administrator whose bearer token is an API key, which stays valid when a test advances the clock by hours. */
export async function lasting(postern: Postern): Promise<Person> {
  const admin = await administrator(postern)
  return { ...admin, token: await apiKey(postern, admin) }
}

/** Asks where the browser is to go. */
export async function beginConnecting({ client, token }: Person, provider: string): Promise<string> {
  const body = { provider, redirectUrl: BACK }
  const answer = await client.post('/v1/connections/oauth/authorize', body, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.authUrl
}

/** The browser was sent back with a connection. @returns its id */
export function assertConnected(answer: Answer): string {
  assert.equal(answer.status, 302, answer.text)
  const location = new URL(answer.headers.get('location') ?? '')
  assert.equal(location.origin + location.pathname, 'https://app.acme.test/connected')
  assert.equal(location.searchParams.get('from'), 'postern')
  const id = location.searchParams.get('connectionId') ?? ''
  assert.match(id, /^con_/, location.href)
  return id
}

/** The browser was sent back with an error of the catalogue. */
export function assertNotConnected(answer: Answer, code: string): void {
  assert.equal(answer.status, 302, answer.text)
  const location = new URL(answer.headers.get('location') ?? '')
  assert.equal(location.searchParams.get('error'), code)
  assert.ok(location.searchParams.get('error_description'))
  assert.equal(location.searchParams.has('connectionId'), false)
}

/** A connection to the wild provider. */
export async function connectWild({ wild }: Pick<Connections, 'wild'>, person: Person): Promise<string> {
  const authUrl = await beginConnecting(person, 'wild')
  return assertConnected(await person.client.get(wild.authorize(authUrl)))
}

/** A connection to an account at the real provider. */
export async function connectReal(
  { real }: Pick<Connections, 'real'>,
  person: Person,
  account: string,
): Promise<string> {
  const authUrl = await beginConnecting(person, 'real')
  return assertConnected(await person.client.get(await real.consent(authUrl, account)))
}

/** The connection as its organization sees it. */
export async function readConnection({ postern }: Pick<Connections, 'postern'>, person: Person, id: string) {
  const answer = await postern.client().get(`/v1/connections/${id}`, { token: person.token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** The data of an organization's events of a type, newest first. */
export async function eventsOf(
  { postern }: Pick<Connections, 'postern'>,
  { organizationId }: Person,
  type: string,
): Promise<Record<string, unknown>[]> {
  const rows = await postern.app.database.db
    .selectFrom('event')
    .select('body')
    .where('organization_id', '=', organizationId as never)
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data)
}
