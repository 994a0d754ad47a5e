import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import type { Seen } from '../support/event-reader.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, member } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { useReceivers } from '../support/processes.ts'
import { within } from '../support/waits.ts'
import { RUN } from '../support/webhooks.ts'

const isEnd =
  (reason: string) =>
  ({ event, data }: Seen): boolean =>
    event === 'end' && data.reason === reason

onBothEngines('a reader of the live stream', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const receiver = useReceivers()

  it('is let go, and told so, when its session, its membership or its key has ended', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const [leaving, removed] = [await member(postern, admin), await member(postern, admin)]
    const key = await apiKey(postern, admin)
    const streams = []
    for (const token of [leaving.token, removed.token, key]) streams.push(await watchLive(postern.url, token))
    const staying = await watchLive(postern.url, admin.token)
    assert.equal((await leaving.client.post('/v1/auth/sign-out')).status, 200)
    const members = `/v1/organizations/${admin.organizationId}/members`
    assert.equal((await postern.client().delete(`${members}/${removed.accountId}`, call)).status, 204)
    const keys = await postern.client().get('/v1/api-keys', call)
    assert.equal((await postern.client().delete(`/v1/api-keys/${keys.body.data[0].id}`, call)).status, 204)
    postern.clock.advance(LIFETIME.credentialCache)
    for (const stream of streams) {
      await stream.sees('the end', isEnd('revoked'))
      await within('the answer to end', stream.over)
    }
    assert.ok(!staying.seen.some(({ event }) => event === 'end'))
    staying.leave()
  })

  test('sees invitations no more once it is no administrator any more', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const demoted = await member(postern, admin, 'administrator')
    const [stream, ours] = [
      await watchLive(postern.url, demoted.token),
      await watchLive(postern.url, admin.token),
    ]
    const path = `/v1/organizations/${admin.organizationId}/members/${demoted.accountId}`
    const call = { token: admin.token }
    assert.equal((await postern.client().patch(path, { role: 'member' }, call)).status, 200)
    const gone = await watchLive(postern.url, admin.token, { query: '?topics=invitations' })
    postern.clock.advance(LIFETIME.credentialCache)
    // A second stream is checked after the same change: once it has ended, the first has been checked, too.
    const watchman = await member(postern, admin)
    const last = await watchLive(postern.url, watchman.token)
    assert.equal((await watchman.client.post('/v1/auth/sign-out')).status, 200)
    postern.clock.advance(LIFETIME.credentialCache)
    await last.sees('the end', isEnd('revoked'))
    const email = `${crypto.randomUUID()}@example.test`
    assert.equal((await postern.client().post('/v1/invitations', { email }, call)).status, 201)
    const isIt = ({ event, data }: Seen) => event === 'invitation' && data.email === email
    await ours.sees('the invitation', isIt)
    assert.ok(!stream.seen.some(isIt))
    for (const one of [stream, ours, gone]) one.leave()
  })

  test('is let go when its token ends, or its key', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const asked = { name: 'for a day', role: 'administrator', expiresInDays: 1 }
    const made = await postern.client().post('/v1/api-keys', asked, { token: admin.token })
    const lives = [
      [await watchLive(postern.url, admin.token), LIFETIME.jwt],
      [await watchLive(postern.url, made.body.key), DAY - LIFETIME.jwt],
    ] as const
    for (const [stream, life] of lives) {
      assert.ok(!stream.seen.some(({ event }) => event === 'end'))
      postern.clock.advance(life)
      await stream.sees('the end', isEnd('token_expired'))
      await within('the answer to end', stream.over)
    }
  })

  test('is one of a hundred of its person at most, and takes none of a colleague or of another organization', async () => {
    const postern = await server()
    const [admin, other] = [await administrator(postern), await administrator(postern)]
    const sockets = Array.from({ length: 100 }, () => connect(Number(new URL(postern.url).port), '127.0.0.1'))
    after(() => sockets.map((socket) => socket.destroy()))
    await Promise.all(
      sockets.map(async (socket) => {
        socket.write(
          `GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin.token}\r\n\r\n`,
        )
        const [head] = await within('the head of an answer', once(socket, 'data'))
        assert.match(String(head), /^HTTP\/1.1 200/)
        // From here on it takes nothing.
        socket.pause()
      }),
    )
    assertError(await postern.client().get('/v1/stream', { token: admin.token }), 'RATE_LIMITED')
    // A member, and an API key, of the same organization each find some.
    for (const token of [(await member(postern, admin)).token, await apiKey(postern, admin)])
      (await watchLive(postern.url, token)).leave()
    const stream = await watchLive(postern.url, other.token)
    // However much happens that they do not take, who reads is shown what is its own.
    const type = 'agent.run.completed'
    const url = (await receiver()).url
    for (const { token } of [admin, other])
      assert.equal(
        (await postern.client().post('/v1/webhooks', { url, events: [type] }, { token })).status,
        201,
      )
    const events = Array.from({ length: 100 }, () => ({ type, data: RUN }))
    for (let count = 0; count < 3; count += 1)
      await postern.client().post('/v1/events/batch', { events }, { token: admin.token })
    const { body } = await postern.client().post('/v1/events', { type, data: RUN }, { token: other.token })
    await stream.sees(
      'its own delivery',
      ({ data }) => data.eventId === body.id && data.status === 'delivered',
    )
    stream.leave()
  })
})
