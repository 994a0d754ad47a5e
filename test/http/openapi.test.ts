import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { toIso } from '#src/core/clock.ts'
import { KINDS, newId } from '#src/core/id.ts'
import { DESCRIPTIONS } from '#src/http/openapi/describe.ts'
import { FORMATS } from '#src/http/schema/formats.ts'
import { newIdentity } from '../support/certificate.ts'
import { withShapes } from '../support/document.ts'
import { administrator } from '../support/people.ts'
import { OPERATOR_TOKEN, usePostern } from '../support/postern.ts'
import { readRoutes } from '../support/routes.ts'

const VERBS =
  /^(accept|add|authorize|call|cancel|change|check|close|confirm|create|decide|delete|deliver|end|fetch|finish|grant|import|index|leave|list|open|preview|process|publish|read|receive|refresh|refuse|remove|rename|replace|report|request|resend|reset|resume|retry|revoke|rotate|search|sign|start|stream|test|update|upload|verify)[A-Z]\w+$/

const server = usePostern('sqlite', { env: { SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' } })

/** Every schema of the document, wherever it stands. */
function* schemasIn(value: unknown, where = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [where, value as Record<string, unknown>]
  for (const [name, inner] of Object.entries(value)) yield* schemasIn(inner, `${where}/${name}`)
}

it('every operation has a name of its own: a verb and a noun', async () => {
  const names = (await readRoutes()).map(({ operationId }) => operationId)
  for (const name of names) assert.match(String(name), VERBS)
  assert.deepEqual(names, [...new Set(names)])
  for (const promised of ['createInvitation', 'listDeliveries', 'rotateWebhookSecret'])
    assert.ok(names.includes(promised), promised)
})

it('what a format of ours asks of a request stands beside it in words of JSON Schema', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const ruled = new Set<string>()
  const { paths } = withShapes(body)
  for (const operation of Object.values(paths as Record<string, Record<string, object>>).flatMap((one) =>
    Object.values(one),
  )) {
    const { parameters, requestBody } = operation as { parameters?: unknown; requestBody?: unknown }
    for (const [where, { format, pattern }] of schemasIn([parameters, requestBody])) {
      if (typeof format !== 'string') continue
      const rule = FORMATS[format]?.rule
      assert.ok(rule, `${where} names the format ${format}, which we do not know`)
      assert.equal(pattern, rule.pattern, where)
      ruled.add(format)
    }
  }
  for (const format of ['email', 'date-time', 'webhook-id']) assert.ok(ruled.has(format), format)
})

it('a text of a request that is kept holds no NUL, and the document says so', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const { schema } = withShapes(body).paths['/v1/webhooks'].post.requestBody.content['application/json']
  assert.doesNotMatch('a\u0000b', new RegExp(schema.properties.description.pattern, 'u'))
  assert.match('a\nb', new RegExp(schema.properties.description.pattern, 'u'))
})

it('every pattern can be read by who knows no classes of letters, as some clients do', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const patterns = [...schemasIn(body)].flatMap(([where, { pattern }]) =>
    typeof pattern === 'string' ? [`${where}: ${pattern}`] : [],
  )
  assert.ok(patterns.length > 20)
  assert.deepEqual(
    patterns.filter((pattern) => /\\p\{/i.test(pattern)),
    [],
  )
})

it('whatever a format of ours takes matches the pattern that the document shows', () => {
  const accepted: Record<string, fc.Arbitrary<string>> = {
    email: fc.oneof(
      fc.emailAddress(),
      fc.constantFrom(
        ' ada+x@acme.test',
        'ADA@Acme.Test ',
        "o'neil@bücher.example",
        'a@xn--bcher-kva.example',
      ),
    ),
    'date-time': fc.nat().map((seconds) => toIso(seconds * 1_000)),
    ...Object.fromEntries(
      KINDS.map((kind) => [
        `${kind}-id`,
        fc
          .nat()
          .map((now) => newId(kind, now))
          .chain((id) => fc.constantFrom(id, id.slice(-36), id.slice(-36).toUpperCase())),
      ]),
    ),
  }
  for (const [name, { check, rule }] of Object.entries(FORMATS)) {
    if (rule.pattern === undefined) continue
    const pattern = new RegExp(rule.pattern, 'u')
    assert.ok(accepted[name], `the test has no samples of ${name}`)
    const taken = fc.sample(accepted[name], 200).filter(check)
    assert.ok(taken.length > 0, name)
    for (const text of taken) assert.match(text, pattern, name)
  }
})

it('an id is described to the letter: its pattern takes what the server takes, and nothing else', () => {
  const uuid = newId('webhook', 1).slice(-36)
  const forms = [
    `whk_${uuid}`,
    uuid,
    `evt_${uuid}`,
    `whk_${uuid}0`,
    `whk_${uuid}\n`,
    uuid.replace('-7', '-4'),
    '',
  ]
  const { check, rule } = FORMATS['webhook-id'] ?? assert.fail()
  for (const form of forms) assert.equal(new RegExp(rule.pattern ?? '', 'u').test(form), check(form), form)
})

it('every reference leads to what its place asks for', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const references = [...schemasIn(body)].filter(([, { $ref }]) => typeof $ref === 'string')
  assert.ok(references.length > 60)
  for (const [where, { $ref }] of references) {
    const [root, ...names] = String($ref).split('/')
    assert.equal(root, '#', where)
    const target = names.reduce((one, name) => one?.[name], body)
    assert.equal(typeof target, 'object', `${where} refers to ${String($ref)}, which is not there`)
    // A schema stands in the place of a schema, a response in that of a response, a parameter in that of a parameter.
    const [, kind = 'schemas'] = /\/(responses|parameters)\/[^/]+$/.exec(where) ?? []
    assert.equal(names[1], kind, where)
  }
})

