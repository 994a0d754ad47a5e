import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { GRANTABLE } from '#src/access/resources.ts'
import { SECOND } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import { enrolTotp } from '../support/factors.ts'
import { watchLive } from '../support/live-stream.ts'
import {
  askByDevice,
  authorizeRequest,
  connect,
  consent,
  issuerOf,
  openRequest,
  redeem,
  registerClient,
} from '../support/oauth.ts'
import { administrator, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'

onBothEngines('what an application may by a grant', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('is what a role of the organization permits and was granted, at the API and at the MCP server', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const role = await callsOf(postern, admin.token).post('/v1/roles', {
      ...{ name: 'Support', permissions: ['webhooks:read', 'events:read', 'deliveries:read'] },
    })
    assert.equal(role.status, 201, role.text)
    const person = await member(postern, admin, role.body.id)
    const asked = 'webhooks:read deliveries:read members:read'
    const { access, scope } = await connect(postern, person, { scope: asked })
    assert.equal(scope, 'deliveries:read webhooks:read')
    const calls = callsOf(postern, access)
    assert.equal((await calls.get('/v1/webhooks')).status, 200)

    const lacksGrant = await calls.get('/v1/events')
    assertError(lacksGrant, 'FORBIDDEN', { reason: 'scope_required', scope: 'events:read' })
    const lacksRole = await calls.get(`/v1/organizations/${admin.organizationId}/members`)
    assertError(lacksRole, 'FORBIDDEN', { reason: 'permission_required', scope: 'members:read' })
    for (const [answer, name] of [
      [lacksGrant, 'events:read'],
      [lacksRole, 'members:read'],
    ] as const) {
      const challenge = answer.headers.get('www-authenticate') ?? ''
      const metadata = `${issuerOf(postern)}/.well-known/oauth-protected-resource`
      assert.equal(
        challenge,
        `Bearer error="insufficient_scope", scope="${name}", resource_metadata="${metadata}"`,
      )
    }
    const own = await callsOf(postern, person.token).get(`/v1/organizations/${admin.organizationId}/members`)
    assert.equal(own.headers.get('www-authenticate'), null)

    const resource = `${issuerOf(postern)}/mcp`
    const { access: mcp } = await connect(postern, person, { resource, scope: 'webhooks:read members:read' })
    const call = (method: string, params: object) =>
      callsOf(postern, mcp).post('/mcp', { jsonrpc: '2.0', id: 1, method, params })
    const tools = (await call('tools/list', {})).body.result.tools as { name: string }[]
    const names = tools.map(({ name }) => name)
    assert.ok(names.includes('list_webhooks'), names.join(' '))
    assert.ok(!names.includes('list_members') && !names.includes('list_events'), names.join(' '))
    const listed = await call('tools/call', { name: 'list_webhooks', arguments: {} })
    assert.equal(listed.body.result.isError, false, listed.text)

    const narrowed = { permissions: ['events:read'] }
    const changed = await callsOf(postern, admin.token).patch(`/v1/roles/${role.body.id}`, narrowed)
    assert.equal(changed.status, 200, changed.text)
    assertError(await calls.get('/v1/webhooks'), 'FORBIDDEN', { reason: 'permission_required' })
  })

  test('ends at once with the oldest grant when the person gives the application one more than twenty', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const client = await registerClient(postern)
    const grant = async () => {
      const request = authorizeRequest(postern, client)
      const { status, text, body } = await redeem(postern, client, request, await consent(person, request))
      assert.equal(status, 200, text)
      postern.clock.advance(1)
      return callsOf(postern, body.access_token)
    }
    const oldest = await grant()
    const second = await grant()
    for (let count = 2; count < 20; count += 1) await grant()
    for (const calls of [oldest, second]) assert.equal((await calls.get('/v1/webhooks')).status, 200)
    await grant()
    assertError(await oldest.get('/v1/webhooks'), 'UNAUTHORIZED')
    assert.equal((await second.get('/v1/webhooks')).status, 200)
  })

  test('is dangerous only where the person has shown a second factor for it, at the page and at a device', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code } = await enrolTotp(postern, person)
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    const { organizationId } = person
    const steppedUp = { reason: 'step_up_required', methods: ['totp', 'recovery_code'] }
    const client = await registerClient(postern)
    const request = authorizeRequest(postern, client, { scope: 'webhooks:read members:write' })
    const path = `/v1/auth/authorizations/${await openRequest(person.client, request)}`
    const allow = { allow: true, organizationId }
    assertError(await person.client.post(path, allow), 'FORBIDDEN', steppedUp)
    const asked = await askByDevice(postern, CLI_CLIENT, { scope: 'roles:write' })
    const decision = { userCode: asked.user_code, ...allow }
    const device = () => person.client.post('/v1/auth/devices/decision', decision)
    assertError(await device(), 'FORBIDDEN', steppedUp)
    // Without the dangerous ones it is granted as ever.
    const harmless = await connect(
      postern,
      person,
      { scope: 'webhooks:read members:write' },
      { scopes: ['webhooks:read'] },
    )
    assert.equal(harmless.scope, 'webhooks:read')

    assert.equal((await person.client.post('/v1/auth/step-up', { code: code() })).status, 200)
    assert.equal((await device()).status, 204)
    const { access, scope } = await connect(postern, person, { scope: 'webhooks:read members:write' })
    assert.deepEqual(scope.split(' ').sort(), ['members:write', 'webhooks:read'])
    const leaving = await member(postern, person)
    // The token works after the step-up has expired, because no person is there to repeat it.
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    const members = `/v1/organizations/${organizationId}/members`
    const removed = await callsOf(postern, access).delete(`${members}/${leaving.accountId}`)
    assert.equal(removed.status, 204, removed.text)
    for (const name of ['keys:write', 'sign_in:write'])
      assert.equal((GRANTABLE as readonly string[]).includes(name), false)
    // A person without a second factor is not asked for a step-up.
    const bare = await administrator(postern)
    assert.equal((await connect(postern, bare, { scope: 'members:write' })).scope, 'members:write')
  })

  it('ends for an open stream with its grant at once', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { access } = await connect(postern, person, { scope: 'webhooks:read' })
    const stream = await watchLive(postern.url, access)
    const id = decodeJwt(access).grant_id
    assert.equal((await person.client.delete(`/v1/auth/grants/${id}`)).status, 204)
    await within('the end of the stream', stream.over)
    assertError(await callsOf(postern, access).get('/v1/webhooks'), 'UNAUTHORIZED')
  })
})
