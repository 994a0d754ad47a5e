import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { askMagicLink, askReset, assertError, mailAbout, signIn, withPostern } from '../support/attacks.ts'
import type { Answer, Client } from '../support/browser.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { beginConnecting, connectionsEnv, wildEntry } from '../support/connections.ts'
import { startForgingProvider } from '../support/forging-provider.ts'
import { inviteByMail } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, newEmail, PASSWORD, type Person, signUpBody, tokenOf } from '../support/people.ts'
import { type EngineName, onBothEngines, type Postern, startPostern } from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import { begin, vouched } from '../support/social.ts'
import { placeAccounts } from '../support/strangers.ts'
import { until, within } from '../support/waits.ts'
import { callsOf } from '../support/webhook-calls.ts'
import { RUN } from '../support/webhooks.ts'
import { startWildProvider } from '../support/wild-provider.ts'

/** How far a clock is ahead at the first start; the longer one shows errors in lifetimes of days. */
const AHEAD = nightly([30 * HOUR, 3 * DAY], [3 * DAY])
const EVENT = { type: 'agent.run.completed', data: RUN }

/** A started flow, and the next step of its owner. */
interface Begun {
  what: string
  use: () => Promise<Answer>
}

/** Postern with two providers, and a function that starts every flow that waits for a person's return. */
async function startWithWays(engine: EngineName, clock: TestClock) {
  const [google, wild] = await Promise.all([startForgingProvider(), startWildProvider()])
  const env = {
    ...connectionsEnv({ wild: wildEntry(wild) }, { WILD_SECRET: 'wild-secret' }),
    ...google.env('GOOGLE'),
  }
  const postern = await startPostern(engine, { clock, env })
  const admin = await administrator(postern)
  const person = () => placeAccounts(postern, 'active', 1).then(([email = '']) => email)

  async function ways(): Promise<Begun[]> {
    const [byLink, byCode, elsewhere, reset] = await Promise.all([person(), person(), person(), person()])
    const [link, code, both] = [
      await askMagicLink(postern, byLink),
      await askMagicLink(postern, byCode),
      await askMagicLink(postern, elsewhere),
    ]
    const token = await askReset(postern, reset)
    const verify = (client: Client, proof: object) => client.post('/v1/auth/magic-link/verify', proof)
    const coming = postern.client()
    const callback = google.authorize(await begin(coming, 'google'))
    google.claims = vouched(admin.email)
    const own = await signedIn(postern, admin.email)
    const connected = wild.authorize(await beginConnecting(own, 'wild'))
    const invited = await inviteByMail(postern, own)
    const joining = postern.client()
    assert.equal((await joining.post('/v1/auth/sign-up/email', signUpBody(invited.email))).status, 201)
    const confirmation = await mailAbout(postern, invited.email, /[Cc]onfirm/)
    return [
      { what: 'a magic link', use: () => verify(link.client, { token: link.token }) },
      { what: 'the code of one', use: () => verify(code.client, { email: byCode, code: code.code }) },
      {
        what: 'both, in another browser',
        use: () => verify(postern.client(), { token: both.token, code: both.code }),
      },
      {
        what: 'a link for a new password',
        use: () =>
          postern.client().post('/v1/auth/reset-password', { token, newPassword: 'another horse 8 battery' }),
      },
      {
        what: 'a confirmation',
        use: () => joining.post('/v1/auth/verify-email', { token: confirmation.token }),
      },
      { what: 'a sign-in through a provider', use: () => coming.get(callback) },
      { what: 'a connection that is being made', use: () => own.client.get(connected) },
    ]
  }
  return { postern, ways, endings: [google.stop, wild.stop] }
}

/** An administrator who signs in now: a token of another time is not valid. */
async function signedIn(postern: Postern, email: string): Promise<Person> {
  const client = postern.client()
  assert.equal((await signIn(client, email, PASSWORD)).status, 200)
  return { client, email, accountId: '', organizationId: '', token: await tokenOf(client) }
}

