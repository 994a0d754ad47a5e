import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '#src/core/clock.ts'
import { assertError, withPostern } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { type MadeInvitation, mailsTo } from '../support/invitees.ts'
import { nightly } from '../support/nightly.ts'
import { administrator, newEmail, type Person } from '../support/people.ts'
import {
  postern as command,
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  startPostern,
} from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/waits.ts'

/** Mails of one organization that wait before the one of another: many times as many as are sent at once. */
const CROWD = nightly(200, 60)

type Invited = Omit<MadeInvitation, 'token'>

/** Invites a person, and proves that the answer is the usual one, whatever the mail server does. */
async function invite(postern: Postern, { token }: Person): Promise<Invited> {
  const email = newEmail('invited')
  const answer = await postern.client().post('/v1/invitations', { email }, { token })
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.body.status, 'pending')
  assert.deepEqual(answer.body.delivery, {
    status: 'queued',
    attempts: 0,
    lastAttemptAt: null,
    lastError: null,
    answer: null,
  })
  return { id: answer.body.id, email }
}

/** `delivery` of an invitation once `isThere` holds: the worker runs beside the test. */
async function delivery(
  postern: Postern,
  { token }: Person,
  { id }: Invited,
  isThere: (delivery: Answer['body']) => boolean,
): Promise<Answer['body']> {
  return until(async () => {
    const answer = await postern.client().get(`/v1/invitations/${id}`, { token })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.delivery
  }, isThere)
}

function arrived({ mailbox }: Postern, { email }: Invited) {
  return mailbox.mails.filter(({ recipients }) => recipients.includes(email))
}

/** The organization learns that the mail failed. Only the operator sees the answer of the mail server. */
async function assertReportedInWords(
  postern: Postern,
  { email }: Invited,
  { lastError }: { lastError: string },
  words: RegExp,
  said: RegExp,
): Promise<void> {
  assert.match(lastError, words)
  assert.doesNotMatch(lastError, said)
  const shown = await command(postern, 'mail', '--email', email, '--json')
  assert.match(JSON.parse(shown.out)[0].lastError, said)
  assert.match(postern.log(), said)
}

const refusal = (responseCode: number) =>
  Object.assign(new Error(`Refused with ${responseCode}`), { responseCode })

