import assert from 'node:assert/strict'
import { it } from 'node:test'
import { GRANTABLE } from '#src/access/resources.ts'
import type { Issue } from '#src/core/errors.ts'
import { newId } from '#src/core/id.ts'
import { PERMISSION_NAMES, permissionRow } from '#src/http/permissions.ts'
import { assertError } from './support/attacks.ts'
import type { Answer } from './support/browser.ts'
import { nightly } from './support/nightly.ts'
import { member } from './support/people.ts'
import { type PlatformKey, platformKey } from './support/platform.ts'
import { ENGINES, OPERATOR_TOKEN, onBothEngines, usePostern } from './support/postern.ts'
import {
  address,
  mistyped,
  pathKinds,
  type Route,
  readRoutes,
  sampleBody,
  undocumentedRoutes,
} from './support/routes.ts'
import {
  callRoute,
  callWith,
  createTenant,
  credentials,
  deadBearers,
  freshIds,
  missingIds,
  ownIds,
  type Tenant,
} from './support/tenants.ts'

/** The questions that every route must answer; a new one is asked them without a line here. */
const routes = await readRoutes()
const nameOf = ({ method, path }: Route) => `${method} ${path}`
/** The first route of each method. */
const methods = new Map(routes.toReversed().map((route) => [route.method, route]))
const takesJson = routes.filter(({ body }) => body !== undefined)
/** Who runs the server has all organizations. */
const hasIds = routes.filter(
  (route) => route.access !== 'installation' && pathKinds(route).some(({ isId }) => isId),
)
/** Kinds of things that only their owner and administrators see. */
const PERSONAL = ['run', 'conversation']
const isPersonal = (route: Route) => pathKinds(route).some(({ kind }) => PERSONAL.includes(kind))
/** The code for a thing that does not exist. */
const missingOf = (route: Route) =>
  pathKinds(route).some(({ kind }) => kind === 'conversation') ? 'CONVERSATION_NOT_FOUND' : 'ENTITY_NOT_FOUND'
/** Samples that a key of one scope may send, because they give no more than that scope. */
const BODIES: Record<string, object> = {
  createApiKey: { name: 'narrow', scopes: ['keys:write'] },
  changeMemberRole: { role: 'member' },
  changeProvisionedGroup: { role: null },
  createRole: { name: 'narrow', permissions: ['roles:write'] },
}

/** Operations whose sample gives the role `member`. */
const GIVES_MEMBER = ['changeMemberRole', 'createInvitation', 'resendInvitation']

const ELSEWHERE = ['FETCH_FAILED', 'INTEGRATION_PROVIDER_ERROR', 'MCP_CLIENT_UNAVAILABLE']

/** Asserts that a caller was admitted, whatever the route then answers. */
function assertAdmitted(answer: Answer): void {
  assert.notEqual(answer.status, 401, answer.text)
  // An answer about another server, which a test does not reach, is one of the handler too.
  if (answer.status >= 500) assert.ok(ELSEWHERE.includes(answer.body.error.code), answer.text)
  if (answer.status !== 403) return
  assert.doesNotMatch(answer.body.error.details.reason, /^(scope|administrator|permission)_required$/)
}

/**
 * By day a route is sent a quarter of the forms of each mistake, and the second engine is asked a quarter of
 * the questions that do not depend on the store.
 */
const PARTS = nightly(1, 4)
/** Public keys, which a page of any origin may read without cookies. Operations outside of the document have a test of their own. */
const OF_ANY_ORIGIN = ['/v1/auth/jwks', '/.well-known/jwks.json']
/** Moments that it may be given: all are left out of a sample. */
const momentsOf = ({ parameters, body }: Route) =>
  [
    ...parameters.map(({ name, schema }) => [name, schema] as const),
    ...Object.entries(body?.properties ?? {}),
  ].flatMap(([name, { format }]) => (format === 'date-time' ? [name] : []))
