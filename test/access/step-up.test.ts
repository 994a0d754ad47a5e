import assert from 'node:assert/strict'
import { it } from 'node:test'
import { totpCode } from '#src/access/factors/totp.ts'
import { DAY, MINUTE, SECOND, systemClock, toIso } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, atOnce } from '../support/attacks.ts'
import { enrolTotp, signInHalf } from '../support/factors.ts'
import { administrator, apiKey, member, PASSWORD, type Person, tokenOf } from '../support/people.ts'
import { onBothEngines, startPostern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { readRoutes } from '../support/routes.ts'
import { callRoute, createTenant, credentials, missingIds } from '../support/tenants.ts'

const routes = await readRoutes()
const dangerous = routes.filter(({ asksForStepUp }) => asksForStepUp)

onBothEngines('a second factor of the last ten minutes', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('is asked of a person for whatever is dangerous, and for nothing else', async () => {
    const postern = await server()
    const tenant = await createTenant(postern)
    const { admin } = tenant
    const { code } = await enrolTotp(postern, admin)
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    const reasons = async () => {
      const asked: string[] = []
      for (const route of routes.filter(({ access }) => access !== 'public' && access !== 'installation')) {
        if (['operator'].includes(route.access) || /sign-out|\/stream/.test(route.path)) continue
        if (!route.path.startsWith('/v1/auth') && route.scope === undefined) continue
        // All routes get unknown ids. Of those that change something only the dangerous ones are called.
        if (!dangerous.includes(route) && route.method !== 'GET') continue
        const answer = await callRoute(
          postern.client(),
          route,
          missingIds(tenant, route),
          credentials(route, admin),
        )
        if (answer.body?.error?.details?.reason === 'step_up_required') asked.push(route.operationId)
      }
      return asked.sort()
    }
    const expected = dangerous.map(({ operationId }) => operationId).sort()
    assert.ok(expected.length > 12, String(expected))
    for (const one of [
      'createApiKey',
      'removeMember',
      'changeMemberRole',
      'renameOrganization',
      'changePassword',
    ])
      assert.ok(expected.includes(one), one)
    assert.deepEqual(await reasons(), expected)
    // A key is not asked.
    const other = await administrator(postern)
    const key = await apiKey(postern, other)
    assert.equal((await postern.client().post('/v1/api-keys', { name: 'a' }, { token: key })).status, 201)

    assertError(await admin.client.post('/v1/auth/step-up', { code: '000000' }), 'FORBIDDEN', {
      reason: 'wrong_factor',
    })
    const done = await admin.client.post('/v1/auth/step-up', { code: code() })
    assert.equal(done.status, 200, done.text)
    // The same JWT is good.
    const made = await postern.client().post('/v1/api-keys', { name: 'b' }, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    postern.clock.advance(LIFETIME.stepUp + SECOND)
    const late = await postern.client().post('/v1/api-keys', { name: 'c' }, { token: admin.token })
    assertError(late, 'FORBIDDEN', { reason: 'step_up_required', methods: ['totp', 'recovery_code'] })
  })

  test('is not asked of an account that has none, nor right after a sign-in that showed one', async () => {
    const postern = await server()
    const [bare, person] = [await administrator(postern), await administrator(postern)]
    const { code } = await enrolTotp(postern, person)
    postern.clock.advance(30 * MINUTE)
    const make = (token: string) => postern.client().post('/v1/api-keys', { name: 'a' }, { token })
    assert.equal((await make(bare.token)).status, 201)
    const client = await signInHalf(postern, person.email)
    assert.equal((await client.post('/v1/auth/sign-in/second-factor', { code: code() })).status, 200)
    assert.equal((await make(await tokenOf(client))).status, 201)
  })

  it('does not count when it lies ahead: the clock was wrong', async () => {
    const postern = await server()
    const person = await administrator(postern)
    await enrolTotp(postern, person)
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('session')
        .set({ factor_at: postern.clock.now() + DAY })
        .execute(),
    )
    assertError(await person.client.post('/v1/auth/factors/totp', {}), 'FORBIDDEN', {
      reason: 'step_up_required',
    })
  })

  test('is guessed no faster in an open session than at the sign-in', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { code, secret } = await enrolTotp(postern, person)
    const right = () => totpCode(secret, postern.clock.now() + 30 * SECOND)
    {
      // The first wait is a second, which twenty requests may take.
      using _ = postern.clock.stop()
      const wrong = await atOnce(20, () => person.client.post('/v1/auth/step-up', { code: '000000' }))
      for (const answer of wrong) assertError(answer, 'FORBIDDEN', { reason: 'wrong_factor' })
      // Right, and not looked at.
      assertError(await person.client.post('/v1/auth/step-up', { code: right() }), 'FORBIDDEN')
    }
    postern.clock.advance(16 * MINUTE)
    assert.equal((await person.client.post('/v1/auth/step-up', { code: code() })).status, 200)
  })

  it('is required of members by an organization, from the moment that it names', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin)
    const path = `/v1/organizations/${admin.organizationId}`
    const require = (from: number | null) =>
      postern
        .client()
        .patch(path, { secondFactorRequiredFrom: from === null ? null : toIso(from) }, { token: admin.token })
    assertError(await require(postern.clock.now()), 'FORBIDDEN', { reason: 'no_second_factor' })
    const { code } = await enrolTotp(postern, admin)
    const set = await require(postern.clock.now() + DAY)
    assert.equal(set.status, 200, set.text)
    const { body } = await postern.client().get('/v1/organizations', { token: person.token })
    assert.equal(body.data[0].secondFactorRequiredFrom, set.body.secondFactorRequiredFrom)
    // Time to add one.
    assert.equal((await person.client.get('/v1/auth/token')).status, 200)
    postern.clock.advance(30 * MINUTE)
    await admin.client.post('/v1/auth/step-up', { code: code() })
    assert.equal((await require(postern.clock.now() - SECOND)).status, 200)
    const refused = { reason: 'second_factor_required' }
    assertError(await person.client.get('/v1/auth/token'), 'FORBIDDEN', refused)
    assertError(
      await person.client.get(`/v1/auth/token?organizationId=${admin.organizationId}`),
      'FORBIDDEN',
      refused,
    )
    // JWTs of before are refused, and the session lets the person add one.
    assertError(await postern.client().get('/v1/organizations', { token: person.token }), 'UNAUTHORIZED')
    assert.equal((await person.client.get('/v1/auth/session')).status, 200)
    const again = postern.client()
    await again.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    await enrolTotp(postern, { client: again })
    const token = await tokenOf(again, admin.organizationId)
    assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
    assert.equal((await require(null)).status, 200)
  })
})