onBothEngines('mail server in trouble', (engine) => {
  it('83: a server that is down delays the mail, and after a day gives it up in plain sight', () =>
    withPostern(engine, { env: { SMTP_URL: 'smtp://127.0.0.1:1' } }, async (postern) => {
      const admin = await administrator(postern)
      const invited = await invite(postern, admin)
      const first = await delivery(postern, admin, invited, ({ attempts }) => attempts === 1)
      assert.equal(first.status, 'queued')
      await assertReportedInWords(postern, invited, first, /could not be sent yet/, /ECONNREFUSED/)
      assert.ok(first.lastAttemptAt)
      for (const path of ['/v1/auth/forget-password', '/v1/auth/magic-link']) {
        const answer = await postern.client().post(path, { email: admin.email })
        assert.deepEqual([answer.status, answer.body], [200, { status: true }])
      }
      postern.clock.advance(5 * SECOND)
      await delivery(postern, admin, invited, ({ attempts }) => attempts === 2)
      // A mail that waits shows in the answer of the API and stands in the way of nothing.
      postern.clock.advance(HOUR - MINUTE)
      await delivery(postern, admin, invited, ({ attempts }) => attempts === 3)
      postern.clock.advance(DAY)
      const cookie = await postern
        .client()
        .post('/v1/auth/sign-in/email', { email: admin.email, password: 'x' })
      assertError(cookie, 'UNAUTHORIZED')
      await admin.client.get('/v1/auth/session')
      const token = (await admin.client.get('/v1/auth/token')).body.token
      const last = await delivery(postern, { ...admin, token }, invited, ({ status }) => status !== 'queued')
      assert.equal(last.status, 'failed')
      const resent = await postern.client().post(`/v1/invitations/${invited.id}/resend`, {}, { token })
      assert.deepEqual([resent.body.status, resent.body.delivery.status], ['pending', 'queued'])
    }))

  it('83: a refusal for now is tried again until it is taken, once', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      postern.mailbox.behaviour.onRecipient = () => refusal(451)
      const invited = await invite(postern, admin)
      const first = await delivery(postern, admin, invited, ({ attempts }) => attempts === 1)
      assert.equal(first.status, 'queued')
      await assertReportedInWords(postern, invited, first, /could not be sent yet/, /451/)
      postern.clock.advance(5 * SECOND)
      await delivery(postern, admin, invited, ({ attempts }) => attempts === 2)
      delete postern.mailbox.behaviour.onRecipient
      postern.clock.advance(30 * SECOND)
      const last = await delivery(postern, admin, invited, ({ status }) => status === 'sent')
      assert.deepEqual([last.attempts, last.lastError], [3, null])
      postern.clock.advance(HOUR / 2)
      await invite(postern, admin)
      assert.equal(arrived(postern, invited).length, 1)
    }))

  it('83: a refusal for good is not tried again, and sending it again is', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const { behaviour } = postern.mailbox
      behaviour.onRecipient = () => refusal(550)
      const invited = await invite(postern, admin)
      const failed = await delivery(postern, admin, invited, ({ status }) => status === 'failed')
      assert.equal(failed.attempts, 1)
      await assertReportedInWords(postern, invited, failed, /address was refused/, /550/)
      delete behaviour.onRecipient
      postern.clock.advance(HOUR / 2)
      const other = await invite(postern, admin)
      await delivery(postern, admin, other, ({ status }) => status === 'sent')
      assert.equal(arrived(postern, invited).length, 0)
      const resent = await postern
        .client()
        .post(`/v1/invitations/${invited.id}/resend`, {}, { token: admin.token })
      assert.equal(resent.status, 200)
      await delivery(postern, admin, invited, ({ status }) => status === 'sent')
      assert.equal(arrived(postern, invited).length, 1)
    }))

  it('83: a slow server slows down no answer and gets each mail once', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      await delivered(postern)
      let open = () => {}
      const latch = new Promise<void>((resolve) => {
        open = resolve
      })
      postern.mailbox.behaviour.beforeAccept = () => latch
      const invited = [
        await invite(postern, admin),
        await invite(postern, admin),
        await invite(postern, admin),
      ]
      // Sign-in, tokens and lists do not wait for it either: it takes nothing until the gate is open.
      assert.equal((await admin.client.get('/v1/auth/token')).status, 200)
      assert.equal((await postern.client().get('/v1/invitations', { token: admin.token })).status, 200)
      open()
      for (const one of invited) {
        const sent = await delivery(postern, admin, one, ({ status }) => status === 'sent')
        assert.equal(sent.attempts, 1)
        assert.equal(arrived(postern, one).length, 1)
      }
    }))

  it('83: a slow server holds nobody up: shares of the mail take turns', () =>
    withPostern(engine, {}, async (postern) => {
      const [many, other] = [await administrator(postern), await administrator(postern)]
      await delivered(postern)
      const gates: (() => void)[] = []
      postern.mailbox.behaviour.beforeAccept = () => new Promise((resolve) => gates.push(resolve))
      const before = postern.mailbox.mails.length
      const emails = Array.from({ length: CROWD }, () => newEmail('crowd'))
      const answer = await postern
        .client()
        .post(
          '/v1/invitations/bulk',
          { invitations: emails.map((email) => ({ email })) },
          { token: many.token },
        )
      assert.ok(answer.status < 300, answer.text)
      await until(
        () => gates.length,
        (open) => open > 0,
        { what: 'the first mails to be under way' },
      )
      const sent = postern.client().post('/v1/auth/forget-password', { email: other.email })
      assert.equal((await sent).status, 200)
      const isThere = () => postern.mailbox.mails.some(({ recipients }) => recipients.includes(other.email))
      const queued = () =>
        postern.app.database.db.selectFrom('mail').select('id').where('recipient', '=', other.email).execute()
      await until(queued, (rows) => rows.length > 0, { what: 'the request to become a mail' })
      // One of theirs, the ones under way, and the next of each connection.
      for (let accepted = 0; accepted < 6; accepted += 1) {
        const arrivals = postern.mailbox.mails.length
        const open = await until(
          () => gates.shift(),
          (latch) => latch !== undefined,
          { what: 'a mail to be under way' },
        )
        open?.()
        await until(
          () => postern.mailbox.mails.length,
          (count) => count > arrivals,
          { what: 'a mail to arrive' },
        )
      }
      assert.ok(isThere(), `${postern.mailbox.mails.length - before} mails, and not the one of another`)
      postern.mailbox.behaviour.beforeAccept = async () => {}
      for (const open of gates) open()
    }))

  it('83: a connection that drops instead of an answer loses nothing and mails at most once more', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      await delivered(postern)
      for (const dropped of ['lost', 'kept'] as const) {
        postern.mailbox.behaviour.dropAfterData = dropped
        const invited = await invite(postern, admin)
        const first = await delivery(postern, admin, invited, ({ attempts }) => attempts === 1)
        assert.equal(first.status, 'queued')
        assert.ok(first.lastError)
        delete postern.mailbox.behaviour.dropAfterData
        postern.clock.advance(5 * SECOND)
        await delivery(postern, admin, invited, ({ status }) => status === 'sent')
        const mails = arrived(postern, invited)
        assert.equal(mails.length, dropped === 'lost' ? 1 : 2)
        // A mailbox that looks at it shows one.
        assert.equal(new Set(mails.map(({ parsed }) => parsed.messageId)).size, 1)
        assert.equal(new Set(mails.map(({ token }) => token)).size, 1)
      }
    }))

  it('83: kill -9 between a server’s acceptance and our note of it mails once more', async () => {
    const before = await startPostern(engine)
    const admin = await administrator(before)
    await delivered(before)
    const { DATA_DIR = '', DATABASE_URL } = before.env
    const store = DATABASE_URL === undefined ? { DATA_DIR } : { DATA_DIR, DATABASE_URL }
    await before.app.stop()
    const { mailbox } = before
    const held = new Promise<void>((resolve) => {
      mailbox.behaviour.beforeAccept = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const { BASE_URL = `http://localhost:${before.env.PORT}` } = before.env
    const env = { ...store, BASE_URL, SMTP_URL: mailbox.url }
    const victim = await startProcess(env)
    const client = before.client()
    const email = newEmail('invited')
    const answer = await client.post(`${victim.url}/v1/invitations`, { email }, { token: admin.token })
    assert.equal(answer.status, 201, answer.text)
    await held
    await victim.kill()
    delete mailbox.behaviour.beforeAccept
    const after = await startPostern(engine, { env0: env })
    try {
      // The lease of the dead process ends first.
      after.clock.advance(2 * MINUTE)
      const mail = await mailbox.next(email)
      const invited = { id: answer.body.id, email }
      await delivery(after, admin, invited, ({ status }) => status === 'sent')
      const [row] = await mailsTo(after, email)
      assert.equal(mail.parsed.messageId, `<${row?.id}@localhost>`)
      after.clock.advance(HOUR / 4)
      await delivery(after, admin, invited, ({ status }) => status === 'sent')
      assert.equal(mailbox.mails.filter(({ recipients }) => recipients.includes(email)).length, 1)
    } finally {
      await after.stop()
      await mailbox.stop()
    }
  })

  it('83: without a mail server every mail is kept, and the answer says so', () =>
    withPostern(engine, { env: { SMTP_URL: '' } }, async (postern) => {
      const admin = await administrator(postern)
      const email = newEmail('invited')
      const answer = await postern.client().post('/v1/invitations', { email }, { token: admin.token })
      assert.equal(answer.status, 201, answer.text)
      assert.deepEqual(answer.body.delivery, {
        status: 'not_configured',
        attempts: 0,
        lastAttemptAt: null,
        lastError: null,
        answer: null,
      })
      const [kept] = await mailsTo(postern, email)
      assert.ok(kept && kept.body !== '')
      assert.equal(postern.log().match(/no SMTP_URL/g)?.length, 1)
      // The operator also learns that the mail failed, and has the link to hand over.
      const path = `/v1/operator/organizations/${admin.organizationId}/invitations`
      const founder = { email: newEmail('founder'), sendEmail: true }
      const made = await postern.client().post(path, founder, { token: OPERATOR_TOKEN })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.body.isMailed, false)
      assert.match(made.body.acceptUrl, /[?]token=[\w-]+$/)
    }))
})

