import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/clock.ts'
import { LIFETIME } from '../../src/core/limits.ts'
import { askMagicLink, askReset, assertError, signIn, withPostern } from '../support/attacks.ts'
import { inviteByMail } from '../support/invitees.ts'
import { administrator, PASSWORD, signUpBody, tokenOf } from '../support/people.ts'
import { onBothEngines } from '../support/postern.ts'

onBothEngines('a clock that jumps', (engine) => {
  it('84: an hour ahead, what has run out by the clock is refused, and stays refused when it returns', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const key = await postern
        .client()
        .post('/v1/api-keys', { name: 'machine', expiresInDays: 1 }, { token: admin.token })
      const reset = await askReset(postern, admin.email)
      const link = await askMagicLink(postern, admin.email)
      assert.equal((await postern.client().get('/v1/organizations', { token: admin.token })).status, 200)
      postern.clock.advance(HOUR)
      const spent = { token: reset, newPassword: 'another horse 8 battery' }
      const checks = async () => {
        assertError(await postern.client().get('/v1/organizations', { token: admin.token }), 'UNAUTHORIZED')
        assertError(await postern.client().post('/v1/auth/reset-password', spent), 'VALIDATION_FAILED')
        assertError(
          await link.client.post('/v1/auth/magic-link/verify', { token: link.token }),
          'UNAUTHORIZED',
        )
      }
      await checks()
      assert.equal((await postern.client().get('/v1/organizations', { token: key.body.key })).status, 200)
      postern.clock.advance(DAY)
      assertError(await postern.client().get('/v1/organizations', { token: key.body.key }), 'UNAUTHORIZED')
      await checks()
    }))

  it('84: an hour back, nothing lives longer than the moment that is stored with it', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const { token, email } = await inviteByMail(postern, admin, undefined, { expiresInDays: 1 })
      postern.clock.advance(-HOUR)
      // A token from what is now the future is not valid yet.
      assertError(await postern.client().get('/v1/organizations', { token: admin.token }), 'UNAUTHORIZED')
      const now = await tokenOf(admin.client)
      assert.equal((await postern.client().get('/v1/organizations', { token: now })).status, 200)
      postern.clock.advance(HOUR)
      assertError(await postern.client().get('/v1/organizations', { token: now }), 'UNAUTHORIZED')
      assert.equal((await postern.client().get('/v1/organizations', { token: admin.token })).status, 200)
      postern.clock.advance(DAY)
      const late = signUpBody(email, { invitationToken: token })
      assertError(await postern.client().post('/v1/auth/sign-up/email', late), 'FORBIDDEN')
    }))

  it('84: back and forth, a throttled account opens when its wait is over, not when the clock returns', () =>
    withPostern(engine, {}, async (postern) => {
      const { email } = await administrator(postern)
      for (let tries = 0; tries < 6; tries += 1) await signIn(postern.client(), email, 'wrong password')
      for (const jump of [-HOUR, HOUR]) {
        postern.clock.advance(jump)
        assertError(await signIn(postern.client(), email, PASSWORD), 'UNAUTHORIZED')
      }
      postern.clock.advance(MINUTE)
      assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    }))

  it('84: sessions and revocations survive a jump', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      for (const jump of [HOUR, -2 * HOUR, HOUR]) {
        postern.clock.advance(jump)
        assert.equal((await admin.client.get('/v1/auth/session')).status, 200)
      }
      await admin.client.post('/v1/auth/sign-out')
      for (const jump of [-HOUR, HOUR, -LIFETIME.credentialCache, SECOND]) {
        postern.clock.advance(jump)
        assertError(await postern.client().get('/v1/organizations', { token: admin.token }), 'UNAUTHORIZED')
      }
    }))
})
