import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeJwt } from 'jose'
import { CLI_CLIENT, DEVICE_GRANT } from '#src/access/authorization/built-in-clients.ts'
import { MINUTE } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { askByDevice, askToken, issuerOf, pollToken, refresh, registerClient } from '../support/oauth.ts'
import { administrator, member } from '../support/people.ts'

import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

onBothEngines('a device that has no browser', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('gets a grant by its code: the person sees what asks and from where, chooses, and the device goes on', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const asked = await askByDevice(postern, CLI_CLIENT, { scope: 'webhooks:read events:write members:read' })
    assert.match(asked.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    assert.equal(asked.verification_uri, `${issuerOf(postern)}/device`)
    assert.equal((await pollToken(postern, CLI_CLIENT, asked)).body.error, 'authorization_pending')
    const typed = asked.user_code.toLowerCase().replace('-', ' ')
    const seen = await person.client.post('/v1/auth/devices', { userCode: typed })
    assert.equal(seen.status, 200, seen.text)
    assert.deepEqual(seen.body.client, { name: 'The Postern command line', isRegistered: true })
    const { address, isSameNetwork, ageSeconds } = seen.body.device
    assert.deepEqual([address, isSameNetwork], ['127.0.0.1', true])
    assert.ok(ageSeconds < 60)
    assert.equal(seen.body.organizations[0].id, person.organizationId)
    const decision = { organizationId: person.organizationId, scopes: ['webhooks:read', 'events:write'] }
    const decided = await person.client.post('/v1/auth/devices/decision', {
      ...{ userCode: typed, allow: true },
      ...decision,
    })
    assert.equal(decided.status, 204, decided.text)
    const tokens = await pollToken(postern, CLI_CLIENT, asked)
    assert.equal(tokens.status, 200, tokens.text)
    const claims = decodeJwt(tokens.body.access_token)
    assert.equal(claims.org_id, person.organizationId)
    assert.deepEqual(String(claims.scope).split(' ').sort(), ['events:write', 'webhooks:read'])
    const calls = callsOf(postern, tokens.body.access_token)
    assert.equal((await calls.get('/v1/webhooks')).status, 200)
    assertError(await calls.get(`/v1/organizations/${person.organizationId}/members`), 'FORBIDDEN', {
      scope: 'members:read',
    })
    const client = { id: CLI_CLIENT, redirectUri: '' }
    const renewed = await refresh(postern, client, tokens.body.refresh_token)
    assert.equal(renewed.status, 200, renewed.text)
    const listed = (await person.client.get('/v1/auth/grants')).body.data
    assert.deepEqual(
      listed.map((grant: Record<string, string>) => [grant.clientId, grant.clientHost]),
      [[CLI_CLIENT, '127.0.0.1']],
    )
    assert.equal((await person.client.delete(`/v1/auth/grants/${claims.grant_id}`)).status, 204)
    assertError(await callsOf(postern, renewed.body.access_token).get('/v1/webhooks'), 'UNAUTHORIZED')
  })

  it('hears of a refusal, and of a code that nobody entered in ten minutes', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const refused = await askByDevice(postern, CLI_CLIENT)
    const answer = { userCode: refused.user_code, allow: false }
    assert.equal((await person.client.post('/v1/auth/devices/decision', answer)).status, 204)
    assert.equal((await pollToken(postern, CLI_CLIENT, refused)).body.error, 'access_denied')
    const forgotten = await askByDevice(postern, CLI_CLIENT)
    postern.clock.advance(11 * MINUTE)
    assertError(
      await person.client.post('/v1/auth/devices', { userCode: forgotten.user_code }),
      'ENTITY_NOT_FOUND',
    )
    const late = (await pollToken(postern, CLI_CLIENT, forgotten)).body.error
    assert.ok(['expired_token', 'invalid_grant'].includes(late), late)
  })

  test('asks only where its application says that it does, and gets no more than a member may', async () => {
    const postern = await server()
    const operator = callsOf(postern, OPERATOR_TOKEN)
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const web = await registerClient(postern)
    const refused = await postern
      .client()
      .post('/oauth/device', new URLSearchParams({ client_id: web.id }).toString(), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
    const own = await registerClient(postern, {
      ...{ grant_types: [DEVICE_GRANT], redirect_uris: [], response_types: [] },
    })
    const asked = await askByDevice(postern, own.id, { scope: 'openid email webhooks:read webhooks:write' })
    const seen = await person.client.post('/v1/auth/devices', { userCode: asked.user_code })
    assert.deepEqual([seen.body.client.isRegistered, seen.body.lasts], [false, false])
    const decision = { userCode: asked.user_code, allow: true, organizationId: admin.organizationId }
    assert.equal((await person.client.post('/v1/auth/devices/decision', decision)).status, 204)
    const tokens = (await pollToken(postern, own.id, asked)).body
    assert.equal(tokens.refresh_token, undefined)
    assert.equal(decodeJwt(tokens.access_token).scope, 'webhooks:read')
    const { email, sub } = decodeJwt(tokens.id_token)
    assert.deepEqual([email, sub], [person.email, person.accountId])
    const made = await operator.post('/v1/operator/oauth-clients', {
      ...{ name: 'Television', redirectUris: [], usesDeviceFlow: true },
    })
    assert.equal(made.status, 201, made.text)
    assert.equal((await pollToken(postern, made.body.id, asked)).body.error, 'invalid_grant')
    const tv = await askByDevice(postern, made.body.id)
    const shown = await person.client.post('/v1/auth/devices', { userCode: tv.user_code })
    assert.deepEqual(shown.body.client, { name: 'Television', isRegistered: true })
    const wish = { name: 'Nothing', redirectUris: [] }
    assertError(await operator.post('/v1/operator/oauth-clients', wish), 'VALIDATION_FAILED')
    assert.equal(
      (await askToken(postern, { grant_type: DEVICE_GRANT, client_id: own.id, device_code: 'x' })).body.error,
      'invalid_grant',
    )
  })
})
