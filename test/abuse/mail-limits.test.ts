import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { inviteByMail, mailsTo } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, apiKey, newEmail, type Person, signUpBody, tokenOf } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

/** Periods of ten minutes; with three mails each, the fourth exceeds the limit of a day. */
const ROUNDS = nightly(12, 5)

onBothEngines('mails to one address', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { LIMITS: '' } })

  test('19: with the usual limits, a row named five times is still invited once', async () => {
    const postern = await server()
    const { token } = await administrator(postern)
    const rows = Array.from({ length: 5 }, () => ({ email: 'twice@acme.test' }))
    const answer = await postern.client().post('/v1/invitations/bulk', { invitations: rows }, { token })
    const codes = answer.body.results.map(({ error }: { error?: { code: string } }) => error?.code)
    assert.deepEqual(codes.sort(), ['DUPLICATE', 'DUPLICATE', 'RATE_LIMITED', 'RATE_LIMITED', undefined])
  })

  it('18: an address gets at most 3 mails in 10 minutes and 10 a day, for any number of requests', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const keys = [await apiKey(postern, ada), await apiKey(postern, eve)]
    const { id, email } = await inviteByMail(postern, ada)
    let refused = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempts = [
        ...keys.map((token) => postern.client().post('/v1/invitations', { email }, { token })),
        postern.client().post(`/v1/invitations/${id}/resend`, undefined, { token: keys[0] ?? '' }),
        postern.client().post(`/v1/invitations/${id}/resend`, undefined, { token: keys[0] ?? '' }),
        postern.client().post('/v1/invitations/bulk', { invitations: [{ email }] }, { token: keys[1] ?? '' }),
      ]
      for (const answer of await Promise.all(attempts)) {
        if (answer.status !== 429) continue
        refused += 1
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
      }
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
        await postern.client().post(path, { email })
      }
      assert.equal(
        (await postern.client().post('/v1/auth/sign-up/email', signUpBody(email))).status >= 400,
        true,
      )
      if (round === 0) assert.ok((await mailsTo(postern, email)).length <= 3)
      postern.clock.advance(10 * 60_000)
    }
    assert.ok(refused > ROUNDS)
    const mails = await mailsTo(postern, email)
    assert.ok(mails.length <= 10, `${mails.length} mails`)
  })
})

/** Requests a minute of a plan. */
const RATE = 6

onBothEngines('invitations of one organization', (engine) => {
  const plans = { small: { requestsPerMinute: RATE, modules: [], creditsPerCycle: null } }
  const server = usePostern(engine, {
    env: { LIMITS: '', PLANS_FILE: plansFile({ plans }), DEFAULT_PLAN: 'small' },
  })

  it('are as many an hour, and five times as many a day, as its plan has requests a minute, however they are made', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const call = async (person: Person, path: string, body?: object) => {
      // The requests of the plan are another limit.
      postern.clock.advance(MINUTE)
      return postern.client().post(`/v1/invitations${path}`, body, { token: await tokenOf(person.client) })
    }
    const bulk = (person: Person, count: number) =>
      call(person, '/bulk', {
        invitations: Array.from({ length: count }, () => ({ email: newEmail('many') })),
      })
    const codesOf = (answer: Answer) =>
      tallyOf(answer.body.results.map(({ error }: { error?: { code: string } }) => error?.code ?? 'made'))
    const alone = await call(ada, '', { email: newEmail() })
    assert.equal(alone.status, 201, alone.text)
    assert.equal((await call(ada, `/${alone.body.id}/resend`)).status, 200)
    assert.equal((await call(ada, '', { email: newEmail(), sendEmail: false })).status, 201)
    assert.deepEqual(codesOf(await bulk(ada, RATE + 10)), { made: RATE - 3, RATE_LIMITED: 13 })
    for (const [path, body] of [
      ['', { email: newEmail() }],
      ['', { email: newEmail(), sendEmail: false }],
      [`/${alone.body.id}/resend`, undefined],
    ] as const)
      assertError(await call(ada, path, body), 'RATE_LIMITED')
    // Another organization has a separate limit.
    assert.deepEqual(codesOf(await bulk(eve, RATE)), { made: RATE })
    // A retry after `retryAfter` succeeds, and one before it does not.
    const refused = await call(ada, '', { email: newEmail() })
    const wait = Number(refused.headers.get('retry-after')) * SECOND
    assert.ok(wait > 0 && wait <= HOUR, String(wait))
    postern.clock.advance(wait - MINUTE)
    for (let hours = 0; hours < 4; hours += 1) {
      assert.deepEqual(codesOf(await bulk(ada, RATE)), { made: RATE })
      assertError(await call(ada, '', { email: newEmail() }), 'RATE_LIMITED')
      postern.clock.advance(HOUR)
    }
    const daily = await call(ada, '', { email: newEmail() })
    assertError(daily, 'RATE_LIMITED')
    const rest = Number(daily.headers.get('retry-after')) * SECOND
    assert.ok(rest > HOUR && rest <= DAY, String(rest))
    postern.clock.advance(rest - MINUTE)
    assert.deepEqual(codesOf(await bulk(ada, RATE)), { made: RATE })
  })
})

function tallyOf(codes: string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]))
}
