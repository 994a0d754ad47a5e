import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR, SECOND } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { RATES } from '#src/core/limits.ts'
import { assertError, withPostern } from '../support/attacks.ts'
import { connect, REDIRECT_URI, refresh, registerClient } from '../support/oauth.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const CLIENT = {
  client_name: 'One of a flood',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
const MOST_UNUSED = 5_000

onBothEngines('a flood of applications that register themselves', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('103 is refused after sixty in an hour from one network, and from no other one', () =>
    withPostern(engine, { env: { LIMITS: '', TRUST_PROXY: '127.0.0.1/32' } }, async (postern) => {
      const register = (ip: string) =>
        postern.client().post('/oauth/register', CLIENT, { headers: { 'x-forwarded-for': ip } })
      const { max, windowMs } = RATES.registerClientPerIp
      assert.deepEqual([max, windowMs], [60, HOUR])
      const answers = await Promise.all(Array.from({ length: max + 5 }, () => register('203.0.113.9')))
      assert.equal(answers.filter(({ status }) => status === 201).length, max)
      const refused = await register('203.0.113.9')
      assertError(refused, 'RATE_LIMITED')
      assert.equal((await register('198.51.100.7')).status, 201)
      postern.clock.advance(Number(refused.headers.get('retry-after')) * SECOND)
      assert.equal((await register('203.0.113.9')).status, 201)
    }))

  it('104 from many networks leaves 5,000 without a grant at most, and takes none that a person has granted', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const granted = await connect(postern, person)
    const { db, tx } = postern.app.database
    const now = postern.clock.now()
    const row = { name: CLIENT.client_name, metadata: JSON.stringify(CLIENT) }
    for (let begun = 0; begun < MOST_UNUSED; begun += 500)
      await tx((to) =>
        to
          .insertInto('oauth_client')
          .values(
            Array.from({ length: 500 }, () => ({
              ...{ id: newId('oauthClient', now), organization_id: null, origin: 'dynamic' as const, ...row },
              ...{ secret: null, created_by: null, created_at: now, used_at: null, expires_at: now + HOUR },
            })),
          )
          .execute(),
      )
    const last = await registerClient(postern)
    const left = await db
      .selectFrom('oauth_client')
      .select('id')
      .where('origin', '=', 'dynamic')
      .where('used_at', 'is', null)
      .execute()
    assert.equal(left.length, MOST_UNUSED)
    assert.ok(left.some(({ id }) => id === last.id))
    assert.equal((await refresh(postern, granted.client, granted.refresh)).status, 200)
  })
})
