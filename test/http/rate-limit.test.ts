import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import { BUILT_IN_PLANS } from '#src/core/plans.ts'
import { assertError, withPostern } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { stoppedClock } from '../support/clock.ts'
import { administrator, apiKey, newEmail, PASSWORD } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

/** `"name";r=1;t=60, …` as numbers by name. */
function rests(answer: Answer): Record<string, { left: number; seconds: number }> {
  const header = answer.headers.get('ratelimit') ?? ''
  return Object.fromEntries(
    [...header.matchAll(/"([\w-]+)";r=(\d+);t=(\d+)/g)].map(([, name = '', left, seconds]) => [
      name,
      { left: Number(left), seconds: Number(seconds) },
    ]),
  )
}

/** Asserts the refusal, and that its `Retry-After` is true to the second. */
async function assertTrueRetry(postern: Postern, ask: () => Promise<Answer>): Promise<void> {
  const refused = await ask()
  assertError(refused, 'RATE_LIMITED')
  const seconds = Number(refused.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1, String(seconds))
  assert.deepEqual(refused.body.error.details, { retryAfterSeconds: seconds })
  postern.clock.advance((seconds - 1) * SECOND)
  assertError(await ask(), 'RATE_LIMITED')
  postern.clock.advance(SECOND)
  const retried = await ask()
  assert.notEqual(retried.status, 429, retried.text)
}

const limits = (rates: object) => ({
  clock: stoppedClock(),
  env: { LIMITS: JSON.stringify(rates), DEFAULT_PLAN: 'free' },
})