/** Routes of SCIM that write. */
const SCIM_WRITES = ['Users', 'Groups'].flatMap((of) => [
  `POST /scim/v2/${of}`,
  ...['PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/${of}/{id}`),
])
const isBearer = ({ access }: Route) => access === 'member' || access === 'administrator'

onBothEngines('every route', (engine) => {
  const server = usePostern(engine, { env: { ALLOWED_ORIGINS: 'https://app.acme.test' } })
  let tenants: Promise<[Tenant, Tenant]> | undefined
  const two = () => {
    tenants ??= server().then(async (postern) => [await createTenant(postern), await createTenant(postern)])
    return tenants
  }
  const platformKeys = new Map<string, Promise<PlatformKey>>()
  /** A key of the installation with some scopes, or all of them. */
  const keyOf = (scopes: string) => {
    const made =
      platformKeys.get(scopes) ??
      server().then((postern) =>
        platformKey(postern, { scopes: scopes === 'all' ? null : scopes.split(',') }),
      )
    platformKeys.set(scopes, made)
    return made
  }
  let dead: Promise<Record<string, string>> | undefined
  /** Forms of one mistake: a route gets a part of them, and its neighbours get others. */
  const some = <T>(all: readonly T[], route: Route) =>
    all.filter((_, at) => (at + routes.indexOf(route)) % PARTS === 0)
  /** By day the second engine gets a part of the routes for questions that are answered before a query. */
  const inPart = (all: readonly Route[], question: number) =>
    all.filter((route) => engine === ENGINES[0] || (routes.indexOf(route) + question) % PARTS === 0)

  /** By day the first route of each scope and a part of the others, for questions about other callers than keys: every route is asked about keys. */
  const ofScopes = (all: readonly Route[]) =>
    all.filter(
      (route) =>
        route.scope === undefined ||
        routes.find(({ scope }) => scope === route.scope) === route ||
        routes.indexOf(route) % PARTS === 0,
    )

  for (const route of inPart(routes, 0)) {
    it(`${nameOf(route)} refuses whoever shows nothing, or nothing good`, async () => {
      const postern = await server()
      const [tenant] = await two()
      const ids = await ownIds(tenant, route)
      const client = postern.client()
      if (route.access === 'public') {
        const open = await callRoute(client, route, ids)
        assert.ok(open.status < 500, open.text)
        // A public route does not even look at a token.
        const garbage = await callRoute(postern.client(), route, ids, { token: 'garbage' })
        assert.equal(garbage.status, open.status, garbage.text)
        return
      }
      if (route.access === 'operator') {
        const headers = { 'x-forwarded-for': '203.0.113.9' }
        assertError(await callRoute(client, route, ids, { headers }), 'UNAUTHORIZED')
        assertError(
          await callRoute(client, route, ids, { headers, token: tenant.admin.token }),
          'UNAUTHORIZED',
        )
        return
      }
      if (route.access === 'installation') {
        for (const token of [undefined, 'garbage', tenant.admin.token, `${OPERATOR_TOKEN}0`])
          assertError(
            await callRoute(client, route, ids, token === undefined ? {} : { token }),
            'UNAUTHORIZED',
          )
        return
      }
      const nothing = await callRoute(client, route, ids)
      assertError(nothing, 'UNAUTHORIZED')
      const challenge = nothing.headers.get('www-authenticate') ?? ''
      if (route.access === 'session') assert.equal(challenge, 'Bearer')
      // A client of OAuth finds out there how to get a token.
      else
        assert.match(
          challenge,
          /^Bearer resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource(\/mcp)?"$/,
        )
      if (route.access === 'session') {
        for (const cookie of [
          'session=garbage',
          `session=${'x'.repeat(43)}`,
          `session=${tenant.admin.token}`,
        ]) {
          assertError(await callRoute(client, route, ids, { headers: { cookie } }), 'UNAUTHORIZED')
        }
        assertError(await callRoute(client, route, ids, { token: tenant.admin.token }), 'UNAUTHORIZED')
        return
      }
      dead ??= deadBearers(tenant)
      for (const [name, token] of some(Object.entries(await dead), route)) {
        const answer = await callRoute(client, route, ids, { token })
        assert.equal(answer.status, 401, `${name}: ${answer.text}`)
        assertError(answer, 'UNAUTHORIZED')
        assert.match(
          answer.headers.get('www-authenticate') ?? '',
          /^Bearer error="invalid_token", resource_metadata="/,
        )
      }
      const cookie = `session=${tenant.admin.client.cookies.get('session')}`
      assertError(await callRoute(client, route, ids, { headers: { cookie } }), 'UNAUTHORIZED')
    })
  }

  for (const route of inPart(routes.filter(isBearer), 3)) {
    const isAdministrators = route.access === 'administrator'
    it(`${nameOf(route)} ${isAdministrators || isPersonal(route) ? 'refuses' : 'lets in'} a member who is no administrator`, async () => {
      const postern = await server()
      const [tenant] = await two()
      // Who leaves is gone afterwards, and a key has nothing to leave.
      const leaver = route.path.endsWith('/members/me') ? await member(postern, tenant.admin) : undefined
      for (const token of leaver ? [leaver.token] : [tenant.member.token, tenant.memberKey]) {
        const ids = await freshIds(tenant, route, token)
        const answer = await callRoute(postern.client(), route, ids, { token })
        // What a member has deleted is made anew for the next one.
        if (route.method === 'DELETE' && answer.status < 300)
          for (const { kind } of pathKinds(route)) tenant.forget(kind)
        if (isAdministrators) assertError(answer, 'FORBIDDEN', { reason: 'administrator_required' })
        // Who is let in asks somebody elsewhere, whom a test does not reach.
        else if (answer.status === 502) assertError(answer, 'FETCH_FAILED')
        else if (isPersonal(route)) assertError(answer, missingOf(route))
        else assert.ok(answer.status < 400, answer.text)
      }
    })
  }

  for (const route of hasIds) {
    it(`${nameOf(route)} shows and changes nothing of another organization`, async () => {
      const postern = await server()
      const [theirs, ours] = await two()
      const own = await ownIds(ours, route)
      const foreign = await ownIds(theirs, route)
      const call = credentials(route, ours.admin)
      const ids = pathKinds(route).filter(({ isId }) => isId)
      const mixes = [foreign, ...ids.map(({ name }) => ({ ...own, [name]: foreign[name] ?? '' }))]
      for (const mix of mixes) {
        const answer = await callRoute(postern.client(), route, mix, call)
        assertError(answer, missingOf(route))
        const unknown = { ...mix }
        for (const { name, kind } of ids) {
          if (mix[name] !== own[name]) unknown[name] = newId(kind as 'event', postern.clock.now())
        }
        // The answers for a thing of another organization and for a missing one are equal.
        const missing = await callRoute(postern.client(), route, unknown, call)
        assertError(missing, missingOf(route), { field: answer.body.error.details.field })
      }
    })
  }

  for (const route of inPart(hasIds, 1)) {
    it(`${nameOf(route)} takes an id with its prefix or bare, and nothing else`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const own = await ownIds(ours, route)
      const call = credentials(route, ours.admin)
      for (const { name } of pathKinds(route).filter(({ isId }) => isId)) {
        const id = own[name] ?? ''
        const bare = id.slice(id.indexOf('_') + 1)
        const wrong = ['garbage', '1', `zzz_${bare}`, `req_${bare}`, crypto.randomUUID(), `${id}0`, `${id} `]
        wrong.push(
          '00000000-0000-0000-0000-000000000000',
          id.replace('_', ''),
          bare.replaceAll('-', ''),
          '%',
          "'",
        )
        for (const form of some(wrong, route)) {
          const answer = await callRoute(postern.client(), route, { ...own, [name]: form }, call)
          assertError(answer, 'INVALID_UUID', { field: name, value: form })
        }
        if (route.method !== 'GET') continue
        for (const form of [id, bare, bare.toUpperCase()]) {
          const answer = await callRoute(postern.client(), route, { ...own, [name]: form }, call)
          assert.equal(answer.status, 200, answer.text)
        }
      }
    })
  }

  for (const route of inPart(takesJson, 2)) {
    it(`${nameOf(route)} says what is wrong with a body`, async () => {
      const [, ours] = await two()
      const postern = await server()
      const ids = await ownIds(ours, route)
      const call = credentials(route, ours.admin)
      const send = (body: unknown, headers: Record<string, string> = {}) =>
        callRoute(postern.client(), route, ids, { ...call, body, headers: { ...call.headers, ...headers } })
      const good = sampleBody(route) ?? {}

      const surprised = await send({ ...good, surprise: 1 })
      assertError(surprised, 'VALIDATION_FAILED', { field: 'surprise' })
      // The rest of the sample is good, or what follows would prove nothing.
      const issues = surprised.body.error.details.issues.filter(({ field }: Issue) => field !== 'body')
      assert.equal(issues.length, 1, surprised.text)
      const types = ['text/plain', 'application/xml', 'application/jsonp', 'json']
      for (const type of some(types, route)) {
        const text = type === 'application/xml' ? '<a/>' : JSON.stringify(good)
        assertError(await send(text, { 'content-type': type }), 'VALIDATION_FAILED', { field: 'body' })
      }
      const json = { 'content-type': 'application/json' }
      const empty = await send('', json)
      if (route.isBodyOptional) assert.ok(empty.body?.error?.details.field !== 'body', empty.text)
      else assertError(empty, 'VALIDATION_FAILED', { field: 'body', reason: 'empty' })
      for (const text of some(['{', '{"a":1}}', "{'a':1}", '{"__proto__":{"a":1}}', 'undefined'], route)) {
        assertError(await send(text, json), 'VALIDATION_FAILED', { field: 'body' })
      }
      for (const text of some(['[]', '"text"', '1', 'true'], route)) {
        assertError(await send(text, json), 'TYPE_MISMATCH', { field: 'body' })
      }
      for (const member of route.body?.required ?? []) {
        const { [member]: _, ...rest } = good
        assertError(await send(rest), 'MISSING_REQUIRED_FIELD', { field: member })
      }
      for (const [member, schema] of Object.entries(route.body?.properties ?? {})) {
        const isSecret = schema.writeOnly === true || /token|password|code$/i.test(member)
        const value = mistyped(schema)
        if (value !== undefined)
          assertError(await send({ ...good, [member]: value }), 'TYPE_MISMATCH', {
            ...{ field: member, value: isSecret ? '[redacted]' : value },
          })
        if (schema.type !== 'string') continue
        const nul = await send({ ...good, [member]: 'a\u0000b' })
        assert.ok(nul.status < 500, nul.text)
      }
    })

    it(`${nameOf(route)} knows all of its members`, () => {
      assert.equal(route.body?.additionalProperties, false)
    })
  }

  for (const route of inPart(routes, 3).filter((one) => momentsOf(one).length > 0)) {
    it(`${nameOf(route)} takes moments of years of four digits alone, and tells of no others`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const ids = await ownIds(ours, route)
      const call = credentials(route, ours.admin)
      const ask = (name: string, moment: string) =>
        route.body !== undefined
          ? callRoute(postern.client(), route, ids, {
              ...call,
              body: { ...sampleBody(route), [name]: moment },
            })
          : postern.client().get(`${address(route, ids)}?${new URLSearchParams([[name, moment]])}`, call)
      for (const name of momentsOf(route)) {
        // In UTC these are of the year before, and of the one after.
        for (const beyond of ['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-23:59'])
          assertError(await ask(name, beyond), 'VALIDATION_FAILED', { field: name, value: beyond })
        for (const edge of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])
          assert.doesNotMatch((await ask(name, edge)).text, /"[+-]\d{6}-/)
      }
    })
  }

  for (const route of inPart(routes, 0)) {
    it(`${nameOf(route)} carries its request id and the headers of every answer`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const ids = Object.fromEntries(pathKinds(route).map(({ name }) => [name, 'garbage']))
      const call = credentials(route, ours.admin)
      const ask = (headers: object, path = address(route, ids)) =>
        postern.client().call(path, {
          method: route.method,
          ...call,
          headers: { ...call.headers, ...headers },
        })
      const own = `test-${crypto.randomUUID()}`
      const origin = OF_ANY_ORIGIN.includes(route.path) ? '*' : null
      const answers = [[await ask({ 'x-request-id': own }), origin] as const]
      // Of an unknown path only the method differs.
      if (methods.get(route.method) === route)
        answers.push([await ask({ 'x-request-id': own }, '/v1/no/such/route'), null])
      for (const [answer, allowed] of answers) {
        assert.equal(answer.headers.get('x-request-id'), own)
        if (answer.status >= 400 && answer.body?.error) assert.equal(answer.body.error.requestId, own)
        assertHeaders(answer, route)
        assert.equal(answer.headers.get('access-control-allow-origin'), allowed)
        if (allowed === '*') assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      }
      const problem = await ask({ accept: 'application/problem+json' })
      assert.match(String(problem.headers.get('x-request-id')), /^req_[0-9a-f-]{36}$/)
      if (problem.status < 400 || problem.status === 503) return
      assert.match(String(problem.headers.get('content-type')), /^application\/problem\+json/)
      assert.equal(problem.body.status, problem.status)
      assert.equal(problem.body.title, problem.body.error.code)
    })
  }

  for (const route of ofScopes(inPart(routes.filter(isBearer), 1))) {
    it(`${nameOf(route)} takes a key of the installation with its scope, for the organization that the request names`, async () => {
      const postern = await server()
      const [theirs, ours] = await two()
      const ids = await ownIds(ours, route)
      const place = route.method === 'DELETE' ? { ...ids, ...missingIds(ours, route) } : ids
      const call = async (organization: string | undefined, scopes = 'all', at = ids) => {
        const { key } = await keyOf(scopes)
        const headers = organization === undefined ? {} : { 'postern-organization': organization }
        return callRoute(postern.client(), route, at, { token: key, headers })
      }
      const [own, foreign] = [ours.admin.organizationId, theirs.admin.organizationId]
      assertError(await call(undefined), 'MISSING_REQUIRED_FIELD', { field: 'Postern-Organization' })
      // A key may leave no organization.
      if (route.path.endsWith('/members/me')) assertError(await call(own), 'ENTITY_NOT_FOUND')
      else assertAdmitted(await call(own, 'all', place))
      if (hasIds.includes(route)) assertError(await call(foreign), missingOf(route))
      const { scope } = route
      if (scope === undefined) return
      const others = PERMISSION_NAMES.filter((name) => name !== scope).join()
      for (const name of [own, 'ext:no-such-organization'])
        assertError(await call(name, others), 'FORBIDDEN', { reason: 'scope_required', scope })
    })
  }

  for (const route of inPart(routes, 2)) {
    const { scope, also } = route
    if (scope === undefined) continue
    it(`${nameOf(route)} takes a key whose only scope is ${scope}, and none that has all others`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const ids = await ownIds(ours, route)
      const others = await ours.keyOf(PERMISSION_NAMES.filter((name) => name !== scope))
      const refused = await callRoute(postern.client(), route, ids, { token: others })
      assertError(refused, 'FORBIDDEN', { reason: 'scope_required', scope })
      // A deletion gets unknown ids, because the tests of other routes need the things.
      const place = route.method === 'DELETE' ? { ...ids, ...missingIds(ours, route) } : ids
      const body = BODIES[route.operationId]
      const only = { token: await ours.keyOf([scope]), ...(body && { body }) }
      assertAdmitted(await callRoute(postern.client(), route, place, only))
      for (const [member, more] of Object.entries(also)) {
        const lacking = await callWith(ours, route, ids, member, only)
        assertError(lacking, 'FORBIDDEN', { reason: 'scope_required', scope: more })
        assertAdmitted(await callWith(ours, route, ids, member, { token: await ours.keyOf([scope, more]) }))
      }
    })

    if (!ofScopes(routes).includes(route)) continue
    const isGrantable = (GRANTABLE as readonly string[]).includes(scope)
    it(`${nameOf(route)} takes ${isGrantable ? `a grant of ${scope} alone, and none without it` : 'no grant of an application'}, and not the operator's token`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const ids = await ownIds(ours, route)
      const call = (token: string, at = ids, body?: object) =>
        callRoute(postern.client(), route, at, { token, ...(body && { body }) })
      assertError(await call(OPERATOR_TOKEN), 'UNAUTHORIZED')
      const another = scope === 'webhooks:read' ? 'events:read' : 'webhooks:read'
      const refused = await call(await ours.grantOf(another))
      assertError(refused, 'FORBIDDEN', { reason: 'scope_required', scope })
      assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
      if (!isGrantable) return
      const place = route.method === 'DELETE' ? { ...ids, ...missingIds(ours, route) } : ids
      assertAdmitted(await call(await ours.grantOf(scope), place, BODIES[route.operationId]))
    })

    it(`${nameOf(route)} takes a member whose role permits ${scope} alone, and none whose role permits all else`, async () => {
      const postern = await server()
      const [, ours] = await two()
      const ids = await ownIds(ours, route)
      const others = await ours.memberWith(PERMISSION_NAMES.filter((name) => name !== scope))
      const refused = await callRoute(postern.client(), route, ids, { token: others })
      assertError(refused, 'FORBIDDEN', { reason: 'permission_required', scope })
      const place = route.method === 'DELETE' ? { ...ids, ...missingIds(ours, route) } : ids
      const body = BODIES[route.operationId]
      const only = { token: await ours.memberWith([scope]), ...(body && { body }) }
      const answer = await callRoute(postern.client(), route, place, only)
      // A person without the permissions of a member cannot give that role.
      if (GIVES_MEMBER.includes(route.operationId))
        assertError(answer, 'FORBIDDEN', { reason: 'permission_required', scope: 'organization:read' })
      else assertAdmitted(answer)
      for (const [member, more] of Object.entries(also))
        assertError(await callWith(ours, route, ids, member, only), 'FORBIDDEN', {
          ...{ reason: 'permission_required', scope: more },
        })
    })
  }
})