/** Waits until no mail is on its way. */
async function delivered({ app }: Postern): Promise<void> {
  const queued = app.database.db.selectFrom('mail').select('id').where('status', '=', 'queued')
  await until(
    () => queued.execute(),
    ({ length }) => length === 0,
    { what: 'no mail that is still queued' },
  )
}

it('83: two workers and a server that is slower than a claim lasts send each mail once (postgres)', async () => {
  const clock = testClock()
  const first = await startPostern('postgres', { clock })
  const { PORT: _, ...env0 } = first.env
  const second = await startPostern('postgres', { clock, env0 })
  try {
    const admin = await administrator(first)
    await delivered(first)
    const latch = Promise.withResolvers<void>()
    first.mailbox.behaviour.beforeAccept = () => latch.promise
    first.mailbox.behaviour.answersByLine = true
    const invited: Invited[] = []
    for (let index = 0; index < 10; index += 1) invited.push(await invite(first, admin))
    const claims = () =>
      first.app.database.db
        .selectFrom('mail')
        .selectAll()
        .where('last_attempt_at', 'is not', null)
        .where('status', '=', 'queued')
        .execute()
    // As many as have a connection, of both.
    await until(claims, ({ length }) => length === 4, { what: 'both to have all in hand that they can send' })
    for (let passed = 0; passed < 6 * MINUTE; passed += 30 * SECOND) {
      clock.advance(30 * SECOND)
      await until(
        claims,
        (rows) => rows.length === 4 && rows.every((row) => row.next_attempt_at > clock.now() + MINUTE),
        {
          what: 'the claims to be renewed',
        },
      )
    }
    latch.resolve()
    for (const one of invited) {
      const sent = await delivery(first, admin, one, ({ status }) => status === 'sent')
      assert.equal(sent.attempts, 1)
      assert.equal(arrived(first, one).length, 1)
    }
  } finally {
    await second.stop()
    await first.stop()
  }
})
