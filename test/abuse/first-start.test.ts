import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashToken } from '#src/core/secret.ts'
import { issueFirstStartLink } from '#src/store/first-start-link.ts'
import { assertError, atOnce, MANY, signIn, tally, withPostern } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { holdRows } from '../support/held-rows.ts'
import { newEmail, PASSWORD } from '../support/people.ts'
import {
  postern as command,
  type EngineName,
  freshStore,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { type StartedHere, startHere } from '../support/start-here.ts'

const PATH = '/v1/auth/first-start'
const AT_TERMINAL = { isInteractive: true }

const issue = ({ app, clock }: Postern) => issueFirstStartLink(app.database, clock.now())

function wish(token: string, more: object = {}): Record<string, unknown> {
  return {
    token,
    organization: 'Acme',
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: newEmail('first'),
    password: PASSWORD,
    termsAccepted: true,
    ...more,
  }
}

const begin = (postern: Postern, token: string, more: object = {}): Promise<Answer> =>
  postern.client().post(PATH, wish(token, more))

function assertDead(answer: Answer): void {
  assertError(answer, 'ENTITY_NOT_FOUND')
  assert.deepEqual(answer.body.error.details, { field: 'token' })
}

async function count(postern: Postern, table: 'organization' | 'account' | 'membership' | 'session') {
  const rows = await postern.app.database.db.selectFrom(table).selectAll().execute()
  return rows.length
}

/** The token of the link in the output of a start; undefined without a link. */
const shownBy = (server: StartedHere) => /\/first-start\?token=(\S+)/.exec(server.out())?.[1]

onBothEngines('the link of a first start', (engine: EngineName) => {
  const test = testOnOneEngineByDay(engine)
  it('89: makes the organization and its administrator, who is signed in and may invite', async () => {
    await withPostern(engine, {}, async (postern) => {
      const client = postern.client()
      const email = newEmail('first')
      const made = await client.post(PATH, wish(await issue(postern), { email: email.toUpperCase() }))
      assert.equal(made.status, 201, made.text)
      const { user } = made.body
      assert.deepEqual([user.email, user.status, user.emailVerified], [email, 'active', true])
      assert.deepEqual(
        user.organizations.map(({ name, role }: { name: string; role: string }) => [name, role]),
        [['Acme', 'administrator']],
      )
      assert.equal((await client.get('/v1/auth/session')).body.user.id, user.id)
      const { token } = (await client.get('/v1/auth/token')).body
      const invited = await postern.client().post('/v1/invitations', { email: newEmail('second') }, { token })
      assert.equal(invited.status, 201, invited.text)
      assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
      const audit = await postern.client().get('/v1/audit-log?limit=100', { token })
      const actions = audit.body.data.map(({ action }: { action: string }) => action)
      for (const action of ['organization.created', 'account.activated', 'sign_in.succeeded'])
        assert.ok(actions.includes(action), action)
    })
  })

  it('89: used many times at once makes one organization, one account and one session', async () => {
    await withPostern(engine, {}, async (postern) => {
      const token = await issue(postern)
      const answers = await atOnce(MANY, (index) => begin(postern, token, { organization: `Acme ${index}` }))
      assert.deepEqual(tally(answers), { 201: 1, 404: MANY - 1 })
      for (const answer of answers.filter(({ status }) => status === 404)) assertDead(answer)
      for (const table of ['organization', 'account', 'membership', 'session'] as const)
        assert.equal(await count(postern, table), 1, table)
    })
  })

  it('89: gets one answer when it is used, replaced, expired, ended by an account, or unknown', async () => {
    await withPostern(engine, {}, async (postern) => {
      assertDead(await begin(postern, 'x'.repeat(43)))
      const older = await issue(postern)
      const newer = await issue(postern)
      assertDead(await begin(postern, older))
      postern.clock.advance(60 * 60_000)
      assertDead(await begin(postern, newer))
      const last = await issue(postern)
      postern.clock.advance(60 * 60_000 - 60_000)
      const invited = await command(postern, 'invite', '--organization', 'Umbrella', '--email', newEmail())
      assert.equal(invited.code, 0, invited.err)
      assertDead(await begin(postern, last))
      // A link that was made despite the account has also ended.
      assertDead(await begin(postern, await issue(postern)))
      assert.deepEqual([await count(postern, 'organization'), await count(postern, 'account')], [1, 1])
    })
  })

  test('89: opens nothing without its token, and input that is refused does not use it up', async () => {
    await withPostern(engine, {}, async (postern) => {
      const token = await issue(postern)
      const { token: _none, ...without } = wish(token)
      assertError(await postern.client().post(PATH, without), 'MISSING_REQUIRED_FIELD', { field: 'token' })
      const cases: [object, string, string][] = [
        [{ password: 'short' }, 'VALIDATION_FAILED', 'password'],
        [{ password: 'password1' }, 'VALIDATION_FAILED', 'password'],
        [{ password: 'Acme Rockets', organization: 'acme rockets' }, 'VALIDATION_FAILED', 'password'],
        [{ termsAccepted: false }, 'VALIDATION_FAILED', 'termsAccepted'],
        [{ email: 'nobody' }, 'INVALID_EMAIL', 'email'],
        [{ organization: ' ' }, 'VALIDATION_FAILED', 'organization'],
        [{ organization: 'x'.repeat(101) }, 'VALIDATION_FAILED', 'organization'],
        [{ role: 'member' }, 'VALIDATION_FAILED', 'role'],
      ]
      for (const [more, code, field] of cases) {
        const answer = await begin(postern, token, more)
        assert.equal(answer.status, 400, answer.text)
        assert.deepEqual([answer.body.error.code, answer.body.error.details.field], [code, field])
      }
      const elsewhere = await postern
        .client()
        .post(PATH, wish(token), { headers: { origin: 'https://evil.test' } })
      assertError(elsewhere, 'FORBIDDEN', { reason: 'cross_site' })
      const taken = { headers: { authorization: `Bearer ${postern.env.OPERATOR_TOKEN}` } }
      const other = await postern.client().post('/v1/operator/organizations', { name: 'Acme' }, taken)
      assert.equal(other.status, 201, other.text)
      assertError(await begin(postern, token), 'DUPLICATE', { field: 'organization', reason: 'name_taken' })
      assert.equal(await count(postern, 'account'), 0)
      assert.equal((await begin(postern, token, { organization: 'Acme Two' })).status, 201)
    })
  })

  test('89: is not used up by opening it, is in no log, and is stored only as a hash', async () => {
    await withPostern(engine, {}, async (postern) => {
      const token = await issue(postern)
      for (const path of ['/first-start', PATH])
        for (const method of ['GET', 'HEAD', 'OPTIONS'])
          await postern.client().call(`${path}?token=${token}`, { method })
      assert.equal((await begin(postern, token, { password: 'short' })).status, 400)
      const rows = await postern.app.database.db.selectFrom('meta').selectAll().execute()
      assert.ok(rows.some(({ value }) => value.startsWith(`${hashToken(token)}.`)))
      assert.ok(!JSON.stringify(rows).includes(token))
      assert.equal((await begin(postern, token)).status, 201)
      assert.ok(postern.log().includes('/first-start?token=[redacted]'))
      assert.ok(!postern.log().includes(token))
    })
  })

  test('89: cannot be guessed faster than any other secret', async () => {
    await withPostern(engine, { env: { LIMITS: '' } }, async (postern) => {
      const answers = await atOnce(31, () => begin(postern, 'x'.repeat(43)))
      assert.deepEqual(tally(answers), { 404: 30, 429: 1 })
    })
  })

  if (engine === 'postgres')
    it('89: has ended if an invitation is made at the same moment', async () => {
      await withPostern(engine, {}, async (postern) => {
        const token = await issue(postern)
        const held = await holdRows(postern, 'meta', 'key = $1', ['first_start'])
        try {
          const { answer } = await held.lineUp(() => begin(postern, token))
          const invited = await command(
            postern,
            'invite',
            '--organization',
            'Umbrella',
            '--email',
            newEmail(),
          )
          assert.equal(invited.code, 0, invited.err)
          await held.release()
          assertDead(await answer)
        } finally {
          await held.release()
        }
        assert.equal(await count(postern, 'organization'), 1)
      })
    })

  it('89: is shown at a terminal, a new one at each start, while no account exists', async () => {
    const store = await freshStore(engine)
    const call = async (server: StartedHere, token: string | undefined) =>
      fetch(`${server.url}${PATH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wish(token ?? '')),
      })
    const first = await startHere(store, AT_TERMINAL)
    const older = shownBy(first)
    assert.match(
      first.out(),
      new RegExp(`\\n {4}http://localhost:${new URL(first.url).port}/first-start\\?token=`),
    )
    assert.doesNotMatch(first.out(), /postern invite/)
    await first.end()
    const second = await startHere(store, AT_TERMINAL)
    const newer = shownBy(second)
    assert.notEqual(newer, older)
    assert.equal((await call(second, older)).status, 404)
    assert.equal((await call(second, newer)).status, 201)
    await second.end()
    const third = await startHere(store, AT_TERMINAL)
    assert.equal(shownBy(third), undefined)
    assert.doesNotMatch(third.out(), /postern invite/)
    await third.end()
  })

  test('89: is not shown if the output is not a terminal, in production, or after an invitation; the older one ends', async () => {
    const store = await freshStore(engine)
    const PRODUCTION = { NODE_ENV: 'production', BASE_URL: 'https://postern.acme.test' }
    const linked = await startHere(store, AT_TERMINAL)
    const token = shownBy(linked)
    assert.ok(token)
    await linked.end()
    for (const [env, terminal] of [
      [{}, {}],
      [PRODUCTION, AT_TERMINAL],
    ] as const) {
      const server = await startHere({ ...store, ...env }, terminal)
      assert.equal(shownBy(server), undefined)
      assert.match(server.out(), /npx postern invite --organization/)
      const answer = await fetch(`${server.url}${PATH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wish(token)),
      })
      assert.equal(answer.status, 404, await answer.text())
      await server.end()
    }
    const args = ['invite', '--organization', 'Acme', '--email', newEmail()]
    const invited = await command({ env: store }, ...args)
    assert.equal(invited.code, 0, invited.err)
    const server = await startHere(store, AT_TERMINAL)
    assert.equal(shownBy(server), undefined)
    assert.match(server.out(), /npx postern invite --organization/)
    await server.end()
  })
})