it('no value is null alone, of which openapi-generator makes no type in Python', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const alone = [...schemasIn(body)].filter(
    ([where, { type }]) => type === 'null' && !/\/(anyOf|oneOf)\/\d+$/.test(where),
  )
  assert.deepEqual(
    alone.map(([where]) => where),
    [],
  )
})

it('every shape of an object has a name, which says what it is of', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const nameless = [...schemasIn(body.paths)].filter(
    ([where, { properties }]) => properties !== undefined && !where.endsWith('/properties'),
  )
  assert.deepEqual(
    nameless.map(([where]) => where),
    [],
  )
  const names = Object.keys(body.components.schemas)
  for (const promised of ['Webhook', 'WebhookPage', 'CreateWebhookBody', 'Delivery', 'DeliveryAttempt'])
    assert.ok(names.includes(promised), promised)
  // A number at the end says that two shapes were given one name.
  assert.deepEqual(
    names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name)),
    [],
  )
})

it('at least 95 of 100 members and parameters say what they mean, and what they say is no repeated name', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const found: [string, string | undefined][] = []
  for (const [where, { properties }] of schemasIn([body.components, body.paths, body.webhooks])) {
    if (typeof properties !== 'object' || where.endsWith('/properties') || isExample(where)) continue
    for (const [name, one] of Object.entries(properties as Record<string, { description?: string }>))
      found.push([`${where}/${name}`, one.description])
  }
  for (const operations of Object.values(body.paths as Record<string, Record<string, Operation>>))
    for (const { operationId, parameters = [] } of Object.values(operations))
      for (const { name, description } of parameters)
        if (name !== undefined) found.push([`${operationId} ${name}`, description])
  assert.ok(found.length > 1_000)
  const silent = found.filter(([, description]) => description === undefined).map(([where]) => where)
  assert.ok(
    silent.length / found.length <= 0.05,
    `${silent.length} of ${found.length}: ${silent.slice(0, 40).join(', ')}`,
  )
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]|^(the|a|an) /g, '')
  const filler = found.filter(
    ([where, text]) => text !== undefined && plain(text) === plain(where.split(/[/ ]/).at(-1) ?? ''),
  )
  assert.deepEqual(filler, [])
})

it('the tables of what members mean hold nothing that the document does not show', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const shown = new Set([...schemasIn(body.components)].map(([, { description }]) => description))
  const unknown = Object.keys(DESCRIPTIONS).filter((name) => body.components.schemas[name] === undefined)
  const unused = Object.entries(DESCRIPTIONS).flatMap(([name, members]) =>
    Object.entries(members)
      .filter(([, text]) => !shown.has(text))
      .map(([member]) => `${name}.${member}`),
  )
  assert.deepEqual([...unknown, ...unused], [])
})

