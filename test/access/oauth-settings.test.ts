import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { assertError } from '../support/attacks.ts'
import { authorizeRequest, connect, openRequest, REDIRECT_URI, refresh } from '../support/oauth.ts'
import { administrator } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onOneEngineByDay,
  type Postern,
  startPostern,
  usePostern,
} from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const metadataOf = async (postern: Postern) =>
  (await postern.client().get('/.well-known/oauth-authorization-server')).body

const REGISTRATION = {
  client_name: 'An application',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

onOneEngineByDay('a way of applications that the operator has switched off', (engine) => {
  const env = { OAUTH_REGISTRATION: 'off', OAUTH_CLIENT_DOCUMENTS: 'off', OAUTH_DEVICE_FLOW: 'off' }
  const server = usePostern(engine, { env })
  const usual = usePostern(engine)

  it('is not in the metadata, and has no route', async () => {
    const names = ['registration_endpoint', 'device_authorization_endpoint'] as const
    const [off, on] = [await metadataOf(await server()), await metadataOf(await usual())]
    for (const name of names) {
      assert.equal(off[name], undefined)
      assert.match(on[name], /^http/)
    }
    assert.notEqual(off.client_id_metadata_document_supported, true)
    assert.ok(!off.grant_types_supported.includes('urn:ietf:params:oauth:grant-type:device_code'))
    const postern = await server()
    assertError(await postern.client().post('/oauth/register', REGISTRATION), 'ENTITY_NOT_FOUND')
    const form = new URLSearchParams({ client_id: CLI_CLIENT, scope: 'webhooks:read' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    assertError(await postern.client().post('/oauth/device', form, { headers }), 'ENTITY_NOT_FOUND')
  })

  it('leaves the applications that the operator registers', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const made = await callsOf(postern, OPERATOR_TOKEN).post('/v1/operator/oauth-clients', {
      ...{ name: 'Gateway', redirectUris: [REDIRECT_URI], isConfidential: false },
    })
    assert.equal(made.status, 201, made.text)
    const client = { id: made.body.id, redirectUri: REDIRECT_URI }
    const id = await openRequest(person.client, authorizeRequest(postern, client))
    const seen = await person.client.get(`/v1/auth/authorizations/${id}`)
    assert.equal(seen.body.client.name, 'Gateway', seen.text)
  })

  it('leaves what was granted to an application that had registered itself before', async () => {
    const before = await startPostern(engine)
    let after: Postern | undefined
    try {
      const person = await administrator(before)
      const granted = await connect(before, person)
      const { DATA_DIR = '', DATABASE_URL } = before.env
      await before.stop()
      after = await startPostern(engine, {
        ...{ env: { ...env, PORT: before.env.PORT ?? '' }, clock: before.clock },
        env0: { DATA_DIR, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) },
      })
      const renewed = await refresh(after, granted.client, granted.refresh)
      assert.equal(renewed.status, 200, renewed.text)
      const call = { token: renewed.body.access_token }
      assert.equal((await after.client().get('/v1/webhooks', call)).status, 200)
    } finally {
      await (after ?? before).stop()
    }
  })
})