onBothEngines('rate limit', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, {
    clock: stoppedClock(),
    env: { DEFAULT_PLAN: 'free', TRUST_PROXY: '127.0.0.1/32' },
  })

  it('counts a repetition by its Idempotency-Key as any other request', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const headers = { 'idempotency-key': 'again' }
    const create = () => postern.client().post('/v1/api-keys', { name: 'one' }, { token, headers })
    const first = await create()
    assert.deepEqual([first.status, rests(first).free?.left], [201, 59])
    for (let left = 58; left >= 0; left -= 1) {
      const repeated = await create()
      assert.deepEqual(
        [repeated.headers.get('idempotent-replayed'), rests(repeated).free?.left],
        ['true', left],
      )
    }
    const refused = await create()
    assertError(refused, 'RATE_LIMITED')
    postern.clock.advance(Number(refused.headers.get('retry-after')) * SECOND)
    const answer = await create()
    assert.deepEqual([answer.headers.get('idempotent-replayed'), answer.text], ['true', first.text])
  })

  it('counts the requests of an organization against its plan, whoever of it asks', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const client = postern.client()
    const ask = (token = ada.token) => client.get('/v1/organizations', { token })
    const first = await ask()
    assert.equal(first.headers.get('ratelimit-policy'), '"free";q=60;w=60')
    assert.deepEqual(rests(first), { free: { left: 59, seconds: 60 } })
    const key = (await client.post('/v1/api-keys', { name: 'machine' }, { token: ada.token })).body.key
    for (let count = 2; count < 60; count += 1) assert.equal((await ask(key)).status, 200)
    const refused = await ask()
    assertError(refused, 'RATE_LIMITED')
    assert.deepEqual(rests(refused).free?.left, 0)
    assertError(await ask(key), 'RATE_LIMITED')
    // Another organization has its own.
    assert.equal((await ask(eve.token)).status, 200)
    await assertTrueRetry(postern, ask)
  })

  test('has a limit for every plan, and none for unlimited', () =>
    withPostern(engine, { env: { DEFAULT_PLAN: 'unlimited' } }, async (postern) => {
      const limits = [...BUILT_IN_PLANS.plans].map(([name, { requestsPerMinute }]) => [
        name,
        requestsPerMinute,
      ])
      assert.deepEqual(Object.fromEntries(limits), { free: 60, team: 600, scale: 6_000, unlimited: null })
      const { token } = await administrator(postern)
      const answer = await postern.client().get('/v1/organizations', { token })
      assert.equal(answer.headers.get('ratelimit'), null)
    }))

  test('counts strangers by their network, and tells them so', () =>
    withPostern(engine, limits({ publicPerIp: { max: 3 }, consolePerIp: { max: 4 } }), async (postern) => {
      // The files of the console have a rate of their own.
      const askFile = () => postern.client().get('/console/assets/none/nothing.js')
      for (let files = 0; files < 4; files += 1) assert.equal((await askFile()).status, 404)
      assertError(await askFile(), 'RATE_LIMITED')
      const ask = () => postern.client().get('/v1/errors')
      for (let left = 2; left >= 0; left -= 1) {
        const answer = await ask()
        assert.equal(answer.headers.get('ratelimit-policy'), '"publicPerIp";q=3;w=60')
        assert.equal(rests(answer).publicPerIp?.left, left)
      }
      const refused = await ask()
      assert.equal(rests(refused).publicPerIp?.left, 0)
      assertError(await postern.client().get('/v1/no/such/route'), 'RATE_LIMITED')
      await assertTrueRetry(postern, ask)
    }))

  test('counts bad credentials as a stranger’s, on every route', () =>
    withPostern(engine, limits({ publicPerIp: { max: 6 } }), async (postern) => {
      const guesses = [
        () => postern.client().get('/v1/organizations', { token: `psk_${'x'.repeat(43)}` }),
        () => postern.client().get('/v1/organizations', { token: 'a.b.c' }),
        () => postern.client().get('/v1/auth/token', { headers: { cookie: `session=${'x'.repeat(43)}` } }),
      ]
      for (const guess of [...guesses, ...guesses]) assertError(await guess(), 'UNAUTHORIZED')
      for (const guess of guesses) assertError(await guess(), 'RATE_LIMITED')
    }))

  it('takes nobody for a stranger whose credentials the database could not tell', () =>
    withPostern(engine, limits({ publicPerIp: { max: 6 } }), async (postern) => {
      const admin = await administrator(postern)
      const key = await apiKey(postern, admin)
      postern.clock.advance(HOUR)
      const { token } = (await admin.client.get('/v1/auth/token')).body
      // The keys that tokens are signed by are read again from time to time.
      postern.clock.advance(10 * MINUTE)
      const ask = (bearer: string) => postern.client().get('/v1/organizations', { token: bearer })
      const rename = (from: string, to: string) =>
        postern.app.database.tx((tx) =>
          sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx),
        )
      const tables = ['api_key', 'signing_key']
      for (const table of tables) await rename(table, `${table}_away`)
      for (const bearer of [key, token, key, token, key, token, key, token])
        assertError(await ask(bearer), 'PROCESSING_FAILED')
      for (const table of tables) await rename(`${table}_away`, table)
      for (const bearer of [key, token]) assert.equal((await ask(bearer)).status, 200)
      assert.equal((await postern.client().get('/v1/errors')).status, 200)
    }))

  test('tells a wait that is long enough for all limits that are full', async () => {
    const mails = { mailPerAddress: { max: 1, windowMs: 60_000 }, mailPerAddressDaily: { max: 2 } }
    await withPostern(engine, limits(mails), async (postern) => {
      const email = newEmail()
      const forget = () => postern.client().post('/v1/auth/forget-password', { email })
      assert.equal((await forget()).status, 200)
      await assertTrueRetry(postern, forget)
      // Two mails of the day are gone: the minute no longer matters.
      const refused = await forget()
      assertError(refused, 'RATE_LIMITED')
      assert.ok(Number(refused.headers.get('retry-after')) > 86_000, refused.text)
    })
    const signIns = { signInPerIp: { max: 2, windowMs: 10_000 }, publicPerIp: { max: 4, windowMs: 90_000 } }
    await withPostern(engine, limits(signIns), async (postern) => {
      const body = { email: newEmail(), password: PASSWORD }
      const signIn = () => postern.client().post('/v1/auth/sign-in/email', body)
      for (const _ of [1, 2]) assertError(await signIn(), 'UNAUTHORIZED')
      for (const _ of [1, 2]) assert.equal((await postern.client().get('/v1/errors')).status, 200)
      await assertTrueRetry(postern, signIn)
    })
  })

  test('counts a session’s tokens by session', () =>
    withPostern(engine, limits({ tokenPerSession: { max: 2 } }), async (postern) => {
      const { client } = await administrator(postern)
      assert.equal(rests(await client.get('/v1/auth/token')).tokenPerSession?.left, 0)
      await assertTrueRetry(postern, () => client.get('/v1/auth/token'))
    }))

  it('lets up to twice a rate pass around the end of a window, and no more', () =>
    withPostern(engine, limits({ publicPerIp: { max: 10, windowMs: HOUR } }), async (postern) => {
      const ask = async () => (await postern.client().get('/v1/errors')).status
      const asked = async (times: number) => {
        for (let time = 0; time < times; time += 1) assert.equal(await ask(), 200)
        assert.equal(await ask(), 429)
      }
      // The first request begins the window, and what is left of it comes shortly before its end.
      assert.equal(await ask(), 200)
      postern.clock.advance(HOUR - 10 * MINUTE)
      await asked(9)
      postern.clock.advance(10 * MINUTE)
      await asked(10)
    }))

  it('asks for as much as is left, of fifty requests at once', () =>
    withPostern(engine, limits({ publicPerIp: { max: 20 } }), async (postern) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => postern.client().get('/v1/errors')))
      assert.equal(answers.filter(({ status }) => status === 200).length, 20)
      assert.equal(answers.filter(({ status }) => status === 429).length, 30)
    }))
})