it('no two paths of the document are one but for the names of their parameters', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  const shapes = Object.keys(body.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
  assert.deepEqual(shapes, [...new Set(shapes)])
  const { post } = body.paths['/v1/webhooks/{id}']
  assert.equal(post.operationId, 'callWebhook')
  for (const [path, operations] of Object.entries(body.paths as Record<string, Record<string, Operation>>)) {
    for (const { operationId, parameters = [] } of Object.values(operations)) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(named.sort(), inPath.sort(), operationId)
    }
  }
})

it('what a value of free shape may not hold stands in the document, however deep it is', async () => {
  const postern = await server()
  const { token } = await administrator(postern)
  const { body: document } = await postern.client().get('/openapi.json')
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'document', ...document })
  const call = { token, headers: { 'content-type': 'application/json' } }
  const bad = ['{"__proto__":1}', '{"constructor":{"prototype":1}}', '{"a":{"constructor":{"prototype":{}}}}']
  const good = [
    '{"constructor":1}',
    '{"constructor":[{"prototype":1}]}',
    '{"prototype":{},"proto":"__proto__"}',
  ]
  const values = [...bad, ...good].flatMap((text) => [text, `[0,${text}]`, `{"a":[{"b":${text}}]}`])
  const bodies = [
    ['/v1/events', (value: string) => `{"type":"unknown","data":{"a":${value}}}`],
    ['/v1/events/batch', (value: string) => `{"events":[{"type":"unknown","data":{"a":${value}}}]}`],
    ['/v1/event-types', (value: string) => `{"name":"a.b","example":{"a":${value}}}`],
    ...['default', 'const', 'examples', 'enum'].map((keyword) => {
      const write = (value: string) => (keyword.endsWith('t') ? value : `[${value}]`)
      return ['/v1/event-types', (value: string) => `{"name":"a.b","schema":{"${keyword}":${write(value)}}}`]
    }),
    ['/v1/event-types', (value: string) => `{"name":"a.b","schema":{"items":{"default":${value}}}}`],
  ] as [string, (value: string) => string][]
  for (const [path, write] of bodies) {
    const pointer = `document#/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`
    const isAsDocumented = ajv.getSchema(pointer) ?? assert.fail(pointer)
    for (const value of values) {
      const text = write(value)
      const isBad = bad.some((one) => value.includes(one))
      assert.equal(isAsDocumented(JSON.parse(text)), !isBad, `${path} ${text}`)
      const { body } = await postern.client().post(path, text, call)
      assert.equal(body.error?.details.reason === 'reserved_member', isBad, `${path} ${text}`)
    }
  }
})

it('a body that may be left out is not required, and any other is', async () => {
  const { body } = await (await server()).client().get('/openapi.json')
  assert.equal(body.paths['/v1/webhooks/{id}/test'].post.requestBody.required, false)
  assert.equal(body.paths['/v1/webhooks'].post.requestBody.required, true)
})

it('what is for sale and who is configured stands in the document, and nothing else is taken', async () => {
  const body = withShapes((await (await server()).client().get('/openapi.json')).body)
  const { credits, plan } = jsonOf(body.paths['/v1/billing/checkout'].post).properties
  assert.deepEqual([credits.multipleOf, credits.minimum], [1_000, 1_000])
  assert.ok(Array.isArray(plan.enum) && plan.enum.includes('team'))
  const { properties } = jsonOf(body.paths['/v1/webhooks'].post)
  const url = new RegExp(properties.url.pattern, 'u')
  for (const good of [
    'https://example.com/hooks',
    'http://127.0.0.1:9000/',
    'https://a.b:65000?x=1',
    'HTTPS://A_b.C#',
  ])
    assert.match(good, url)
  for (const bad of [
    'example.com',
    'ftp://example.com',
    'https://a:b@c.d/',
    'https:///x',
    'https://a b.c',
    'http://a\\b',
  ])
    assert.doesNotMatch(bad, url)
  assert.deepEqual(body.paths['/metrics'].get.responses[200].content, {
    'text/plain': { schema: { type: 'string' } },
  })
})

