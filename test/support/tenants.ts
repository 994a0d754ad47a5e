import assert from 'node:assert/strict'
import { decodeJwt, importJWK, type JWK, SignJWT } from 'jose'
import { keepConnection } from '#src/connections/connection-store.ts'
import { SECOND } from '#src/core/clock.ts'
import { type Id, newId } from '#src/core/id.ts'
import { sealContext } from '#src/db/sealed.ts'
import type { Answer, Call, Client } from './browser.ts'
import { beginTotp } from './factors.ts'
import { connect, registerClient } from './oauth.ts'
import { administrator, apiKey, member, newEmail, type Person } from './people.ts'
import { platformKey } from './platform.ts'
import { OPERATOR_TOKEN, type Postern } from './postern.ts'
import { address, pathKinds, type Route, type Schema, sample, sampleBody } from './routes.ts'
import { until } from './waits.ts'
import { callsOf } from './webhook-calls.ts'

/** An organization with one of everything, made when it is first asked for. */
export interface Tenant {
  postern: Postern
  admin: Person
  member: Person
  memberKey: string
  /** An administrator's key that is narrowed to some scopes. */
  keyOf(scopes: string[]): Promise<string>
  /** The token of an application to which the administrator granted one scope. */
  grantOf(scope: string): Promise<string>
  /** The token of a member whose role permits this alone, until it is asked for with other permissions. */
  memberWith(permissions: string[]): Promise<string>
  /** The id of the organization's own thing of a kind. */
  own(kind: string): Promise<string>
  /** Makes the next request for it create a new one, because it was deleted. */
  forget(kind: string): void
}

/** How a thing of each kind comes to be; a kind that is new in a path must be added here. */
const MAKERS: Record<string, (tenant: Tenant) => Promise<string>> = {
  organization: async ({ admin }) => admin.organizationId,
  account: async ({ member: { accountId } }) => accountId,
  session: async ({ admin }) => (await admin.client.get('/v1/auth/session')).body.session.id,
  factor: async ({ admin }) => (await beginTotp(admin)).id,
  invitation: (tenant) => create(tenant, '/v1/invitations', { email: newEmail(), sendEmail: false }),
  /** One that a key with the scope for roles may change and delete, because it may do no more. */
  role: (tenant) =>
    create(tenant, '/v1/roles', { name: `Role ${crypto.randomUUID()}`, permissions: ['roles:write'] }),
  domain: (tenant) => create(tenant, '/v1/domains', { name: `${crypto.randomUUID()}.test` }),
  async scimGroup({ postern, keyOf }) {
    const call = { token: await keyOf(['scim:write']) }
    const answer = await postern.client().post('/scim/v2/Groups', { displayName: 'Engineers' }, call)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id
  },
  identityProvider: (tenant) =>
    create(tenant, '/v1/identity-providers', {
      ...{ kind: 'oidc', name: 'Acme login' },
      oidc: { issuer: 'https://login.acme.test', clientId: 'postern', clientSecret: 'a-secret' },
    }),
  setupLink: (tenant) => create(tenant, '/v1/setup-links', { name: 'IT', purposes: ['domains'] }),
  platformKey: async ({ postern }) => (await platformKey(postern)).id,
  async auditStream({ postern }) {
    const { get, post } = callsOf(postern, OPERATOR_TOKEN)
    const path = '/v1/operator/audit-streams'
    const [known] = (await get(path)).body.data
    return (known ?? (await post(path, { name: 'SIEM', url: 'http://127.0.0.1:9/' })).body).id
  },
  oauthClient: async ({ postern }) => (await registerClient(postern)).id,
  serviceAccount: (tenant) => create(tenant, '/v1/service-accounts', { name: 'one of the organization' }),
  /** One that a key with the scope for keys may change and rotate, because it may do no more. */
  apiKey: (tenant) =>
    create(tenant, '/v1/api-keys', { name: 'one of the organization', scopes: ['keys:write'] }),
  webhook: (tenant) =>
    create(tenant, '/v1/webhooks', {
      url: 'http://127.0.0.1:9/nobody-listens',
      events: ['agent.run.completed'],
      endpointPath: `path-${crypto.randomUUID()}`,
    }),
  async event(tenant) {
    await tenant.own('webhook')
    const data = { agentId: 'agent_1', runId: 'run_1', status: 'succeeded', durationMs: 1, output: '' }
    return create(tenant, '/v1/events', { type: 'agent.run.completed', data })
  },
  async delivery(tenant) {
    await tenant.own('event')
    const path = `/v1/webhooks/${await tenant.own('webhook')}/deliveries`
    const { body } = await tenant.postern.client().get(path, { token: tenant.admin.token })
    return body.data[0].id
  },
  async capture(tenant) {
    const path = `/v1/webhooks/${await tenant.own('webhook')}`
    const { token } = tenant.admin
    const client = tenant.postern.client()
    const { inboundUrl } = (await client.post(`${path}/test/start`, {}, { token })).body
    assert.equal((await client.post(new URL(inboundUrl).pathname, { any: 'thing' })).status, 202)
    return (await client.get(`${path}/test/captures`, { token })).body.data[0].id
  },
  /** As if it had come back from a provider that is configured no more. */
  async connection({ postern: { app, clock }, admin }) {
    const organizationId = admin.organizationId as Id<'organization'>
    const owner = { organizationId, actorId: admin.accountId, keyId: null }
    const granted = {
      tokens: { accessToken: 'an-access-token', refreshToken: 'a-refresh-token' },
      expiresAt: null,
      scopes: 'read',
      subject: undefined,
    }
    const source = { provider: 'gone', asked: [] }
    const { connection } = await app.database.tx((tx) =>
      keepConnection(tx, app.vault, owner, source, granted, clock.now()),
    )
    return connection.id
  },
  async checkout({ postern, admin: { token } }) {
    const answer = await postern.client().post('/v1/billing/checkout', { credits: 1_000 }, { token })
    return answer.body.checkoutId
  },
  file: (tenant) => (MADE_BY.file as (typeof MADE_BY)[string])(tenant, tenant.member.token),
  knowledgeBase: (tenant) => create(tenant, '/v1/knowledge-bases', { name: `Base ${crypto.randomUUID()}` }),
  async document(tenant) {
    const path = `/v1/knowledge-bases/${await tenant.own('knowledgeBase')}/documents`
    return create(tenant, path, { text: `A text of its own: ${crypto.randomUUID()}.` })
  },
  agent: (tenant) => create(tenant, '/v1/agents', { name: 'Helper' }),
  conversation: (tenant) => create(tenant, '/v1/conversations', {}),
  async run(tenant) {
    return create(tenant, `/v1/agents/${await tenant.own('agent')}/runs`, { input: 'What does it cost?' })
  },
  async step(tenant) {
    const path = `/v1/runs/${await tenant.own('run')}/steps`
    const { token } = tenant.admin
    const { body } = await until(
      () => tenant.postern.client().get(path, { token }),
      ({ body }) => body.data.length > 0,
      { what: 'a step' },
    )
    return body.data[0].id
  },
  mcpServer: (tenant) => create(tenant, '/v1/mcp-servers', { name: 'own', url: 'https://mcp.acme.test/mcp' }),
  async grant({ postern, admin }) {
    return String(decodeJwt((await connect(postern, admin)).access).grant_id)
  },
  async replay(tenant) {
    const path = `/v1/webhooks/${await tenant.own('webhook')}/replay`
    return create(tenant, path, { since: '2026-01-01T00:00:00.000Z' })
  },
}

