import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, atOnce, tally, withPostern } from '../support/attacks.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'

const KEY = 'idempotency-key'

function createKey(
  postern: Postern,
  { token }: Pick<Person, 'token'>,
  key: string,
  body: object = { name: 'one' },
) {
  return postern.client().post('/v1/api-keys', body, { token, headers: { [KEY]: key } })
}

async function keysOf(postern: Postern, { token }: Pick<Person, 'token'>): Promise<string[]> {
  const { body } = await postern.client().get('/v1/api-keys?limit=100', { token })
  return body.data.map(({ id }: { id: string }) => id)
}

onBothEngines('Idempotency-Key', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('answers a repetition with the first answer, and says so', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const first = await createKey(postern, admin, 'a')
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null])
    const repeated = await createKey(postern, admin, 'a')
    assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [201, 'true'])
    assert.equal(repeated.text, first.text)
    assert.equal(repeated.headers.get('location'), first.headers.get('location'))
    assert.notEqual(repeated.headers.get('x-request-id'), first.headers.get('x-request-id'))
    assert.deepEqual(await keysOf(postern, admin), [first.body.id])
    // A default that is left out is filled in, and the order of members does not matter.
    const wish = { email: newEmail(), sendEmail: false }
    const invite = (body: object) =>
      postern.client().post('/v1/invitations', body, { token: admin.token, headers: { [KEY]: 'a' } })
    const short = await invite(wish)
    assert.equal(short.status, 201, short.text)
    const written = await invite({ role: 'member', ...wish, expiresInDays: 7 })
    const turned = await invite({ expiresInDays: 7, ...wish, role: 'member' })
    for (const answer of [written, turned]) assert.equal(answer.text, short.text)
  })

  it('answers the first answer as often as it is asked, whatever limits the effect has', async () => {
    const own = await startPostern(engine, { env: { LIMITS: '{"mailPerAddress":{"max":2}}' } })
    try {
      const admin = await administrator(own)
      const [one, two, three] = [newEmail(), newEmail(), newEmail()]
      const calls: [string, object][] = [
        ['/v1/invitations', { email: one }],
        ['/v1/invitations/bulk', { invitations: [{ email: two }, { email: three }] }],
      ]
      for (const [path, body] of calls) {
        const ask = () => own.client().post(path, body, { token: admin.token, headers: { [KEY]: 'mails' } })
        const first = await ask()
        assert.ok(first.status < 300, first.text)
        for (let times = 0; times < 5; times += 1) assert.equal((await ask()).text, first.text)
      }
      const [invitation] = (await own.client().get('/v1/invitations', { token: admin.token })).body.data
      const resend = (key: string) =>
        own.client().post(`/v1/invitations/${invitation.id}/resend`, undefined, {
          token: admin.token,
          headers: { [KEY]: key },
        })
      for (let times = 0; times < 4; times += 1) assert.equal((await resend('again')).status, 200)
      assertError(await resend('another'), 'RATE_LIMITED')
    } finally {
      await own.stop()
    }
  })

  it('makes one thing of fifty requests at once', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const answers = await atOnce(50, () => createKey(postern, admin, 'at-once'))
    const counts = tally(answers)
    assert.equal((counts[201] ?? 0) + (counts[409] ?? 0), 50, JSON.stringify(counts))
    for (const answer of answers.filter(({ status }) => status === 409)) {
      assertError(answer, 'DUPLICATE', { field: 'Idempotency-Key', reason: 'still_running' })
    }
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    assert.equal((await keysOf(postern, admin)).length, 1)
    const email = newEmail()
    const invited = await atOnce(50, () =>
      postern.client().post('/v1/invitations', { email }, { token: admin.token, headers: { [KEY]: 'mail' } }),
    )
    assert.ok(invited.some(({ status }) => status === 201))
    await postern.mailbox.next(email)
    const mails = postern.app.database.db.selectFrom('mail').select('id').where('recipient', '=', email)
    assert.equal((await mails.execute()).length, 1)
  })

  test('refuses another body under the same key', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    await createKey(postern, admin, 'b')
    const other = await createKey(postern, admin, 'b', { name: 'two' })
    assertError(other, 'VALIDATION_FAILED', { field: 'Idempotency-Key', value: 'b' })
    assert.equal((await keysOf(postern, admin)).length, 1)
  })

  it('refuses another event that differs only in digits that reading a number loses', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const publish = async (orderId: string) => {
      const response = await fetch(`${postern.url}/v1/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin.token}`,
          'content-type': 'application/json',
          [KEY]: 'digits',
        },
        body: `{"type":"file.processed","data":{"orderId":${orderId},"same":12345678901234567890}}`,
      })
      return { status: response.status, text: await response.text() }
    }
    const first = await publish('9007199254740993')
    assert.equal(first.status, 202, first.text)
    assert.deepEqual(await publish('9007199254740993'), first)
    const other = await publish('9007199254740992')
    assert.equal(other.status, 400, other.text)
    assert.equal(JSON.parse(other.text).error.details.reason, 'used_with_another_body')
  })

  it('keeps a key for 24 hours', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const machine = { token: await apiKey(postern, admin) }
      const first = await createKey(postern, machine, 'c')
      postern.clock.advance(LIFETIME.idempotencyKey - 60_000)
      assert.equal((await createKey(postern, machine, 'c')).body.id, first.body.id)
      postern.clock.advance(60_000)
      const later = await createKey(postern, machine, 'c', { name: 'two' })
      assert.deepEqual([later.status, later.headers.get('idempotent-replayed')], [201, null])
      assert.notEqual(later.body.id, first.body.id)
    }))

  it('is one for each organization and each route', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const ours = await createKey(postern, ada, 'd')
    const theirs = await createKey(postern, eve, 'd')
    assert.equal(theirs.headers.get('idempotent-replayed'), null)
    assert.notEqual(theirs.body.key, ours.body.key)
    const body = { email: newEmail(), sendEmail: false }
    const call = { token: ada.token, headers: { [KEY]: 'd' } }
    const invited = await postern.client().post('/v1/invitations', body, call)
    assert.deepEqual([invited.status, invited.headers.get('idempotent-replayed')], [201, null])
    const repeated = await postern.client().post('/v1/invitations', body, call)
    assert.equal(repeated.body.acceptUrl, invited.body.acceptUrl)
  })

  it('is one for each actor: no member and no key is answered with what another one made', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const colleague = await member(postern, admin, 'administrator')
    const [key, other] = [await apiKey(postern, admin), await apiKey(postern, admin)]
    const { id } = (await postern.client().post('/v1/agents', { name: 'Helper' }, { token: admin.token }))
      .body
    // Each with the same bodies, the routes that answer with something private first.
    const paths: [string, object][] = [
      [`/v1/agents/${id}/runs`, { input: 'What does it cost?' }],
      ['/v1/api-keys', { name: 'one' }],
      ['/v1/conversations', {}],
      ['/v1/knowledge-bases', {}],
      ['/v1/events', { type: 'file.processed', data: {} }],
    ]
    for (const [path, body] of paths) {
      const ids = new Set<string>()
      for (const [index, token] of [admin.token, colleague.token, key, other].entries()) {
        const named = path === '/v1/knowledge-bases' ? { name: `Base ${index}` } : body
        const call = { token, headers: { [KEY]: 'shared' } }
        const answer = await postern.client().post(path, named, call)
        assert.ok(answer.status < 300, answer.text)
        assert.equal(answer.headers.get('idempotent-replayed'), null, `${path} for ${index}`)
        assert.equal((await postern.client().post(path, named, call)).text, answer.text)
        ids.add(answer.body.id)
      }
      assert.equal(ids.size, 4, path)
    }
  })

  test('keeps nothing of a request that failed', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const call = { token: admin.token, headers: { [KEY]: 'e' } }
    const invite = (body: object) => postern.client().post('/v1/invitations', body, call)
    assertError(await invite({ email: admin.email }), 'DUPLICATE', { field: 'email' })
    assertError(await invite({ email: 'no address' }), 'INVALID_EMAIL')
    assert.equal((await invite({ email: newEmail() })).status, 201)
  })

  test('is 1 to 255 visible characters', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    assert.equal((await createKey(postern, admin, 'x'.repeat(255))).status, 201)
    for (const key of ['x'.repeat(256), '', 'é', 'a\tb']) {
      assertError(await createKey(postern, admin, key), 'VALIDATION_FAILED', { field: 'Idempotency-Key' })
    }
  })

  it('lasts over a restart, with its secret sealed in the meantime', async () => {
    const before = await startPostern(engine)
    const admin = await administrator(before)
    const machine = { token: await apiKey(before, admin) }
    const first = await createKey(before, machine, 'f')
    const rows = await before.app.database.db.selectFrom('idempotency').selectAll().execute()
    assert.equal(rows.length, 1)
    for (const text of [first.body.key, first.body.id, 'psk_']) {
      assert.ok(!JSON.stringify(rows).includes(text), text)
    }
    await before.stop()
    const { DATA_DIR = '', DATABASE_URL } = before.env
    const env0 = DATABASE_URL === undefined ? { DATA_DIR } : { DATA_DIR, DATABASE_URL }
    const after = await startPostern(engine, { env0 })
    try {
      const repeated = await createKey(after, machine, 'f')
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
      assert.equal(repeated.body.key, first.body.key)
    } finally {
      await after.stop()
    }
  })

  test('opens nothing to who may not call the route', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const member = { token: await apiKey(postern, admin, 'member') }
    await createKey(postern, admin, 'g')
    assertError(await createKey(postern, member, 'g'), 'FORBIDDEN')
    assertError(await createKey(postern, { token: 'none' }, 'g'), 'UNAUTHORIZED')
  })
})
