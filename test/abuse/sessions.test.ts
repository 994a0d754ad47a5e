import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { askMagicLink, askReset, assertError, signIn, withPostern } from '../support/attacks.ts'
import { administrator, member, PASSWORD, type Person, tokenOf } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const NEW_PASSWORD = 'another horse 8 battery'

/** Requests a list with a JWT. */
function organizationsOf(postern: Postern, token: string) {
  return postern.client().get('/v1/organizations', { token })
}

onBothEngines('the end of a session', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('46: sign-out ends the cookie and the JWT of the session at once', async () => {
    const postern = await server()
    const { client, token, email } = await administrator(postern)
    const other = postern.client()
    assert.equal((await signIn(other, email, PASSWORD)).status, 200)
    assert.equal((await organizationsOf(postern, token)).status, 200)
    const cookie = `session=${client.cookies.get('session')}`
    assert.deepEqual((await client.post('/v1/auth/sign-out')).body, { success: true })
    assert.equal(client.cookies.has('session'), false)
    for (const path of ['/v1/auth/session', '/v1/auth/token', '/v1/auth/sessions']) {
      assertError(await postern.client().get(path, { headers: { cookie } }), 'UNAUTHORIZED')
    }
    assertError(await organizationsOf(postern, token), 'UNAUTHORIZED')
    // The sign-out is idempotent, and ends no other session.
    assert.deepEqual((await postern.client().post('/v1/auth/sign-out', {}, { headers: { cookie } })).body, {
      success: true,
    })
    assert.equal((await other.get('/v1/auth/session')).status, 200)
  })

  it('46: a session ended from another device takes its JWT with it', async () => {
    const postern = await server()
    const { client, token, email } = await administrator(postern)
    const { id } = (await client.get('/v1/auth/session')).body.session
    const other = postern.client()
    await signIn(other, email, PASSWORD)
    assert.equal((await other.delete(`/v1/auth/sessions/${id}`)).status, 204)
    assertError(await client.get('/v1/auth/token'), 'UNAUTHORIZED')
    assertError(await organizationsOf(postern, token), 'UNAUTHORIZED')
  })

  test('46: signing in again ends the session whose cookie is replaced, and its JWT; no other', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const elsewhere = postern.client()
    assert.equal((await signIn(elsewhere, ada.email, PASSWORD)).status, 200)
    const before = { headers: { cookie: `session=${ada.client.cookies.get('session')}` } }
    assert.equal((await organizationsOf(postern, ada.token)).status, 200)
    assertError(await signIn(ada.client, ada.email, 'wrong'), 'UNAUTHORIZED')
    assert.equal((await postern.client().get('/v1/auth/session', before)).status, 200)
    // A sign-in as another person ends the old session too, because the browser loses its cookie and could not sign out.
    assert.equal((await signIn(ada.client, eve.email, PASSWORD)).status, 200)
    assertError(await postern.client().get('/v1/auth/session', before), 'UNAUTHORIZED')
    assertError(await organizationsOf(postern, ada.token), 'UNAUTHORIZED')
    assert.equal((await elsewhere.get('/v1/auth/session')).status, 200)
    assert.equal((await eve.client.get('/v1/auth/session')).status, 200)
    const link = await askMagicLink(postern, ada.email)
    link.client.cookies.set('session', elsewhere.cookies.get('session') ?? '')
    assert.equal((await link.client.post('/v1/auth/magic-link/verify', { token: link.token })).status, 200)
    assertError(await elsewhere.get('/v1/auth/session'), 'UNAUTHORIZED')
    const { data } = (await link.client.get('/v1/auth/sessions')).body
    assert.equal(data.length, 1)
  })

  test('46: a forged cookie signs no person out', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    const { id } = (await client.get('/v1/auth/session')).body.session
    for (const value of [id, `${id}.x`, 'x'.repeat(43), '%00', encodeURIComponent("' or 1=1--")]) {
      const headers = { cookie: `session=${value}` }
      assert.equal((await postern.client().post('/v1/auth/sign-out', {}, { headers })).status, 200)
    }
    assert.equal((await client.get('/v1/auth/session')).status, 200)
  })

  it('46: a session ends after 7 days without use, and after 30 days in any case', () =>
    withPostern(engine, {}, async (postern) => {
      const [idle, busy] = [await administrator(postern), await administrator(postern)]
      let today = 0
      for (const day of [3, 6, 7, 13, 19, 25, 29]) {
        postern.clock.advance((day - today) * DAY)
        today = day
        assert.equal((await busy.client.get('/v1/auth/session')).status, 200, `day ${day}`)
        if (day === 7) assertError(await idle.client.get('/v1/auth/session'), 'UNAUTHORIZED')
      }
      const listed = await busy.client.get('/v1/auth/sessions')
      assert.equal(listed.body.data.length, 1)
      postern.clock.advance(LIFETIME.sessionIdle / 7)
      assertError(await busy.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    }))

  it('46: the list of sessions shows only live ones, and only one’s own', () =>
    withPostern(engine, {}, async (postern) => {
      const [ada, eve] = [await administrator(postern), await administrator(postern)]
      postern.clock.advance(LIFETIME.sessionIdle + 1)
      await signIn(ada.client, ada.email, PASSWORD)
      await signIn(eve.client, eve.email, PASSWORD)
      const { data } = (await ada.client.get('/v1/auth/sessions')).body
      assert.deepEqual(
        data.map(({ current }: { current: boolean }) => current),
        [true],
      )
      assertError(await eve.client.delete(`/v1/auth/sessions/${data[0].id}`), 'ENTITY_NOT_FOUND')
      assert.equal((await ada.client.get('/v1/auth/session')).status, 200)
    }))

  it('47: a removed member loses access at once, with a session and a JWT', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    assert.equal((await organizationsOf(postern, person.token)).status, 200)
    const removed = await postern
      .client()
      .delete(`/v1/organizations/${admin.organizationId}/members/${person.accountId}`, { token: admin.token })
    assert.equal(removed.status, 204, removed.text)
    assertError(await organizationsOf(postern, person.token), 'UNAUTHORIZED')
    const query = `?organizationId=${admin.organizationId}`
    assertError(await person.client.get(`/v1/auth/token${query}`), 'FORBIDDEN', { reason: 'not_a_member' })
    assertError(await person.client.get('/v1/auth/token'), 'FORBIDDEN', { reason: 'no_organization' })
    assert.deepEqual((await person.client.get('/v1/auth/session')).body.user.organizations, [])
  })

  it('47: a disabled account has neither sessions nor tokens five seconds later', async () => {
    const postern = await server()
    const person = await administrator(postern)
    assert.equal((await organizationsOf(postern, person.token)).status, 200)
    await setStatus(postern, person, 'disabled')
    // Set directly in the database, as another process does: the server caches it for five seconds.
    postern.clock.advance(LIFETIME.credentialCache)
    assertError(await organizationsOf(postern, person.token), 'UNAUTHORIZED')
    for (const path of ['/v1/auth/session', '/v1/auth/token', '/v1/auth/sessions']) {
      assertError(await person.client.get(path), 'UNAUTHORIZED')
    }
    assertError(await signIn(postern.client(), person.email, PASSWORD), 'UNAUTHORIZED')
    const asked = await postern.client().post('/v1/auth/forget-password', { email: person.email })
    assert.deepEqual(asked.body, { status: true })
  })

  it('48: a password reset ends the attacker’s sessions and their JWTs', async () => {
    const postern = await server()
    const victim = await administrator(postern)
    const attacker = postern.client()
    assert.equal((await signIn(attacker, victim.email, PASSWORD)).status, 200)
    const stolen = await tokenOf(attacker, victim.organizationId)
    assert.equal((await organizationsOf(postern, stolen)).status, 200)
    const token = await askReset(postern, victim.email)
    const answer = await postern
      .client()
      .post('/v1/auth/reset-password', { token, newPassword: NEW_PASSWORD })
    assert.deepEqual(answer.body, { status: true })
    assert.deepEqual(answer.headers.getSetCookie(), [])
    for (const client of [attacker, victim.client]) {
      assertError(await client.get('/v1/auth/session'), 'UNAUTHORIZED')
      assertError(await client.get('/v1/auth/token'), 'UNAUTHORIZED')
    }
    for (const jwt of [stolen, victim.token]) assertError(await organizationsOf(postern, jwt), 'UNAUTHORIZED')
    assertError(await signIn(postern.client(), victim.email, PASSWORD), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), victim.email, NEW_PASSWORD)).status, 200)
  })
})

async function setStatus(postern: Postern, { accountId }: Person, status: 'disabled'): Promise<void> {
  await postern.app.database.tx((tx) =>
    tx
      .updateTable('account')
      .set({ status })
      .where('id', '=', accountId as Id<'account'>)
      .execute(),
  )
}
