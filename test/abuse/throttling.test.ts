import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, MINUTE } from '#src/core/clock.ts'
import { MAGIC_LINK_TRIES, RATES, SIGN_IN_BACKOFF } from '#src/core/limits.ts'
import { askMagicLink, assertError, atOnce, MANY, signIn, tally } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { stoppedClock } from '../support/clock.ts'
import { auditOf } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, newEmail, PASSWORD, type Person } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { failSignIns, placeAccounts } from '../support/strangers.ts'

/** Guesses from one address: more than its limit. */
const GUESSES = nightly(100, 40)

/** The server trusts X-Forwarded-For of this machine, so each test sets its own address. */
const BEHIND_PROXY = { TRUST_PROXY: '127.0.0.1/32' }

function from(ip: string): { headers: { 'x-forwarded-for': string } } {
  return { headers: { 'x-forwarded-for': ip } }
}

/** The number of wrong passwords that were compared with the account's. */
async function compared(postern: Postern, email: string): Promise<number> {
  const failed = await auditOf(postern, email, 'sign_in.failed')
  return failed.filter(({ details }) => JSON.parse(details).throttled === false).length
}

onBothEngines('guessing passwords', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const limited = usePostern(engine, { clock: stoppedClock(), env: { ...BEHIND_PROXY, LIMITS: '' } })
  const generous = usePostern(engine, { clock: stoppedClock() })

  it('30: a thousand addresses guess no faster than one, and do not lock the owner out', async () => {
    const postern = await limited()
    const { client, email } = await administrator(postern)
    // The owner has signed in at this browser before.
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    const answers = await atOnce(MANY, (index) =>
      postern
        .client()
        .post(
          '/v1/auth/sign-in/email',
          { email, password: `guess ${index}` },
          from(`203.0.${index >> 8}.${index & 255}`),
        ),
    )
    assert.deepEqual(tally(answers), { 401: MANY })
    assert.equal(await compared(postern, email), SIGN_IN_BACKOFF.free)
    await failSignIns(postern, email)
    // From other browsers even the right password waits; the answer does not show it.
    const elsewhere = await postern
      .client()
      .post('/v1/auth/sign-in/email', { email, password: PASSWORD }, from('198.51.100.7'))
    assertError(elsewhere, 'UNAUTHORIZED')
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    postern.clock.advance(SIGN_IN_BACKOFF.longestWait)
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
  })

  test('30: the known browser of one person is unknown to another account', async () => {
    const postern = await limited()
    const [owner, other] = [await administrator(postern), await administrator(postern)]
    await signIn(other.client, other.email, PASSWORD)
    const cookie = `device=${other.client.cookies.get('device')}`
    for (let index = 0; index < 12; index += 1) {
      const headers = { cookie, ...from(`203.0.113.${index}`).headers }
      const body = { email: owner.email, password: 'guess' }
      assertError(await postern.client().post('/v1/auth/sign-in/email', body, { headers }), 'UNAUTHORIZED')
    }
    assert.equal(await compared(postern, owner.email), SIGN_IN_BACKOFF.free)
  })

  it('30: a browser is known for 180 days after its last sign-in, however long it keeps its cookie', async () => {
    const postern = await generous()
    const [client, other] = [postern.client(), postern.client()]
    const [email = ''] = await placeAccounts(postern, 'active', 1)
    for (const browser of [client, other]) assert.equal((await signIn(browser, email, PASSWORD)).status, 200)
    const flood = async () => {
      await failSignIns(postern, email)
      assertError(await signIn(postern.client(), email, PASSWORD), 'UNAUTHORIZED')
    }
    postern.clock.advance(179 * DAY)
    await flood()
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    postern.clock.advance(2 * DAY)
    await flood()
    assertError(await signIn(other, email, PASSWORD), 'UNAUTHORIZED')
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
  })

  test('30: a person who signed up in this browser is known there', async () => {
    const postern = await limited()
    const { client, email } = await administrator(postern)
    for (let index = 0; index < 12; index += 1) {
      const body = { email, password: 'guess' }
      await postern.client().post('/v1/auth/sign-in/email', body, from(`203.0.113.${index}`))
    }
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
  })

  test('30: each further failure doubles the wait, up to a quarter of an hour', async () => {
    const postern = await generous()
    const [email = ''] = await placeAccounts(postern, 'active', 1)
    for (let failed = 1; failed <= SIGN_IN_BACKOFF.free; failed += 1) {
      await signIn(postern.client(), email, 'guess')
    }
    for (let wait = 8_000; wait < SIGN_IN_BACKOFF.longestWait; wait *= 2) {
      // Real seconds pass during the test, so only longer waits are checked exactly.
      postern.clock.advance(wait)
      await signIn(postern.client(), email, 'guess')
    }
    const before = await compared(postern, email)
    await atOnce(10, () => signIn(postern.client(), email, 'guess'))
    assert.equal(await compared(postern, email), before)
    assertError(await signIn(postern.client(), email, PASSWORD), 'UNAUTHORIZED')
    postern.clock.advance(SIGN_IN_BACKOFF.longestWait)
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    // A success resets the count.
    assertError(await signIn(postern.client(), email, 'guess'), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
  })

  it('31: of many wrong passwords at once no more than the limit are compared', async () => {
    const postern = await generous()
    const [email = ''] = await placeAccounts(postern, 'active', 1)
    const answers = await atOnce(MANY, (index) => signIn(postern.client(), email, `guess ${index}`))
    assert.deepEqual(tally(answers), { 401: MANY })
    assert.equal(await compared(postern, email), SIGN_IN_BACKOFF.free)
  })

  it('32: one password against a thousand accounts ends at the limit of the address', async () => {
    const postern = await limited()
    const ip = from('198.51.100.32')
    const answers = await atOnce(GUESSES, () =>
      postern.client().post('/v1/auth/sign-in/email', { email: newEmail('spray'), password: PASSWORD }, ip),
    )
    const { max, windowMs } = RATES.signInPerIp
    assert.deepEqual(tally(answers), { 401: max, 429: GUESSES - max })
    // The right password is refused as well, and other accounts are not affected.
    const [email = ''] = await placeAccounts(postern, 'active', 1)
    const body = { email, password: PASSWORD }
    assertError(await postern.client().post('/v1/auth/sign-in/email', body, ip), 'RATE_LIMITED')
    assert.equal(
      (await postern.client().post('/v1/auth/sign-in/email', body, from('198.51.100.33'))).status,
      200,
    )
    postern.clock.advance(windowMs)
    assert.equal((await postern.client().post('/v1/auth/sign-in/email', body, ip)).status, 200)
  })

  test('32: one address and one account get ten tries in ten minutes', async () => {
    const postern = await limited()
    const [email = ''] = await placeAccounts(postern, 'active', 1)
    const ip = from('198.51.100.40')
    const answers: Answer[] = []
    for (let index = 0; index < 12; index += 1) {
      answers.push(await postern.client().post('/v1/auth/sign-in/email', { email, password: 'guess' }, ip))
    }
    assert.deepEqual(tally(answers), { 401: 10, 429: 2 })
  })
})