it('which members of a request exclude each other stands in the document', async () => {
  const postern = await server()
  const { paths } = withShapes((await postern.client().get('/openapi.json')).body)
  const takes = (schema: object, body: object) =>
    new Ajv2020({ strict: false, validateFormats: false }).validate(schema, body)
  const signIn = jsonOf(paths['/v1/auth/sign-in/sso'].post)
  const callbackURL = `http://localhost:${new URL(postern.url).port}/`
  const email = 'ada@acme.test'
  const organizationId = newId('organization', 0)
  assert.ok(takes(signIn, { email, callbackURL }))
  assert.ok(takes(signIn, { organizationId, callbackURL }))
  assert.ok(!takes(signIn, { email, organizationId, callbackURL }))
  assert.ok(!takes(signIn, { callbackURL }))
  const oidc = { issuer: 'https://login.acme.test', clientId: 'postern', clientSecret: 'a-secret' }
  const saml = { metadata: '<EntityDescriptor/>' }
  for (const [schema, named] of [
    [jsonOf(paths['/v1/identity-providers'].post), { name: 'Acme' }],
    [jsonOf(paths['/v1/setup/identity-provider'].put), {}],
  ] as const)
    for (const [kind, right, wrong] of [
      ['oidc', { oidc }, { saml }],
      ['saml', { saml }, { oidc }],
    ] as const) {
      assert.ok(takes(schema, { ...named, kind, ...right }), kind)
      assert.ok(!takes(schema, { ...named, kind, ...wrong }), kind)
      assert.ok(!takes(schema, { ...named, kind, oidc, saml }), kind)
      assert.ok(!takes(schema, { ...named, kind }), kind)
    }
})

