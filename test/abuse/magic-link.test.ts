import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LIFETIME, MAGIC_LINK_TRIES } from '#src/core/limits.ts'
import { askMagicLink, assertError, atOnce, tally } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const WRONG = '22222222'

/** Redeems from several requests of one browser; each gets the cookies it has now. */
function redeem(postern: Postern, from: Client, body: object) {
  const client = postern.client()
  for (const [name, value] of from.cookies) client.cookies.set(name, value)
  return client.post('/v1/auth/magic-link/verify', body)
}

onBothEngines('magic link', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('59: a link lives 10 minutes, and so does its code', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    for (const late of [LIFETIME.magicLink, LIFETIME.magicLink + 60_000]) {
      const { client, token, code } = await askMagicLink(postern, email)
      postern.clock.advance(late)
      for (const proof of [{ token }, { email, code }, { token, code }]) {
        assertError(await redeem(postern, client, proof), 'UNAUTHORIZED')
      }
    }
    const { client, token } = await askMagicLink(postern, email)
    postern.clock.advance(LIFETIME.magicLink - 30_000)
    assert.equal((await redeem(postern, client, { token })).status, 200)
  })

  it('59: one of fifty uses of a link signs in', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client, token, code } = await askMagicLink(postern, email)
    const answers = await atOnce(50, () => redeem(postern, client, { token }))
    assert.deepEqual(tally(answers), { 200: 1, 401: 49 })
    for (const proof of [{ token }, { email, code }, { token, code }]) {
      assertError(await redeem(postern, client, proof), 'UNAUTHORIZED')
    }
    const begun = await postern.app.database.db
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account_id')
      .select('session.id')
      .where('account.email', '=', email)
      .execute()
    // The one of the sign-up and the one of the link.
    assert.equal(begun.length, 2)
  })

  it('59: a newer link kills the older one', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const older = await askMagicLink(postern, email)
    const newer = await askMagicLink(postern, email)
    const { token, code } = older
    for (const proof of [{ token }, { email, code }, { token, code }]) {
      assertError(await redeem(postern, older.client, proof), 'UNAUTHORIZED')
    }
    assertError(await redeem(postern, older.client, { token: newer.token }), 'UNAUTHORIZED')
    assert.equal((await redeem(postern, newer.client, { token: newer.token })).status, 200)
  })

  it('60: the fifth wrong code ends the link', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client, token, code } = await askMagicLink(postern, email)
    for (let tries = 1; tries <= MAGIC_LINK_TRIES; tries += 1) {
      assertError(await redeem(postern, client, { email, code: WRONG }), 'UNAUTHORIZED')
    }
    for (const proof of [{ email, code }, { token, code }, { token }]) {
      assertError(await redeem(postern, client, proof), 'UNAUTHORIZED')
    }
    const fresh = await askMagicLink(postern, email)
    for (let tries = 1; tries < MAGIC_LINK_TRIES; tries += 1) {
      assertError(await redeem(postern, fresh.client, { token: fresh.token, code: WRONG }), 'UNAUTHORIZED')
    }
    assert.equal((await redeem(postern, fresh.client, { email, code: fresh.code })).status, 200)
  })

  it('60: of a hundred wrong codes at once at most five are compared', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client, token, code } = await askMagicLink(postern, email)
    const { vault } = postern.app
    const { mac } = vault
    let compared = 0
    vault.mac = (text, context) => {
      if (context.startsWith('code:')) compared += 1
      return mac(text, context)
    }
    try {
      const answers = await atOnce(100, () => redeem(postern, client, { email, code: WRONG }))
      assert.deepEqual(tally(answers), { 401: 100 })
    } finally {
      vault.mac = mac
    }
    assert.ok(compared > 0 && compared <= MAGIC_LINK_TRIES, `${compared} were compared`)
    assertError(await redeem(postern, client, { email, code }), 'UNAUTHORIZED')
    assertError(await redeem(postern, client, { token }), 'UNAUTHORIZED')
  })

  it('60: one of fifty uses of the right code signs in', async () => {
    const postern = await server()
    const { email } = await administrator(postern)
    const { client, code } = await askMagicLink(postern, email)
    const typed = `${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`
    const answers = await atOnce(50, () => redeem(postern, client, { email, code: typed }))
    assert.deepEqual(tally(answers), { 200: 1, 401: 49 })
  })
})