onBothEngines('guesses that failed', (engine) => {
  it('30: are remembered over a restart: of passwords and of codes', async () => {
    const first = await startPostern(engine)
    const [ada, eve] = [await administrator(first), await administrator(first)]
    await failSignIns(first, ada.email)
    const link = await askMagicLink(first, eve.email)
    const untried = await askMagicLink(first, ada.email)
    const redeem = (postern: Postern, { email }: Person, { client }: typeof link, code: string) =>
      postern
        .client()
        .post(
          '/v1/auth/magic-link/verify',
          { email, code },
          { headers: { cookie: `binding=${client.cookies.get('binding')}` } },
        )
    for (let tries = 0; tries < MAGIC_LINK_TRIES; tries += 1)
      assertError(await redeem(first, eve, link, '22222222'), 'UNAUTHORIZED')
    await first.stop()
    const { PORT: _, ...env0 } = first.env
    const second = await startPostern(engine, { env0, clock: first.clock })
    try {
      assertError(await signIn(second.client(), ada.email, PASSWORD), 'UNAUTHORIZED')
      assertError(await redeem(second, eve, link, link.code), 'UNAUTHORIZED')
      assert.equal((await redeem(second, ada, untried, untried.code)).status, 200)
      second.clock.advance(SIGN_IN_BACKOFF.longestWait)
      assert.equal((await signIn(second.client(), ada.email, PASSWORD)).status, 200)
    } finally {
      await second.stop()
    }
  })
})

onBothEngines('the limiter’s answer', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, {
    clock: stoppedClock(),
    env: { ...BEHIND_PROXY, LIMITS: '', DEFAULT_PLAN: 'free' },
  })

  const routes = {
    signInPerIp: ['/v1/auth/sign-in/email', { email: 'nobody@acme.test', password: PASSWORD }],
    signUpPerIp: ['/v1/auth/sign-up/email', {}],
    mailPerIp: ['/v1/auth/forget-password', {}],
    secretPerIp: ['/v1/auth/reset-password', { token: 'x', newPassword: PASSWORD }],
    publicPerIp: ['/v1/auth/sign-out', {}],
  } as const
  let last = 0
  for (const [name, [path, body]] of Object.entries(routes)) {
    test(`37: Retry-After is true: ${name}`, async () => {
      const postern = await server()
      last += 1
      const ip = from(`192.0.2.${last}`)
      // Ten tries of one address and account are allowed, so each request names another account.
      const ask = () =>
        postern.client().post(path, 'email' in body ? { ...body, email: newEmail() } : body, ip)
      const { max } = RATES[name as keyof typeof routes]
      for (let sent = 0; sent < max; sent += 1) assert.notEqual((await ask()).status, 429)
      await assertRetryAfter(postern, ask)
    })
  }

  test('37: Retry-After is true: requests of an organization', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const ask = () => postern.client().get('/v1/organizations', { token })
    for (let sent = 0; sent < 60; sent += 1) assert.equal((await ask()).status, 200)
    await assertRetryAfter(postern, ask)
  })

  test('37: Retry-After is true: tokens of a session', async () => {
    const postern = await server()
    const { client } = await administrator(postern)
    postern.clock.advance(MINUTE)
    const ask = () => client.get('/v1/auth/token')
    for (let sent = 0; sent < RATES.tokenPerSession.max; sent += 1) assert.equal((await ask()).status, 200)
    await assertRetryAfter(postern, ask)
  })
})

/** Asserts that the next answer is a refusal, also a second before `retryAfter` ends, and not after it. */
async function assertRetryAfter(postern: Postern, ask: () => Promise<Answer>): Promise<void> {
  const refused = await ask()
  assertError(refused, 'RATE_LIMITED')
  const seconds = refused.headers.get('retry-after') ?? ''
  assert.match(seconds, /^[1-9]\d*$/)
  assert.deepEqual(refused.body.error.details, { retryAfterSeconds: Number(seconds) })
  const wait = Number(seconds) * 1_000
  postern.clock.advance(wait - 1_000)
  assertError(await ask(), 'RATE_LIMITED')
  postern.clock.advance(1_000)
  assert.notEqual((await ask()).status, 429)
}
