import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { MINUTE } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, tally } from './support/attacks.ts'
import { testClock } from './support/clock.ts'
import { enrolTotp, showFrom, signInHalf } from './support/factors.ts'
import { watchLive } from './support/live-stream.ts'
import { authorizeRequest, connect, consent, redeem, refresh } from './support/oauth.ts'
import { administrator, apiKey, member } from './support/people.ts'
import { OPERATOR_TOKEN, type Options, type Postern, postern as run } from './support/postern.ts'
import { type Processes, useProcesses } from './support/processes.ts'
import { within } from './support/waits.ts'
import { until } from './support/webhook-calls.ts'

const PER_NETWORK = 10

/** Two processes with the same settings, started once for a suite. */
function useTwo(options: Options = {}) {
  const start = useProcesses(options)
  let made: Promise<{ one: Postern; two: Postern; processes: Processes }> | undefined
  return () => {
    made ??= start().then(async ({ one, processes }) => ({
      one,
      processes,
      two: await processes.start(options),
    }))
    return made
  }
}

describe('limits over two processes', () => {
  const both = useTwo({
    env: { DEFAULT_PLAN: 'free', LIMITS: JSON.stringify({ publicPerIp: { max: PER_NETWORK } }) },
  })

  it('of a plan are one limit', async () => {
    const { one, two } = await both()
    const { token } = await administrator(one)
    const ask = (postern: Postern) => postern.client().get('/v1/organizations', { token })
    for (let count = 0; count < 60; count += 1)
      assert.equal((await ask(count % 2 === 0 ? one : two)).status, 200)
    for (const postern of [one, two]) assertError(await ask(postern), 'RATE_LIMITED')
    one.clock.advance(MINUTE)
    for (const postern of [one, two]) assert.equal((await ask(postern)).status, 200)
  })

  it('of a network are one limit, however many ask at once', async () => {
    const { one, two } = await both()
    one.clock.advance(MINUTE)
    const answers = await Promise.all(
      Array.from({ length: 4 * PER_NETWORK }, (_, index) =>
        (index % 2 === 0 ? one : two).client().get('/v1/errors'),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, PER_NETWORK)
    for (const refused of answers.filter(({ status }) => status !== 200)) assertError(refused, 'RATE_LIMITED')
  })
})

describe('what one process has ended', () => {
  const both = useTwo()
  const organizations = (postern: Postern, token: string) =>
    postern.client().get('/v1/organizations', { token })

  it('another believes for five seconds at most: sessions, memberships, roles, keys, accounts', async () => {
    const { one, two } = await both()
    const admin = await administrator(one)
    const [leaving, removed, demoted, disabled, signedOut] = [
      await member(one, admin),
      await member(one, admin),
      await member(one, admin, 'administrator'),
      await member(one, admin),
      await member(one, admin),
    ]
    const key = await apiKey(one, admin)
    const call = { token: admin.token }
    for (const token of [leaving.token, removed.token, disabled.token, signedOut.token, key])
      assert.equal((await organizations(two, token)).status, 200)
    assert.equal((await two.client().get('/v1/audit-log', { token: demoted.token })).status, 200)

    assert.equal((await leaving.client.post('/v1/auth/sign-out')).status, 200)
    const members = `/v1/organizations/${admin.organizationId}/members`
    assert.equal((await one.client().delete(`${members}/${removed.accountId}`, call)).status, 204)
    const role = { role: 'member' }
    assert.equal((await one.client().patch(`${members}/${demoted.accountId}`, role, call)).status, 200)
    const keys = await one.client().get('/v1/api-keys', call)
    assert.equal((await one.client().delete(`/v1/api-keys/${keys.body.data[0].id}`, call)).status, 204)
    assert.equal((await run(one, 'account', '--email', disabled.email, '--disable')).code, 0)
    const sessions = `/v1/operator/accounts/${signedOut.accountId}/sessions`
    assert.equal((await one.client().delete(sessions, { token: OPERATOR_TOKEN })).status, 200)

    one.clock.advance(LIFETIME.credentialCache)
    for (const token of [leaving.token, removed.token, disabled.token, signedOut.token, key])
      assertError(await organizations(two, token), 'UNAUTHORIZED')
    assertError(await two.client().get('/v1/audit-log', { token: demoted.token }), 'FORBIDDEN')
  })

  it('another is notified of: the session of a person, and checks the tokens of nobody else again', async () => {
    const { one, two } = await both()
    const [leaving, neighbour] = [await administrator(one), await administrator(one)]
    for (const { token } of [leaving, neighbour]) assert.equal((await organizations(two, token)).status, 200)
    // A new check would find no session.
    await one.app.database.tx((tx) =>
      tx
        .deleteFrom('session')
        .where('account_id', '=', neighbour.accountId as never)
        .execute(),
    )
    assert.equal((await leaving.client.post('/v1/auth/sign-out')).status, 200)
    await until(
      async () => (await organizations(two, leaving.token)).status,
      (status) => status === 401,
      { what: 'the end of the session at the other process' },
    )
    assert.equal((await organizations(two, neighbour.token)).status, 200)
  })

  it('another believes for five seconds at most: what a person granted to an application; its streams end', async () => {
    const { one, two } = await both()
    const person = await administrator(one)
    const granted = await connect(one, person, { resource: undefined })
    assert.equal((await two.client().get('/v1/webhooks', { token: granted.access })).status, 200)
    const stream = await watchLive(two.url, granted.access)
    const id = decodeJwt(granted.access).grant_id
    assert.equal((await person.client.delete(`/v1/auth/grants/${id}`)).status, 204)
    one.clock.advance(LIFETIME.credentialCache)
    assertError(await two.client().get('/v1/webhooks', { token: granted.access }), 'UNAUTHORIZED')
    await within('the end of the stream', stream.over)
    assert.equal((await refresh(two, granted.client, granted.refresh)).body.error, 'invalid_grant')
  })

  it('another gives nothing for a second time: codes of a factor, recovery codes, and codes of an application', async () => {
    const { one, two } = await both()
    const person = await administrator(one)
    const { code, recoveryCodes } = await enrolTotp(one, person)
    const shown = async (body: object) => {
      const halves = await Promise.all([one, two, one, two].map((at) => signInHalf(at, person.email)))
      const answers = await Promise.all(
        halves.map((half, index) => showFrom(index % 2 === 0 ? one : two, half, body)),
      )
      return tally(answers)
    }
    assert.deepEqual(await shown({ code: code() }), { 200: 1, 401: 3 })
    assert.deepEqual(await shown({ recoveryCode: recoveryCodes[0] }), { 200: 1, 401: 3 })

    // Asked for and granted at one, exchanged at the other.
    const { client } = await connect(one, person, { resource: undefined })
    const request = authorizeRequest(one, client, { resource: undefined })
    const at = await consent(person, request)
    const tokens = await redeem(two, client, request, at)
    assert.equal(tokens.status, 200, tokens.text)
    assert.equal((await one.client().get('/v1/webhooks', { token: tokens.body.access_token })).status, 200)
    const next = authorizeRequest(one, client, { resource: undefined })
    const given = await consent(person, next)
    const answers = await Promise.all([one, two].map((postern) => redeem(postern, client, next, given)))
    // A second use ends the grant, so that the first may already be worth nothing.
    assert.equal(answers.filter(({ status }) => status === 200).length <= 1, true)
    for (const { status, body } of answers) if (status !== 200) assert.equal(body.error, 'invalid_grant')
  })

  it('another is told of, and does not believe it until then', async () => {
    const { one, processes } = await both()
    // On a stopped clock no cache entry expires.
    const stopped = testClock()
    const moment = stopped.now()
    const two = await processes.start({ clock: { ...stopped, now: () => moment } })
    const name = `Told ${crypto.randomUUID()}`
    const admin = await administrator(one, name)
    const key = await apiKey(one, admin)
    const asked = await organizations(two, key)
    assert.equal(asked.headers.get('ratelimit-policy'), null)
    assert.equal((await run(one, 'plan', '--organization', name, '--plan', 'team')).code, 0)
    await until(
      () => organizations(two, key),
      ({ headers }) => headers.get('ratelimit-policy') === '"team";q=600;w=60',
    )
    // An organization without a limit, so that the requests stop only after the notification.
    const other = await administrator(one)
    const deleted = await apiKey(one, other)
    assert.equal((await organizations(two, deleted)).status, 200)
    const keys = await one.client().get('/v1/api-keys', { token: other.token })
    await one.client().delete(`/v1/api-keys/${keys.body.data[0].id}`, { token: other.token })
    await until(
      () => organizations(two, deleted),
      ({ status }) => status === 401,
    )
  })
})