it('every permission of the table is asked for: by an operation, beside one, or for what others own', () => {
  const asked = routes.flatMap(({ scope, also }) => [scope, ...Object.values(also)])
  const left = PERMISSION_NAMES.filter((name) => !asked.includes(name))
  // The routes of SCIM are described by RFC 7644.
  assert.deepEqual(left, ['scim:write', 'files:all', 'runs:all', 'conversations:all'])
  for (const { scope, access } of routes)
    if (scope !== undefined) assert.equal(access, permissionRow(scope).role)
  // What has no permission shows of everything that its caller may see, or is every person's own.
  const open = routes.filter((route) => isBearer(route) && route.scope === undefined)
  assert.deepEqual(open.map(({ operationId }) => operationId).sort(), [
    'callMcp',
    'leaveOrganization',
    'listProblems',
    'streamOrganization',
  ])
})

function assertHeaders({ headers, status }: Answer, { access, method }: Route): void {
  const cache = headers.get('cache-control')
  if (access === 'public' && method === 'GET' && status < 400) assert.ok(cache)
  else assert.equal(cache, 'no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-site')
  assert.match(String(headers.get('content-security-policy')), /frame-ancestors 'none'/)
  assert.equal(headers.get('x-powered-by'), null)
  assert.equal(headers.get('server'), null)
}

it('a route that the document leaves out only reads, or always refuses', async () => {
  const left = await undocumentedRoutes(routes)
  assert.ok(left.includes('GET /openapi.json'))
  // `DELETE /mcp` refuses always, because there are no sessions of an older MCP. Routes of OAuth, SCIM, SAML
  // and reported sign-outs follow standards, and have tests of their own.
  const others = [
    ...['DELETE /mcp', 'POST /v1/auth/callback/{provider}', 'POST /v1/auth/logout/{id}'],
    'POST /v1/auth/saml/{id}/logout',
  ]
  const own = left.filter((one) => !others.includes(one) && !SCIM_WRITES.includes(one))
  for (const name of own) assert.match(name, /^(GET |POST \/oauth\/)/)
})