onBothEngines('a clock that jumps', (engine) => {
  it('84: an hour ahead, credentials that have expired by the clock are refused, and stay refused when it returns', () =>
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

  it('84: an hour back, nothing is valid longer than its stored end', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const { token, email } = await inviteByMail(postern, admin, undefined, { expiresInDays: 1 })
      postern.clock.advance(-HOUR)
      // The token was issued at a time that is now in the future, so it is not valid yet.
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

  it('84: back and forth, a throttled account is accepted when its wait is over, not when the clock returns', () =>
    withPostern(engine, {}, async (postern) => {
      const { email } = await administrator(postern)
      using _still = postern.clock.stop()
      for (let tries = 0; tries < 6; tries += 1) await signIn(postern.client(), email, 'wrong password')
      for (const jump of [-10 * MINUTE, 10 * MINUTE]) {
        postern.clock.advance(jump)
        assertError(await signIn(postern.client(), email, PASSWORD), 'UNAUTHORIZED')
      }
      postern.clock.advance(MINUTE)
      assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    }))

  for (const ahead of AHEAD)
    it(`84: a first start ${ahead / HOUR} hours ahead is forgotten once the clock is right: tokens, keys, limits, sign-ins and deliveries work`, async () => {
      const clock = testClock()
      clock.advance(ahead)
      const rates = { mailPerIp: { max: 1, windowMs: DAY } }
      const first = await startPostern(engine, { clock, env: { LIMITS: JSON.stringify(rates) } })
      const destination = await startReceiver()
      let second: Postern | undefined
      let isOver = false
      try {
        const admin = await administrator(first)
        const own = callsOf(first, admin.token)
        const webhook = await own.post('/v1/webhooks', {
          url: destination.url,
          events: ['agent.run.completed'],
        })
        assert.equal(webhook.status, 201, webhook.text)
        destination.answer = (_call, response) => void response.writeHead(503).end()
        assert.equal((await own.post('/v1/events', EVENT)).status, 202)
        await until(
          async () => (await own.get(`/v1/webhooks/${webhook.body.id}/deliveries`)).body.data[0],
          (row) => row?.attemptCount >= 1,
          { what: 'a first attempt, ahead of time' },
        )
        for (let tries = 0; tries < 6; tries += 1) await signIn(first.client(), admin.email, 'wrong password')
        for (const status of [200, 429])
          assert.equal(
            (await first.client().post('/v1/auth/forget-password', { email: newEmail('nobody') })).status,
            status,
          )
        await first.stop()
        isOver = true
        clock.advance(-ahead)
        destination.answer = (_call, response) => void response.writeHead(204).end()
        const { PORT: _, ...env0 } = first.env
        second = await startPostern(engine, { clock, env0 })
        const right = second
        // The throttle and the mail window were stored at a time of the wrong clock.
        const client = right.client()
        assert.equal((await signIn(client, admin.email, PASSWORD)).status, 200)
        assert.equal(
          (await right.client().post('/v1/auth/forget-password', { email: newEmail('nobody') })).status,
          200,
        )
        const token = await tokenOf(client)
        const keys = async () =>
          (await right.client().get('/.well-known/jwks.json')).body.keys.map(
            ({ kid }: { kid: string }) => kid,
          )
        const published = await keys()
        for (let calls = 0; calls < 5; calls += 1) assert.equal(await tokenOf(client).then(Boolean), true)
        assert.deepEqual(await keys(), published)
        assert.ok(published.length <= 2, `${published.length} keys`)
        assert.equal((await right.client().get('/v1/organizations', { token })).status, 200)
        // Deliveries that waited for the wrong moment are delivered now, and so are new ones.
        const later = callsOf(right, token)
        await within('what waited for a moment of the wrong clock', destination.count(2))
        assert.equal((await later.post('/v1/events', EVENT)).status, 202)
        await within('what was published since', destination.count(3))
        const days = [clock.now(), clock.now() + DAY]
        for (const _day of days) {
          clock.advance(DAY)
          const next = await tokenOf(client)
          assert.equal((await right.client().get('/v1/organizations', { token: next })).status, 200)
        }
      } finally {
        if (!isOver) await first.stop()
        await second?.stop()
        await destination.stop()
      }
    })

  for (const ahead of AHEAD)
    it(`84: links, codes and ways through a provider of a clock that was ${ahead / HOUR} hours ahead have ended when it is right`, async () => {
      const clock = testClock()
      clock.advance(ahead)
      const { postern, ways, endings } = await startWithWays(engine, clock)
      try {
        const begun = await ways()
        clock.advance(-ahead)
        for (const { what, use } of begun) assert.ok((await use()).status >= 400, what)
        for (const { what, use } of await ways()) assert.ok((await use()).status < 400, `then ${what}`)
      } finally {
        await postern.stop()
        for (const end of endings) await end()
      }
    })

  it('84: a clock that is set back by an hour ends no link, no code and no way through a provider', async () => {
    const clock = testClock()
    const { postern, ways, endings } = await startWithWays(engine, clock)
    try {
      const begun = await ways()
      clock.advance(-HOUR)
      for (const { what, use } of begun) assert.ok((await use()).status < 400, what)
    } finally {
      await postern.stop()
      for (const end of endings) await end()
    }
  })

  it('84: a day back while it runs: windows, claims and keys do not wait until the clock is there again', () =>
    withPostern(
      engine,
      { env: { LIMITS: JSON.stringify({ mailPerIp: { max: 1, windowMs: MINUTE } }) } },
      async (postern) => {
        const { client } = await administrator(postern)
        const ask = () => postern.client().post('/v1/auth/forget-password', { email: newEmail('nobody') })
        assert.equal((await ask()).status, 200)
        const refused = await ask()
        assertError(refused, 'RATE_LIMITED')
        postern.clock.advance(-DAY)
        assert.equal((await ask()).status, 200)
        assert.ok(Number((await ask()).headers.get('retry-after')) <= 60)
        postern.clock.advance(DAY)
        assert.equal((await ask()).status, 200)
        assert.ok(await tokenOf(client))
      },
    ))

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