/** Things that their maker may delete, made by the holder of a token. */
const MADE_BY: Record<string, (tenant: Tenant, token: string) => Promise<string>> = {
  async file({ postern }, token) {
    const answer = await postern.client().post('/v1/files?name=a.txt', 'a text', { token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id
  },
}

export async function createTenant(postern: Postern): Promise<Tenant> {
  const admin = await administrator(postern)
  const made = new Map<string, Promise<string>>()
  const keys = new Map<string, Promise<string>>()
  const grants = new Map<string, Promise<string>>()
  let holder: ReturnType<typeof roleHolder> | undefined
  const tenant: Tenant = {
    postern,
    admin,
    member: await member(postern, admin),
    memberKey: await apiKey(postern, admin, 'member'),
    keyOf(scopes) {
      const name = scopes.join(' ')
      const key = keys.get(name) ?? apiKey(postern, admin, 'administrator', scopes)
      keys.set(name, key)
      return key
    },
    grantOf(scope) {
      const token = grants.get(scope) ?? connect(postern, admin, { scope }).then(({ access }) => access)
      grants.set(scope, token)
      return token
    },
    async memberWith(permissions) {
      holder ??= roleHolder(tenant, permissions)
      const { token, role } = await holder
      const { client } = admin
      const changed = await client.patch(`/v1/roles/${role}`, { permissions }, { token: admin.token })
      assert.equal(changed.status, 200, changed.text)
      return token
    },
    own(kind) {
      const maker = MAKERS[kind]
      assert.ok(maker, `test/support/tenants.ts does not say how a ${kind} is made`)
      const known = made.get(kind) ?? maker(tenant)
      made.set(kind, known)
      return known
    },
    forget: (kind) => void made.delete(kind),
  }
  return tenant
}

/** A member with a role of the organization's own. */
async function roleHolder(tenant: Tenant, permissions: string[]): Promise<{ token: string; role: string }> {
  const role = await create(tenant, '/v1/roles', { name: 'Holder', permissions })
  const { token } = await member(tenant.postern, tenant.admin, role)
  return { token, role }
}

async function create({ postern, admin }: Tenant, path: string, body: object): Promise<string> {
  const answer = await postern.client().post(path, body, { token: admin.token })
  assert.ok(answer.status >= 200 && answer.status < 300, answer.text)
  return answer.body.id
}

/** The organization's own things, for every parameter of a route's path. */
export async function ownIds(tenant: Tenant, route: Route): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const { name, kind, isId } of pathKinds(route)) if (isId) ids[name] = await tenant.own(kind)
  return ids
}

