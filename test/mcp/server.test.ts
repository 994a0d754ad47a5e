import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { SECOND } from '#src/core/clock.ts'
import { TOOLS } from '#src/mcp/tools.ts'
import { assertError } from '../support/attacks.ts'
import type { Call } from '../support/browser.ts'
import { withShapes } from '../support/document.ts'
import { connectMcp, PROTOCOLS, type Protocol } from '../support/mcp-client.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { onOneEngineByDay, type Postern, postern, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const RUN = { agentId: 'a', runId: 'r', status: 'succeeded', durationMs: 1, output: 'Done' }

onOneEngineByDay('Postern as an MCP server', (engine) => {
  const server = usePostern(engine, { env: { ALLOWED_ORIGINS: 'https://app.acme.test' } })
  let stand: Promise<{ postern: Postern; admin: Person; key: string; memberKey: string }> | undefined
  const all = () => {
    stand ??= server().then(async (postern) => {
      const admin = await administrator(postern)
      const [key, memberKey] = [await apiKey(postern, admin), await apiKey(postern, admin, 'member')]
      return { postern, admin, key, memberKey }
    })
    return stand
  }
  const clients: Client[] = []
  after(() => Promise.all(clients.map((client) => client.close())))
  const connect = async (token: string, protocol: Protocol = 'new') => {
    const { postern } = await all()
    const client = await connectMcp(postern.url, token, protocol)
    clients.push(client)
    return client
  }
  const rpc = async (message: unknown, call: Call = {}) => {
    const { postern, key } = await all()
    return postern.client().post('/mcp', message, { token: key, ...call })
  }
  /** Calls a tool, and asserts that its answer says the same as text and as data. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  const use = async (client: Client, name: string, args: object = {}): Promise<any> => {
    const { content, structuredContent, isError } = await client.callTool({
      name,
      arguments: args as Record<string, unknown>,
    })
    const [first] = content as [{ type: string; text: string }]
    assert.deepEqual(JSON.parse(first.text), structuredContent)
    return { ...(structuredContent as object), isError: isError ?? false }
  }

  for (const protocol of Object.keys(PROTOCOLS) as Protocol[]) {
    it(`is spoken to by the official client in the ${protocol} protocol, from the list of tools to a retried delivery`, async () => {
      const { postern, admin, key } = await all()
      const client = await connect(key, protocol)
      assert.equal(client.getServerVersion()?.name, 'postern')
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      )
      const made = await postern
        .client()
        .post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] }, { token: admin.token })
      const types = await use(client, 'list_event_types')
      assert.ok(types.data.some(({ name }: { name: string }) => name === 'agent.run.completed'))
      const published = await use(client, 'publish_event', { type: 'agent.run.completed', data: RUN })
      assert.equal(published.isError, false)
      const listed = await use(client, 'list_webhooks', { limit: 100 })
      assert.ok(listed.data.some(({ id }: { id: string }) => id === made.body.id))
      const sent = await use(client, 'list_deliveries', {
        id: made.body.id,
        eventType: 'agent.run.completed',
      })
      assert.equal(sent.data[0].eventId, published.id)
      const retried = await use(client, 'retry_delivery', { id: sent.data[0].id })
      assert.equal(retried.eventId, published.id)
      const people = await use(client, 'list_members')
      assert.deepEqual(
        people.data.map(({ email }: { email: string }) => email),
        [admin.email],
      )
    })
  }

  it('takes a JWT as it takes a key, and shows each caller what their role may call', async () => {
    const { postern, admin, memberKey } = await all()
    const namesFor = async (token: string) =>
      (await (await connect(token)).listTools()).tools.map(({ name }) => name)
    assert.equal((await namesFor(admin.token)).length, TOOLS.length)
    const ofAdministrators = ['publish_event', 'retry_delivery', 'create_invitation']
    const reading = TOOLS.map(({ name }) => name).filter((name) => !ofAdministrators.includes(name))
    assert.deepEqual(await namesFor(memberKey), reading)
    const outsider = await administrator(postern)
    const colleague = await member(postern, outsider)
    assert.deepEqual(await namesFor(colleague.token), reading)
  })

  it('refuses a member what the route refuses them, and does nothing', async () => {
    const { memberKey, key } = await all()
    const answer = await use(await connect(memberKey), 'create_invitation', { email: newEmail() })
    assert.equal(answer.isError, true)
    assert.equal(answer.error.code, 'FORBIDDEN')
    assert.equal(answer.error.details.reason, 'administrator_required')
    assert.equal((await use(await connect(key), 'list_members')).data.length, 1)
  })

  it('knows nothing of another organization', async () => {
    const { postern, admin } = await all()
    const stranger = await connect(await apiKey(postern, await administrator(postern)))
    const made = await postern
      .client()
      .post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] }, { token: admin.token })
    const answer = await use(stranger, 'list_deliveries', { id: made.body.id })
    assert.equal(answer.error.code, 'ENTITY_NOT_FOUND')
    assert.deepEqual((await use(stranger, 'list_webhooks')).data, [])
    const people = await use(stranger, 'list_members', { id: admin.organizationId })
    assert.equal(people.error.code, 'ENTITY_NOT_FOUND')
  })

  it('answers what is wrong with arguments by the code that the route has for it', async () => {
    const client = await connect((await all()).key)
    const cases: [string, object, string, string][] = [
      ['create_invitation', {}, 'MISSING_REQUIRED_FIELD', 'email'],
      ['create_invitation', { email: 'no address' }, 'INVALID_EMAIL', 'email'],
      ['create_invitation', { email: newEmail(), surprise: 1 }, 'VALIDATION_FAILED', 'surprise'],
      ['create_invitation', { email: 7 }, 'TYPE_MISMATCH', 'email'],
      ['list_webhooks', { limit: 0 }, 'VALIDATION_FAILED', 'limit'],
      ['list_webhooks', { surprise: 1 }, 'VALIDATION_FAILED', 'surprise'],
      ['list_deliveries', {}, 'MISSING_REQUIRED_FIELD', 'id'],
      ['publish_event', { type: 'no.such.type', data: {} }, 'VALIDATION_FAILED', 'type'],
      [
        'publish_event',
        { type: 'agent.run.completed', data: RUN, idempotencyKey: 'a\r\nb: c' },
        'VALIDATION_FAILED',
        'Idempotency-Key',
      ],
      // Nothing in an id leads to another route.
      ...['..', '.', '', '../event-types', '%2e%2e', 'garbage', '\ud800'].map(
        (id): [string, object, string, string] => ['list_deliveries', { id }, 'INVALID_UUID', 'id'],
      ),
    ]
    for (const [name, args, code, field] of cases) {
      const answer = await use(client, name, args)
      assert.equal(answer.isError, true, JSON.stringify(args))
      assert.equal(answer.error.code, code, JSON.stringify(answer))
      assert.equal(answer.error.details.field, field)
      assert.match(answer.error.docUrl, new RegExp(`/v1/errors/${code}$`))
    }
  })

  it('does once what is called twice with one key', async () => {
    const client = await connect((await all()).key)
    const args = { type: 'agent.run.completed', data: RUN, idempotencyKey: crypto.randomUUID() }
    const first = await use(client, 'publish_event', args)
    assert.equal(first.isError, false)
    assert.equal((await use(client, 'publish_event', args)).id, first.id)
    const other = await use(client, 'publish_event', { ...args, data: { ...RUN, output: 'other' } })
    assert.equal(other.error.details.reason, 'used_with_another_body')
  })

  it('passes numbers on digit by digit', async () => {
    const { postern, key } = await all()
    const type = { name: 'order.paid', schema: { type: 'object' }, description: 'Paid.', example: {} }
    const made = await postern.client().post('/v1/event-types', type, { token: key })
    assert.equal(made.status, 201, made.text)
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_event","arguments":{"type":"order.paid","data":{"amount":1.50,"order":12345678901234567890}}}}`
    const answer = await rpc(text, { headers: { 'content-type': 'application/json' } })
    assert.equal(answer.status, 200, answer.text)
    const { body } = await postern.client().get('/v1/events?type=order.paid', { token: key })
    const read = await postern.client().get(`/v1/events/${body.data[0].id}`, { token: key })
    assert.match(read.text, /"amount":1\.50,"order":12345678901234567890/)
  })

  it('answers to the id that a message has, digit by digit', async () => {
    const json = { headers: { 'content-type': 'application/json' } }
    const methods = [`"ping"`, `"no/such"`, `"tools/list","params":{"cursor":5}`, `"tools/call","params":{}`]
    for (const id of [
      '9007199254740993',
      '-9223372036854775808',
      '123456789012345678901234567890',
      '1E400',
      '7',
    ])
      for (const method of methods) {
        const answer = await rpc(`{"jsonrpc":"2.0","id": ${id} ,"method":${method}}`, json)
        assert.match(answer.text, new RegExp(`"id":${id}[,}]`), answer.text)
      }
    const text = await rpc({ jsonrpc: '2.0', id: '9007199254740993', method: 'ping' })
    assert.equal(text.body.id, '9007199254740993')
  })

  it('writes what is done through it into the audit log as the caller, with the request id of the message', async () => {
    const { postern, admin, key } = await all()
    const email = newEmail()
    const requestId = `mcp-${crypto.randomUUID()}`
    const call = { name: 'create_invitation', arguments: { email, sendEmail: false } }
    const answer = await rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { headers: { 'x-request-id': requestId } },
    )
    assert.equal(answer.status, 200, answer.text)
    const { body } = await postern.client().get('/v1/audit-log?limit=100', { token: admin.token })
    const entry = body.data.find((one: { requestId: string }) => one.requestId === requestId)
    const keys = (await postern.client().get('/v1/api-keys', { token: admin.token })).body.data
    assert.ok(
      keys.some(
        ({ id, serviceAccountId }: { id: string; serviceAccountId: string }) =>
          id === entry.keyId && serviceAccountId === entry.actorId,
      ),
      JSON.stringify(entry),
    )
    assert.equal((await rpc({ jsonrpc: '2.0', id: 2, method: 'ping' }, { token: key })).status, 200)
  })

  it('answers in the words of the catalogue what is no message of the protocol', async () => {
    const { postern, key } = await all()
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    assertError(await postern.client().post('/mcp', ping), 'UNAUTHORIZED')
    assertError(await rpc(ping, { token: `${key}x` }), 'UNAUTHORIZED')
    assertError(await rpc([ping, ping]), 'TYPE_MISMATCH', { field: 'body' })
    assertError(await rpc({ ...ping, surprise: 1 }), 'VALIDATION_FAILED', { field: 'surprise' })
    assertError(await rpc({ ...ping, jsonrpc: '1.0' }), 'VALIDATION_FAILED', { field: 'jsonrpc' })
    const large = { ...ping, params: { text: 'x'.repeat(300 * 1024) } }
    assertError(await rpc(large), 'VALIDATION_FAILED', { field: 'body', reason: 'too_large' })
    const json = { headers: { 'content-type': 'application/json' } }
    assertError(await rpc('{', json), 'VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
    const text = { headers: { 'content-type': 'text/plain' } }
    assertError(await rpc(JSON.stringify(ping), text), 'VALIDATION_FAILED', { field: 'body' })
    for (const origin of ['https://evil.test', 'null', 'http://localhost:1'])
      assertError(await rpc(ping, { headers: { origin } }), 'FORBIDDEN', { reason: 'cross_site' })
    assert.equal((await rpc(ping, { headers: { origin: 'https://app.acme.test' } })).status, 200)
  })

  it('answers in the words of the protocol what is one, and keeps no session and no stream', async () => {
    const { postern, key } = await all()
    const stream = await postern
      .client()
      .get('/mcp', { token: key, headers: { accept: 'text/event-stream' } })
    assert.equal(stream.status, 405)
    assert.equal(stream.headers.get('allow'), 'POST')
    assert.equal(stream.body.jsonrpc, '2.0')
    const session = await postern.client().delete('/mcp', { token: key })
    assert.deepEqual([session.status, session.headers.get('allow')], [405, 'POST'])
    assertError(await postern.client().get('/mcp'), 'UNAUTHORIZED')
    const noted = await rpc({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([noted.status, noted.text, noted.headers.get('content-type')], [202, '', null])
    const codeOf = async (method: string, params: object, headers: Record<string, string> = {}) => {
      const answer = await rpc({ jsonrpc: '2.0', id: 7, method, params }, { headers })
      return answer.body.error.code
    }
    assert.equal(await codeOf('no/such', {}), -32_601)
    assert.equal(await codeOf('resources/list', {}), -32_601)
    assert.equal(await codeOf('tools/call', { name: 'no_such_tool', arguments: {} }), -32_602)
    assert.equal(await codeOf('tools/call', { name: 'list_webhooks', arguments: [] }), -32_602)
    for (const [method, params, field] of [
      ['initialize', { protocolVersion: 5, capabilities: {}, clientInfo: {} }, 'params.protocolVersion'],
      ['tools/list', { cursor: 5 }, 'params.cursor'],
      ['tools/call', { name: 'list_webhooks', arguments: [] }, 'params.arguments'],
    ] as const) {
      const { error } = (await rpc({ jsonrpc: '2.0', id: 7, method, params })).body
      assert.equal(error.code, -32_602, method)
      assert.match(error.message, new RegExp(`^Invalid params: ${field}: .{1,100}$`))
    }
    const lines = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a\nb', arguments: {} } }
    assert.equal((await rpc(lines)).body.error.message, 'Unknown tool: a b')
    assert.equal(await codeOf('tools/list', {}, { 'mcp-protocol-version': '1999-01-01' }), -32_000)
    for (const idempotencyKey of [{ a: 1 }, 5, null]) {
      const params = { name: 'create_invitation', arguments: { email: newEmail(), idempotencyKey } }
      const { result } = (await rpc({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })).body
      const { code, details } = result.structuredContent.error
      assert.deepEqual([code, details.field], ['TYPE_MISMATCH', 'idempotencyKey'])
    }
    // A version that nobody has heard of, and a header that says another method than the message.
    const modern = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    assert.equal(
      await codeOf('tools/list', modern, {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
      }),
      -32_020,
    )
    const future = { _meta: { ...modern._meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }
    assert.equal(
      await codeOf('tools/list', future, {
        'mcp-protocol-version': '2099-01-01',
        'mcp-method': 'tools/list',
      }),
      -32_022,
    )
    const listen = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const wanted = { ...modern, notifications: { toolsListChanged: true } }
    assert.equal(await codeOf('subscriptions/listen', wanted, listen), -32_603)
  })

  it('has an agent answer out of a knowledge base that is searched through it too', async () => {
    const { postern: running, key } = await all()
    const ask = async (path: string, body: object) => {
      const answer = await running.client().post(path, body, { token: key })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const base = await ask('/v1/knowledge-bases', { name: 'Prices' })
    const text = 'The blue lamp costs 42 euros. The red lamp is sold out.'
    await ask(`/v1/knowledge-bases/${base.id}/documents`, { text, name: 'lamps.txt' })
    const client = await connect(key)
    assert.equal((await use(client, 'list_knowledge_bases')).data[0].id, base.id)
    const found = await until(
      () => use(client, 'search_knowledge_base', { id: base.id, query: 'blue lamp' }),
      ({ data }) => data.length > 0,
      { what: 'the document to be indexed' },
    )
    assert.match(found.data[0].text, /42 euros/)
    const agent = await ask('/v1/agents', { name: 'Seller', knowledgeBaseIds: [base.id] })
    assert.equal((await use(client, 'list_agents')).data[0].id, agent.id)
    const args = { id: agent.id, input: 'What does the blue lamp cost?', idempotencyKey: crypto.randomUUID() }
    const run = await use(client, 'run_agent', args)
    assert.equal(run.status, 'succeeded', JSON.stringify(run))
    assert.match(run.output, /42 euros/)
    // Once, however often it is asked for; and what it came to can be read.
    assert.equal((await use(client, 'run_agent', args)).id, run.id)
    assert.equal((await use(client, 'read_run', { id: run.id })).output, run.output)
  })

  it('has no tools of a module that the organization lacks, and refuses them by its code', async () => {
    const { postern: running } = await all()
    const name = newEmail('Org')
    const key = await apiKey(running, await administrator(running, name))
    await postern(running, 'plan', '--organization', name, '--disable', 'webhooks')
    running.clock.advance(5 * SECOND)
    const client = await connect(key)
    const { tools } = await client.listTools()
    const others = TOOLS.slice(TOOLS.findIndex((tool) => tool.name === 'create_invitation'))
    assert.deepEqual(
      tools.map((tool) => tool.name),
      others.map((tool) => tool.name),
    )
    assert.equal((await use(client, 'list_webhooks')).error.code, 'MODULE_NOT_ENABLED')
  })

  it('counts a message, and the call in it, against the plan of the organization', async () => {
    const { postern: running } = await all()
    const name = newEmail('Org')
    const key = await apiKey(running, await administrator(running, name))
    await postern(running, 'plan', '--organization', name, '--plan', 'free')
    running.clock.advance(5 * SECOND)
    const each = 2
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_members', arguments: {} } }
    assert.equal((await rpc({ jsonrpc: '2.0', id: 0, method: 'ping' }, { token: key })).status, 200)
    const calls = (60 - 2) / each
    for (let id = 1; id <= calls; id += 1)
      assert.doesNotMatch((await rpc({ ...call, id }, { token: key })).text, /RATE_LIMITED/)
    // Of the last one the message is let in, and the call is not.
    const refused = await rpc({ ...call, id: 'last' }, { token: key })
    assert.equal(refused.status, 200)
    assert.match(refused.text, /"retryAfterSeconds":\d+/)
    assertError(await rpc({ ...call, id: 'more' }, { token: key }), 'RATE_LIMITED')
  })

  it('has a tool for each route that it names, with the route’s own schema', async () => {
    const { postern, key } = await all()
    const { tools } = await (await connect(key)).listTools()
    const document = withShapes((await postern.client().get('/openapi.json')).body)
    const operations = Object.values(document.paths).flatMap((one) => Object.values(one as object))
    for (const { name, operationId, takesKey, ofOrganization } of TOOLS) {
      const tool = tools.find((one) => one.name === name)
      const operation = operations.find((one) => one.operationId === operationId)
      const body = operation.requestBody?.content['application/json'].schema ?? {}
      const expected = [
        // A header that routes share stands in the document by reference, and is no argument of a tool.
        ...(operation.parameters ?? []).flatMap((one: { name?: string }) => one.name ?? []),
        ...Object.keys(body.properties ?? {}),
        ...(takesKey ? ['idempotencyKey'] : []),
      ].filter((one) => one !== ofOrganization)
      assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}).sort(), expected.sort(), name)
      assert.equal(tool?.inputSchema.additionalProperties, false)
      assert.doesNotMatch(JSON.stringify(tool), /x-named|x-rule|\$ref|-id"/)
    }
  })
})
