import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CLAIM_LIFETIME } from '#src/connections/refresh.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import type { Server } from '#src/http/server.ts'
import { PROVIDER_DEADLINE } from '#src/oauth/protocol.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import {
  type Connections,
  connectReal,
  connectWild,
  eventsOf,
  lasting,
  readConnection,
  useConnections,
} from '../support/connections.ts'
import { json } from '../support/http-server.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onBothEngines, type Postern, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { storeOf } from '../support/social.ts'
import { until, within } from '../support/waits.ts'
import type { Handler } from '../support/wild-provider.ts'

const refresh = (postern: Postern, token: string, id: string): Promise<Answer> =>
  postern.client().post(`/v1/connections/${id}/refresh`, {}, { token })

/** A good answer of the token endpoint, beside what it usually says. */
const grant =
  (more: object = {}): Handler =>
  (_request, response) =>
    json(response, { access_token: 'fresh', token_type: 'bearer', expires_in: 60, ...more })

const refusal =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

/** Answers only when it is told to. */
function held(then: Handler) {
  const latch = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  const handler: Handler = async (request, response, body) => {
    arrival.resolve()
    await latch.promise
    await then(request, response, body)
  }
  return { handler, arrived: arrival.promise, go: () => latch.resolve() }
}

/** Runs `work` while the token endpoint of the wild provider does something else. */
async function whileToken<T>({ wild }: Connections, token: Handler, work: () => Promise<T>): Promise<T> {
  wild.instead = { token }
  try {
    return await work()
  } finally {
    wild.instead = {}
  }
}

/** Counts the requests for a refresh that have reached their handler, at however many servers. */
function createEntrance() {
  let count = 0
  let waiting: { for: number; resolve: () => void }[] = []
  return {
    extend: (server: Server) =>
      void server.addHook('preHandler', async ({ routeOptions }) => {
        if (routeOptions.url !== '/v1/connections/:id/refresh') return
        count += 1
        for (const one of waiting.filter((each) => each.for <= count)) one.resolve()
        waiting = waiting.filter((each) => each.for > count)
      }),
    /** Resolves when so many more have come. */
    more: (requests: number) =>
      new Promise<void>((resolve) => waiting.push({ for: count + requests, resolve })),
  }
}