/** The same, with a new one for each route that deletes it, made by the holder of a token where that matters. */
export async function freshIds(tenant: Tenant, route: Route, token: string): Promise<Record<string, string>> {
  const ids = await ownIds(tenant, route)
  for (const { name, kind } of pathKinds(route)) {
    const make = MADE_BY[kind]
    if (route.method === 'DELETE' && make !== undefined) ids[name] = await make(tenant, token)
  }
  return ids
}

/** Ids of things that there are not, for every parameter of a route's path. */
export function missingIds({ postern }: Tenant, route: Route): Record<string, string> {
  const ids = pathKinds(route).filter(({ isId }) => isId)
  return Object.fromEntries(ids.map(({ name, kind }) => [name, newId(kind as 'event', postern.clock.now())]))
}

/** Calls a route with one member more in its query or its body than it requires. */
export function callWith(
  tenant: Tenant,
  route: Route,
  ids: Record<string, string>,
  member: string,
  call: Call,
): Promise<Answer> {
  const { postern } = tenant
  const path = address(route, ids)
  const { method } = route
  const value = givenTo(route.body?.properties?.[member] ?? {}, postern)
  const sent = { ...sampleBody(route), ...(route.body?.properties?.[member] && { [member]: value }) }
  const query = route.parameters.some(({ name }) => name === member) ? `?${member}=true` : ''
  return postern.client().call(`${path}${query}`, { method, body: sent, ...call })
}

/** A value that names something; of a list, one item. */
function givenTo(schema: Schema, postern: Postern): unknown {
  const { anyOf, type, items, format, properties, required = [] } = schema
  if (anyOf?.[0] !== undefined) return givenTo(anyOf[0], postern)
  if (type === 'array') return [givenTo(items ?? {}, postern)]
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, givenTo(properties?.[name] ?? {}, postern)]))
  if (format?.endsWith('-id')) return newId(format.slice(0, -'-id'.length) as 'event', postern.clock.now())
  return sample(schema)
}

/** Calls a route with a body that it accepts, unless another is given. */
export function callRoute(
  client: Client,
  route: Route,
  ids: Record<string, string>,
  call: Call = {},
): Promise<Answer> {
  return client.call(address(route, ids), {
    method: route.method,
    body: route.isRaw ? 'a sample' : sampleBody(route),
    ...call,
  })
}

/** What the person may show at a route: a cookie where it asks for a session, else a bearer token. */
export function credentials(route: Route, { client, token }: Person): Call {
  if (route.access === 'installation') return { token: OPERATOR_TOKEN }
  if (route.access !== 'session') return { token }
  return { headers: { cookie: `session=${client.cookies.get('session')}` } }
}

/** Invalid bearer tokens by their defect. */
export async function deadBearers({ postern, admin }: Tenant): Promise<Record<string, string>> {
  const leaver = await member(postern, admin, 'administrator')
  await leaver.client.post('/v1/auth/sign-out')
  const { id, key } = (
    await postern
      .client()
      .post('/v1/api-keys', { name: 'deleted', role: 'administrator' }, { token: admin.token })
  ).body
  await postern.client().delete(`/v1/api-keys/${id}`, { token: admin.token })
  return {
    garbage: 'garbage',
    'a cookie': String(admin.client.cookies.get('session')),
    'a token that has expired': await sign(postern, admin, -1),
    'a token of another server': await sign(postern, admin, 3_600, 'https://elsewhere.test'),
    'a token of an ended session': leaver.token,
    'a deleted key': key,
    'half a token': admin.token.slice(0, -10),
  }
}

/** A token with the claims of a good one, signed with the server's own key. */
async function sign(postern: Postern, { token }: Person, seconds: number, issuer?: string): Promise<string> {
  const row = await postern.app.database.db.selectFrom('signing_key').selectAll().executeTakeFirstOrThrow()
  const jwk = JSON.parse(postern.app.vault.open(row.private_jwk, sealContext('signing_key', row.kid))) as JWK
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const now = Math.floor(postern.clock.now() / SECOND)
  return new SignJWT({ ...claims, ...(issuer === undefined ? {} : { iss: issuer, aud: issuer }) })
    .setProtectedHeader({ alg: 'ES256', kid: row.kid, typ: 'at+jwt' })
    .setExpirationTime(now + seconds)
    .sign(await importJWK(jwk, 'ES256'))
}