it('what the server takes as a connection of an identity provider is what the document allows', async () => {
  const postern = await server()
  const { token } = await administrator(postern)
  const client = postern.client()
  const { paths } = withShapes((await client.get('/openapi.json')).body)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const path = '/v1/identity-providers'
  const [mayMake, mayChange] = [paths[path].post, paths[`${path}/{id}`].patch].map((one) =>
    ajv.compile(jsonOf(one)),
  )
  assert.deepEqual(
    ['oidc', 'saml'].map((kind) => jsonOf(paths['/v1/setup/identity-provider'].put).properties[kind]),
    ['oidc', 'saml'].map((kind) => jsonOf(paths[path].post).properties[kind]),
  )
  const oidc = { issuer: 'https://127.0.0.1/acme', clientId: 'postern', clientSecret: 'a-secret' }
  const saml = {
    entityId: 'urn:acme',
    signOnUrl: 'https://login.acme.test/sso',
    certificates: [newIdentity().certificate],
  }
  const metadata = '<EntityDescriptor/>'
  const without = (one: object, name: string) => ({ ...one, [name]: undefined })
  const urls: [string, boolean][] = [
    ['https://127.0.0.1:8443/a/b', true],
    ['HTTPS://127.0.0.1', true],
    ['http://127.0.0.1:9000/', true],
    ['http://[::1]:9000/', true],
    ['http://login.LOCALHOST/', true],
    ['https://127.0.0.1/?', true],
    ['https://127.0.0.1/#', true],
    ['http://login.acme.test/', false],
    ['http://127.acme.test/', false],
    ['ftp://127.0.0.1/', false],
    ['https://ada:pass@127.0.0.1/', false],
    ['127.0.0.1', false],
    ['https://127.0.0.1/a b', false],
  ]
  /** A connection, and whether it may be that of a new provider and of a changed one. */
  const asked: ['oidc' | 'saml', object, boolean, boolean][] = [
    ['oidc', without(oidc, 'clientSecret'), false, true],
    ['oidc', without(oidc, 'clientId'), false, false],
    ['oidc', without(oidc, 'issuer'), false, false],
    ['oidc', { ...oidc, metadata }, false, false],
    ['saml', { ...saml, entityId: 'urn:acme 1' }, false, false],
    ['saml', { ...saml, entityId: 'urn:bücher' }, false, false],
    ['saml', { ...saml, certificates: [] }, false, false],
    ['saml', { ...saml, emailAttribute: 'mail', logoutUrl: null, logoutBinding: 'post' }, true, true],
  ]
  for (const name of Object.keys(saml)) asked.push(['saml', without(saml, name), false, true])
  const said = { ...saml, logoutUrl: null, logoutResponseUrl: null, logoutBinding: 'post' }
  for (const [name, value] of Object.entries(said))
    asked.push(['saml', { metadata, [name]: value }, false, false])
  for (const [url, isRight] of urls) {
    const isIssuer = isRight && !/[?#]/.test(url)
    asked.push(['oidc', { ...oidc, issuer: url }, isIssuer, isIssuer])
    for (const name of ['signOnUrl', 'logoutUrl', 'logoutResponseUrl'])
      asked.push(['saml', { ...saml, [name]: url }, isRight, isRight])
  }
  for (const [kind, connection, isNew] of asked) {
    const body = JSON.parse(JSON.stringify({ kind, name: 'Acme', [kind]: connection }))
    assert.equal(mayMake?.(body), isNew, `the document about a new one: ${JSON.stringify(body)}`)
    const made = await client.post(path, body, { token })
    assert.equal(made.status, isNew ? 201 : 400, `a new one: ${JSON.stringify(body)} ${made.text}`)
    if (isNew) assert.equal((await client.delete(`${path}/${made.body.id}`, { token })).status, 204)
  }
  for (const [kind, first] of Object.entries({ oidc, saml })) {
    const made = await client.post(path, { kind, name: 'Acme', [kind]: first }, { token })
    for (const [, connection, , isChange] of asked.filter(([of]) => of === kind)) {
      const body = JSON.parse(JSON.stringify({ [kind]: connection }))
      assert.equal(mayChange?.(body), isChange, `the document about a change: ${JSON.stringify(body)}`)
      const changed = await client.patch(`${path}/${made.body.id}`, body, { token })
      assert.equal(changed.status, isChange ? 200 : 400, `a change: ${JSON.stringify(body)} ${changed.text}`)
    }
  }
})

it('what the operator may register stands in the document: redirect URIs, and networks of a key', async () => {
  const postern = await server()
  const client = postern.client()
  const { paths } = withShapes((await client.get('/openapi.json')).body)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  async function asks(path: string, body: object, isRight: boolean): Promise<void> {
    const said = `${path} ${JSON.stringify(body)}`
    assert.equal(ajv.validate(jsonOf(paths[path].post), body), isRight, `the document: ${said}`)
    const { status, text } = await client.post(path, body, { token: OPERATOR_TOKEN })
    assert.equal(status, isRight ? 201 : 400, `the server: ${said} ${text}`)
  }
  const clients = '/v1/operator/oauth-clients'
  const right = 'https://app.acme.test/back?a=b'
  await asks(clients, { name: 'App', redirectUris: [] }, false)
  await asks(clients, { name: 'App', redirectUris: [], usesDeviceFlow: false }, false)
  await asks(clients, { name: 'App', redirectUris: [], usesDeviceFlow: true }, true)
  for (const [uri, isRight] of [
    [right, true],
    ['http://127.0.0.1:9000/', true],
    ['http://[::1]', true],
    ['http://localhost/back', true],
    ['http://app.localhost/', false],
    ['http://127.0.0.2/', false],
    ['http://app.acme.test/', false],
    ['HTTPS://app.acme.test/', false],
    ['https://bücher.test/', false],
    ['https://app.acme.test/#', false],
    ['https://ada@app.acme.test/', false],
    ['acme://back', false],
    ['back', false],
  ] as const) {
    await asks(clients, { name: 'App', redirectUris: [uri] }, isRight)
    await asks(clients, { name: 'App', redirectUris: [right], postLogoutRedirectUris: [uri] }, isRight)
  }
  const withState = { postLogoutRedirectUris: [`${right}&state=1`] }
  await asks(clients, { name: 'App', redirectUris: [right], ...withState }, false)
  for (const [network, isRight] of [
    ['203.0.113.0/24', true],
    ['::ffff:10.0.0.0/104', true],
    ['2001:DB8::/32', true],
    ['localhost', false],
    ['10/8', false],
    ['fe80::1%eth0', false],
    ['10.0.0.0/-1', false],
  ] as const)
    await asks(
      '/v1/operator/platform-keys',
      { name: 'Key', scopes: null, allowedAddresses: [network] },
      isRight,
    )
})

/** A value of an event or an answer, which is no schema. */
const isExample = (where: string) => /\/(examples?|default|enum|const)(\/|$)/.test(where)

interface Operation {
  operationId: string
  /** The header that operations share is a reference, and has none of these. */
  parameters?: { in: string; name?: string; description?: string }[]
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
function jsonOf({ requestBody }: any): any {
  return requestBody.content['application/json'].schema
}
