import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { HOUR, SECOND, toDate } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, signIn, withPostern } from '../support/attacks.ts'
import { administrator, PASSWORD, tokenOf } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'

async function published(postern: Postern): Promise<JSONWebKeySet> {
  return (await postern.client().get('/v1/auth/jwks')).body
}

async function kids(postern: Postern): Promise<string[]> {
  return (await published(postern)).keys.map(({ kid }) => String(kid))
}

/** Verifies a token with only the published keys. */
async function verifies(postern: Postern, token: string): Promise<boolean> {
  const keys = createLocalJWKSet(await published(postern))
  const currentDate = toDate(postern.clock.now())
  return jwtVerify(token, keys, { algorithms: ['ES256'], currentDate }).then(
    () => true,
    () => false,
  )
}

onBothEngines('signing keys', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('77: a rotation surprises no verifier and cuts no token short', () =>
    withPostern(engine, {}, async (postern) => {
      const { client, email } = await administrator(postern)
      using _still = postern.clock.stop()
      const began = postern.clock.now()
      const advanceTo = (moment: number) => postern.clock.advance(began + moment - postern.clock.now())
      const [first] = await kids(postern)
      assert.ok(first)
      // The next key is published a day before it signs.
      advanceTo(LIFETIME.signingKey - LIFETIME.signingKeyOverlap - HOUR)
      assert.deepEqual(await kids(postern), [first])
      advanceTo(LIFETIME.signingKey - LIFETIME.signingKeyOverlap + HOUR)
      const both = await kids(postern)
      assert.equal(both.length, 2)
      const second = both.find((kid) => kid !== first)
      // Shortly before the change the old key signs …
      advanceTo(LIFETIME.signingKey - HOUR / 12)
      await signIn(client, email, PASSWORD)
      const old = await tokenOf(client)
      assert.equal(decodeProtectedHeader(old).kid, first)
      // … after it the new key, and both verify.
      advanceTo(LIFETIME.signingKey + HOUR / 12)
      const young = await tokenOf(client)
      assert.equal(decodeProtectedHeader(young).kid, second)
      for (const token of [old, young]) {
        assert.ok(await verifies(postern, token))
        assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
      }
      // The old token is valid for its whole hour.
      advanceTo(LIFETIME.signingKey + HOUR - HOUR / 12 - SECOND)
      assert.ok(await verifies(postern, old))
      assert.equal((await postern.client().get('/v1/organizations', { token: old })).status, 200)
      advanceTo(LIFETIME.signingKey + HOUR - HOUR / 12)
      assertError(await postern.client().get('/v1/organizations', { token: old }), 'UNAUTHORIZED')
      // A day and an hour after its last signature the old key is gone, from the table too.
      advanceTo(LIFETIME.signingKey + LIFETIME.signingKeyOverlap + 2 * HOUR)
      assert.deepEqual(await kids(postern), [second])
      advanceTo(2 * LIFETIME.signingKey - HOUR)
      await kids(postern)
      const rows = await postern.app.database.db.selectFrom('signing_key').select('kid').execute()
      assert.equal(rows.length, 2)
      assert.ok(!rows.some(({ kid }) => kid === first))
    }))

  it('77: a server without requests for a year signs with a key that it publishes', () =>
    withPostern(engine, {}, async (postern) => {
      const { client, email } = await administrator(postern)
      postern.clock.advance(365 * LIFETIME.signingKeyOverlap)
      assert.equal((await signIn(client, email, PASSWORD)).status, 200)
      const token = await tokenOf(client)
      assert.ok(await verifies(postern, token))
      assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
    }))

  it('77: many first requests at once make one key', () =>
    withPostern(engine, {}, async (postern) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => kids(postern)))
      assert.equal(new Set(answers.flat()).size, 1)
    }))

  test('78: the published keys hold no private member', async () => {
    const postern = await server()
    await administrator(postern)
    for (const path of ['/v1/auth/jwks', '/.well-known/jwks.json']) {
      const { body, headers, text } = await postern.client().get(path)
      assert.ok(body.keys.length >= 1)
      for (const key of body.keys) {
        assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
        assert.deepEqual([key.kty, key.crv, key.alg, key.use], ['EC', 'P-256', 'ES256', 'sig'])
      }
      assert.doesNotMatch(text, /"(d|p|q|dp|dq|qi|k|oth)"/)
      assert.equal(headers.get('cache-control'), 'public, max-age=300')
    }
  })
})

describe('signing keys of two processes', () => {
  it('77: two that start at once on nothing make one key, and accept each other’s tokens', async () => {
    const one = await startPostern('postgres', { env: { BASE_URL: 'http://localhost:1' } })
    const { DATA_DIR = '', DATABASE_URL = '' } = one.env
    const env0 = { DATA_DIR, DATABASE_URL }
    const two = await startPostern('postgres', {
      env0,
      env: { BASE_URL: 'http://localhost:1' },
      clock: one.clock,
    })
    try {
      const [ofOne, ofTwo] = await Promise.all([kids(one), kids(two)])
      assert.equal(ofOne.length, 1)
      assert.deepEqual(ofOne, ofTwo)
      const { client, email } = await administrator(one)
      const elsewhere = two.client()
      assert.equal((await signIn(elsewhere, email, PASSWORD)).status, 200)
      one.clock.advance(2_000)
      const tokens = [await tokenOf(client), await tokenOf(elsewhere)]
      for (const token of tokens) {
        for (const postern of [one, two]) {
          assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
        }
      }
      assert.deepEqual([await kids(one), await kids(two)], [ofOne, ofOne])
    } finally {
      await two.stop()
      await one.stop()
    }
  })
})