onBothEngines('the time to add a second factor', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** An organization that has required a second factor since now and gives each member a week. */
  async function careful() {
    const postern = await server()
    const admin = await administrator(postern)
    const { code } = await enrolTotp(postern, admin)
    const path = `/v1/organizations/${admin.organizationId}`
    const change = async (body: object) => {
      await admin.client.post('/v1/auth/step-up', { code: code() })
      const token = await tokenOf(admin.client, admin.organizationId)
      return postern.client().patch(path, body, { token })
    }
    const dueOf = async ({ client }: Pick<Person, 'client'>): Promise<string | null> =>
      (await client.get('/v1/auth/session')).body.user.organizations[0].secondFactorDueAt
    const fresh = async () => ({ ...admin, token: await tokenOf(admin.client, admin.organizationId) })
    return { postern, admin, fresh, change, dueOf }
  }

  it('begins with the requirement, is said at the sign-in, and ends where no factor was added', async () => {
    const { postern, admin, change, dueOf } = await careful()
    const person = await member(postern, admin)
    assert.equal(await dueOf(person), null)
    postern.clock.advance(DAY)
    const now = postern.clock.now()
    const set = await change({ secondFactorRequiredFrom: toIso(now), secondFactorGraceMs: 7 * DAY })
    assert.equal(set.status, 200, set.text)
    assert.equal(set.body.secondFactorGraceMs, 7 * DAY)
    const due = toIso(now + 7 * DAY)
    const signedIn = await postern
      .client()
      .post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    assert.equal(signedIn.body.user.organizations[0].secondFactorDueAt, due)
    assert.equal(await dueOf(admin), null, 'who has one')
    assert.equal((await person.client.get('/v1/auth/token')).status, 200)
    postern.clock.advance(7 * DAY - 5 * MINUTE)
    const client = postern.client()
    await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    const token = await tokenOf(client, admin.organizationId)
    assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
    postern.clock.advance(6 * MINUTE)
    assertError(await client.get('/v1/auth/token'), 'FORBIDDEN', { reason: 'second_factor_required' })
    assertError(await postern.client().get('/v1/organizations', { token }), 'UNAUTHORIZED')
    assert.equal(await dueOf({ client }), due)
    await enrolTotp(postern, { client })
    assert.equal(await dueOf({ client }), null)
    await tokenOf(client, admin.organizationId)
  })

  it('begins with the joining of a person who comes later, and not before a clock that was ahead is right again', async () => {
    const { postern, admin, fresh, change, dueOf } = await careful()
    const from = postern.clock.now() - DAY
    await change({ secondFactorRequiredFrom: toIso(from), secondFactorGraceMs: 3 * DAY })
    postern.clock.advance(5 * DAY)
    const person = await member(postern, await fresh())
    const { created_at: joined } = await postern.app.database.tx((tx) =>
      tx
        .selectFrom('membership')
        .select('created_at')
        .where('account_id', '=', person.accountId as Id<'account'>)
        .executeTakeFirstOrThrow(),
    )
    assert.equal(await dueOf(person), toIso(joined + 3 * DAY))
    await tokenOf(person.client, admin.organizationId)
    // As if the person had joined while the clock was a year ahead.
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('membership')
        .set({ created_at: postern.clock.now() + 365 * DAY })
        .where('account_id', '=', person.accountId as Id<'account'>)
        .execute(),
    )
    assert.equal(await dueOf(person), toIso(from + 3 * DAY))
    assertError(await person.client.get('/v1/auth/token'), 'FORBIDDEN', { reason: 'second_factor_required' })
  })

  test('is at most 90 days, and changed by who has a second factor', async () => {
    const { postern, admin, change } = await careful()
    for (const secondFactorGraceMs of [-1, 90 * DAY + 1, 0.5, '7'])
      assert.equal((await change({ secondFactorGraceMs })).status, 400, String(secondFactorGraceMs))
    const other = await member(postern, admin, 'administrator')
    await change({ secondFactorRequiredFrom: toIso(postern.clock.now()), secondFactorGraceMs: DAY })
    const path = `/v1/organizations/${admin.organizationId}`
    const token = await tokenOf(other.client, admin.organizationId)
    assertError(
      await postern.client().patch(path, { secondFactorGraceMs: 30 * DAY }, { token }),
      'FORBIDDEN',
      { reason: 'no_second_factor' },
    )
    const { body } = await admin.client.get('/v1/audit-log?action=organization.second_factor_changed', {
      token: await tokenOf(admin.client, admin.organizationId),
    })
    assert.deepEqual(
      body.data.map(({ details }: { details: { graceMs: number } }) => details.graceMs),
      [DAY],
    )
  })
})