onBothEngines('refreshing a connection', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const entrance = createEntrance()
  const { extend } = entrance
  const server = useConnections(engine, { wild: { minimumBackoffSeconds: 60 }, extend })

  test('brings new tokens of a real provider that rotates them, again and again', async () => {
    const context = await server()
    const { postern, real, admin } = context
    const id = await connectReal(context, admin, 'rotating')
    const before = await readConnection(context, admin, id)
    for (let round = 0; round < 3; round += 1) {
      postern.clock.advance(SECOND)
      const answer = await refresh(postern, admin.token, id)
      assert.equal(answer.status, 200, answer.text)
      const { refreshedAt, expiresAt, ...rest } = answer.body
      const scopes = ['openid', 'offline_access', 'email']
      assert.deepEqual(rest, { id, provider: 'real', status: 'active', scopes })
      assert.ok(expiresAt > before.expiresAt)
      assert.equal(refreshedAt, (await readConnection(context, admin, id)).refreshedAt)
    }
    assert.equal(real.reuses(), 0)
  })

  it('makes one request for 50 calls at once on two processes, and all get its result', async () => {
    const context = await server()
    const { postern, wild, admin, env } = context
    const id = await connectWild(context, admin)
    const key = await apiKey(postern, admin)
    const second =
      engine === 'sqlite'
        ? undefined
        : await startPostern(engine, { env, env0: storeOf(postern), clock: postern.clock, extend })
    const processes = second === undefined ? [postern] : [postern, second]
    /** 50 calls, all of them in before the provider answers the first. */
    async function all(then: Handler): Promise<Answer[]> {
      const token = held(then)
      return whileToken(context, token.handler, async () => {
        const share = 50 / processes.length
        const areIn = entrance.more(50)
        const calls = processes.flatMap((one) => Array.from({ length: share }, () => refresh(one, key, id)))
        await within('50 calls and one request to the provider', Promise.all([areIn, token.arrived]))
        token.go()
        return Promise.all(calls)
      })
    }
    try {
      const asked = wild.forms.length
      const answers = await all(grant({ refresh_token: 'next', expires_in: 1_234 }))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(wild.forms.length, asked + 1)
      // A failure is everybody's result as well.
      const failures = await all(refusal(400, { error: 'invalid_grant' }))
      for (const answer of failures)
        assertError(answer, 'INTEGRATION_REVOKED', { connectionId: id, provider: 'wild' })
      assert.equal(wild.forms.length, asked + 2)
      assert.equal(wild.forms.at(-1)?.get('refresh_token'), 'next')
      assert.equal((await eventsOf(context, admin, 'connection.revoked')).length, 1)
    } finally {
      await second?.stop()
    }
  })

  it('shows a refresh token that was replaced to nobody, whoever calls when', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => refresh(postern, admin.token, id)))
    assert.deepEqual(wild.reused, [])
    assert.equal((await readConnection(context, admin, id)).status, 'active')
  })

  test('keeps a refresh token that the provider does not replace, and the scopes that it does not name', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    const answer = await whileToken(context, grant(), () => refresh(postern, admin.token, id))
    assert.deepEqual(answer.body.scopes, ['read', 'write'])
    const used = wild.forms.at(-1)?.get('refresh_token')
    const narrowed = await whileToken(context, grant({ scope: 'read' }), () =>
      refresh(postern, admin.token, id),
    )
    assert.deepEqual(narrowed.body.scopes, ['read'])
    assert.equal(wild.forms.at(-1)?.get('refresh_token'), used)
  })

  it('ends in revoked when the provider takes the token no more, tells it once and asks no more', async () => {
    const context = await server()
    const { postern, real } = context
    const admin = await lasting(postern)
    const id = await connectReal(context, admin, 'taken-back')
    await real.takeBack('taken-back')
    const asked = real.tokenRequests()
    for (let round = 0; round < 3; round += 1) {
      assertError(await refresh(postern, admin.token, id), 'INTEGRATION_REVOKED', {
        connectionId: id,
        provider: 'real',
        reason: 'invalid_grant',
      })
    }
    assert.equal(real.tokenRequests(), asked + 1)
    const shown = await readConnection(context, admin, id)
    assert.equal(shown.status, 'revoked')
    assert.equal(shown.refreshable, false)
    assert.deepEqual(shown.lastError, { code: 'INTEGRATION_REVOKED', reason: 'invalid_grant' })
    const { body: problems } = await postern.client().get('/v1/problems', { token: admin.token })
    assert.deepEqual(
      problems.data.map(({ id: name, state, subject, reason }: Record<string, string>) => [
        ...[name, state, subject, reason],
      ]),
      [[`connection:${id}`, 'revoked', 'real', 'invalid_grant']],
    )
    const reported = { connectionId: id, provider: 'real', reason: 'invalid_grant' }
    assert.deepEqual(await eventsOf(context, admin, 'connection.revoked'), [reported])
  })

  it('says that it is over, once, when the token has ended and there is no other', async () => {
    const context = await server()
    const { postern, wild } = context
    const admin = await lasting(postern)
    wild.grant = { refresh_token: undefined }
    const [used, unused] = [await connectWild(context, admin), await connectWild(context, admin)]
    wild.grant = {}
    const asked = wild.forms.length
    // It lives; there is just no way to renew it.
    assertError(await refresh(postern, admin.token, used), 'INTEGRATION_EXPIRED', {
      reason: 'no_refresh_token',
    })
    assert.equal((await readConnection(context, admin, used)).status, 'active')
    postern.clock.advance(HOUR)
    assert.equal((await readConnection(context, admin, used)).status, 'expired')
    assertError(await refresh(postern, admin.token, used), 'INTEGRATION_EXPIRED')
    assertError(await refresh(postern, admin.token, used), 'INTEGRATION_EXPIRED')
    assert.equal(wild.forms.length, asked)
    // The other one is found by the look that the server takes each minute, begun and ended beside this.
    const look = async () => {
      await advanceAtRest(postern, MINUTE)
      return eventsOf(context, admin, 'connection.expired')
    }
    const reported = await until(look, ({ length }) => length === 2, { what: 'both to be told' })
    assert.deepEqual(reported.map(({ connectionId }) => connectionId).sort(), [used, unused].sort())
    assert.equal(reported[0]?.reason, 'lifetime')
  })

  test("waits as long as the provider's 429 says, and asks nothing until then", async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    using _still = postern.clock.stop()
    const limited = async (header: Record<string, string>, seconds: number) => {
      const token = refusal(429, { error: 'slow_down' }, header)
      const asked = wild.forms.length
      const answer = await whileToken(context, token, () => refresh(postern, admin.token, id))
      assertError(answer, 'INTEGRATION_RATE_LIMIT', { retryAfterSeconds: seconds })
      assert.equal(answer.headers.get('retry-after'), String(seconds))
      postern.clock.advance((seconds - 1) * SECOND)
      const early = await refresh(postern, admin.token, id)
      assertError(early, 'INTEGRATION_RATE_LIMIT')
      assert.equal(wild.forms.length, asked + 1)
      postern.clock.advance(Number(early.headers.get('retry-after')) * SECOND)
    }
    await limited({ 'retry-after': '120' }, 120)
    // Never less than the configuration says.
    await limited({ 'retry-after': '5' }, 60)
    await limited({ 'retry-after': 'soon' }, 240)
    const good = await refresh(postern, admin.token, id)
    assert.equal(good.status, 200, good.text)
    // A success ends the row of refusals.
    await limited({}, 60)
    await limited({}, 120)
    assert.equal((await refresh(postern, admin.token, id)).status, 200)
  })

  test("is the provider's error, and can be tried again, when it fails in any other way", async () => {
    const context = await server()
    const { postern, admin } = context
    const id = await connectWild(context, admin)
    const cases: [string, Handler][] = [
      ['status_500', refusal(500, { error: 'invalid_grant' })],
      ['status_503', (_request, response) => void response.writeHead(503).end('<html>')],
      ['invalid_client', refusal(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic' })],
      ['redirected', (_request, response) => void response.writeHead(307, { location: '/api' }).end()],
      ['unexpected_answer', refusal(200, [])],
      ['unexpected_answer', refusal(200, { access_token: 7, token_type: 'bearer' })],
      ['unusable_token', refusal(200, { access_token: 'a b', token_type: 'bearer' })],
      ['unexpected_answer', refusal(200, { access_token: 'a', token_type: 'bearer', expires_in: -5 })],
      [
        'unexpected_answer',
        (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      ],
      [
        'too_large',
        (_request, response) =>
          void response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`{"access_token":"${'x'.repeat(600 * 1024)}"}`),
      ],
      ['unreachable', (request) => void request.socket.destroy()],
    ]
    for (const [reason, token] of cases) {
      const answer = await whileToken(context, token, () => refresh(postern, admin.token, id))
      assertError(answer, 'INTEGRATION_PROVIDER_ERROR', { connectionId: id, provider: 'wild', reason })
      const shown = await readConnection(context, admin, id)
      assert.equal(shown.status, 'error')
      assert.deepEqual(shown.lastError, { code: 'INTEGRATION_PROVIDER_ERROR', reason })
    }
    const slow = held(grant())
    const answer = await whileToken(context, slow.handler, async () => {
      const call = refresh(postern, admin.token, id)
      await slow.arrived
      postern.clock.advance(PROVIDER_DEADLINE)
      return call
    })
    slow.go()
    assertError(answer, 'INTEGRATION_PROVIDER_ERROR', { reason: 'timeout' })
    const good = await refresh(postern, admin.token, id)
    assert.equal(good.body.status, 'active', good.text)
    assert.equal((await readConnection(context, admin, id)).lastError, null)
  })

  it('goes on after a process that died between the answer and its commit, as the provider allows', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const { database } = postern.app
    const die = (id: string) =>
      database.tx((tx) =>
        tx
          .updateTable('connection')
          .set({ claim_id: 'of the dead', claim_until: postern.clock.now() + CLAIM_LIFETIME })
          .where('id', '=', id as never)
          .execute(),
      )
    const id = await connectWild(context, admin)
    await die(id)
    const asked = wild.forms.length
    const first = entrance.more(1)
    const waiting = refresh(postern, admin.token, id)
    await within('the first call', first)
    await readConnection(context, admin, id)
    assert.equal(wild.forms.length, asked)
    postern.clock.advance(CLAIM_LIFETIME)
    // The provider never heard of it: the old token is as good as ever.
    assert.equal((await waiting).status, 200)
    // The provider had answered: it knows the old token as replaced, and ends the connection.
    const row = await database.db
      .selectFrom('connection')
      .select('tokens')
      .where('id', '=', id as never)
      .executeTakeFirstOrThrow()
    await refresh(postern, admin.token, id)
    await database.tx((tx) =>
      tx
        .updateTable('connection')
        .set(row)
        .where('id', '=', id as never)
        .execute(),
    )
    await die(id)
    const second = entrance.more(1)
    const after = refresh(postern, admin.token, id)
    await within('the second call', second)
    await readConnection(context, admin, id)
    postern.clock.advance(CLAIM_LIFETIME)
    assertError(await after, 'INTEGRATION_REVOKED')
    const total = wild.forms.length
    assertError(await refresh(postern, admin.token, id), 'INTEGRATION_REVOKED')
    assert.equal(wild.forms.length, total)
  })

  if (engine === 'sqlite')
    it('waits for no claim of a process that died on the embedded database', async () => {
      const context = await server()
      const { env, wild } = context
      const first = await startPostern(engine, { env })
      const admin = await lasting(first)
      const id = await connectWild({ wild }, admin)
      await first.app.database.tx((tx) =>
        tx
          .updateTable('connection')
          .set({ claim_id: 'of the dead', claim_until: first.clock.now() + DAY })
          .where('id', '=', id as never)
          .execute(),
      )
      await first.stop()
      const second = await startPostern(engine, { env, env0: storeOf(first) })
      try {
        assert.equal((await refresh(second, admin.token, id)).status, 200)
      } finally {
        await second.stop()
      }
    })

  it('writes nothing for a refresh whose claim another has taken, or whose connection is gone', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    const late = held(grant({ access_token: 'too-late', refresh_token: 'too-late-as-well' }))
    const path = `/v1/connections/${id}`
    const answer = await whileToken(context, late.handler, async () => {
      const call = refresh(postern, admin.token, id)
      await late.arrived
      assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
      late.go()
      return call
    })
    assertError(answer, 'ENTITY_NOT_FOUND')
    // Tokens of a connection that is gone have no use.
    for (const token of ['too-late-as-well', 'too-late'])
      await until(
        () => wild.givenBack.includes(token),
        (isBack) => isBack,
        { what: `${token} to be revoked` },
      )
  })

  it('is nobody’s but the organization’s, and leaves no token anywhere', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    const stranger = await administrator(postern)
    assertError(await refresh(postern, stranger.token, id), 'ENTITY_NOT_FOUND')
    postern.clock.advance(DAY)
    await refresh(postern, await apiKey(postern, admin), id)
    const texts = [postern.log(), JSON.stringify(await readConnection(context, admin, id))]
    const rows = await postern.app.database.db.selectFrom('connection').selectAll().execute()
    texts.push(JSON.stringify(rows))
    const tokens = [...wild.live, ...wild.forms.flatMap((form) => form.get('refresh_token') ?? [])]
    assert.ok(tokens.length > 5)
    for (const text of texts) for (const token of tokens) assert.ok(!text.includes(token), token)
    assert.ok(!texts.join().includes('wild-secret'))
  })
})