onBothEngines('a second factor that the installation requires', (engine) => {
  const test = testOnOneEngineByDay(engine)
  it('is required of members of every organization from the day that it names, whatever time the organization gives', async () => {
    const from = Math.ceil(systemClock.now() / DAY) * DAY + DAY
    const postern = await startPostern(engine, { env: { SECOND_FACTOR_FROM: toIso(from).slice(0, 10) } })
    try {
      const admin = await administrator(postern)
      const person = await member(postern, admin)
      const dueOf = async ({ client }: Pick<Person, 'client'>): Promise<string | null> =>
        (await client.get('/v1/auth/session')).body.user.organizations[0].secondFactorDueAt
      assert.equal(await dueOf(person), toIso(from))
      const { code } = await enrolTotp(postern, admin)
      const change = async (body: object) => {
        await admin.client.post('/v1/auth/step-up', { code: code() })
        const token = await tokenOf(admin.client, admin.organizationId)
        const path = `/v1/organizations/${admin.organizationId}`
        const answer = await postern.client().patch(path, body, { token })
        assert.equal(answer.status, 200, answer.text)
      }
      // Of an organization that requires none, of one that gives more time, and of one that gives less.
      await change({ secondFactorGraceMs: 90 * DAY })
      assert.equal(await dueOf(person), toIso(from))
      await change({ secondFactorRequiredFrom: toIso(postern.clock.now()) })
      assert.equal(await dueOf(person), toIso(from))
      const token = await tokenOf(person.client, admin.organizationId)
      assert.equal((await postern.client().get('/v1/organizations', { token })).status, 200)
      postern.clock.advance(from - 5 * MINUTE - postern.clock.now())
      const later = await tokenOf(person.client, admin.organizationId)
      postern.clock.advance(6 * MINUTE)
      assertError(await person.client.get('/v1/auth/token'), 'FORBIDDEN', {
        reason: 'second_factor_required',
      })
      assertError(await postern.client().get('/v1/organizations', { token: later }), 'UNAUTHORIZED')
      const client = postern.client()
      await client.post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
      await enrolTotp(postern, { client })
      await tokenOf(client, admin.organizationId)
    } finally {
      await postern.stop()
    }
  })

  test('is required at once from a day that has passed', async () => {
    const postern = await startPostern(engine, { env: { SECOND_FACTOR_FROM: '2020-01-01' } })
    try {
      await assert.rejects(administrator(postern), /second_factor_required/)
    } finally {
      await postern.stop()
    }
  })
})
