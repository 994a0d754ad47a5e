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
  type EngineName,
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  startPostern,
  testOnOneEngineByDay,
} from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { until, within } from '../support/waits.ts'

/** Mails of one organization that wait before the mail of another: many times the number of concurrent sends. */
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

/** The `delivery` of an invitation when `isThere` holds; the worker runs concurrently. */
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

function arrived({ mailbox }: Postern, { email }: Pick<Invited, 'email'>) {
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
  const test = testOnOneEngineByDay(engine)
  it('83: a server that is down delays the mail, which visibly fails after a day', () =>
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
      // The API shows a waiting mail, and it delays nothing.
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

  test('83: a temporarily refused mail is retried until it is accepted, once', () =>
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

  test('83: a permanently refused mail is not retried, unless it is sent again', () =>
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

  test('83: a slow server slows down no answer and gets each mail once', () =>
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
      // Sign-in, tokens and lists do not wait for it, although it accepts nothing until the gate is open.
      assert.equal((await admin.client.get('/v1/auth/token')).status, 200)
      assert.equal((await postern.client().get('/v1/invitations', { token: admin.token })).status, 200)
      open()
      for (const one of invited) {
        const sent = await delivery(postern, admin, one, ({ status }) => status === 'sent')
        assert.equal(sent.attempts, 1)
        assert.equal(arrived(postern, one).length, 1)
      }
    }))

  test('83: a server that hangs on all mails of one organization gets the mail of another', () =>
    withPostern(engine, {}, async (postern) => {
      const [many, other] = [await administrator(postern), await administrator(postern)]
      await delivered(postern)
      const latch = Promise.withResolvers<void>()
      postern.mailbox.behaviour.beforeAccept = () => latch.promise
      const emails = Array.from({ length: CROWD }, () => newEmail('crowd'))
      const answer = await postern
        .client()
        .post(
          '/v1/invitations/bulk',
          { invitations: emails.map((email) => ({ email })) },
          { token: many.token },
        )
      assert.ok(answer.status < 300, answer.text)
      const begun = (addresses: string[]) =>
        postern.mailbox.recipients.filter((address) => addresses.includes(address)).length
      await until(
        () => begun(emails),
        (count) => count === 2,
        { what: 'as many of its mails to be under way as an organization alone may have' },
      )
      const sent = await postern.client().post('/v1/auth/forget-password', { email: other.email })
      assert.equal(sent.status, 200)
      const before = begun([other.email])
      await until(
        () => begun([other.email]),
        (count) => count > before,
        { what: 'the mail of another to be under way' },
      )
      assert.equal(begun(emails), 2)
      latch.resolve()
      await until(
        () => postern.mailbox.mails.some(({ recipients }) => recipients.includes(other.email)),
        (isThere) => isThere,
        { what: 'the mail of another to arrive' },
      )
    }))

  test('83: a server that takes more than ten minutes over a mail ends the attempt, which is shown and repeated', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      await delivered(postern)
      const { behaviour } = postern.mailbox
      const [held, latch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      behaviour.beforeAccept = () => {
        held.resolve()
        return latch.promise
      }
      behaviour.answersByLine = true
      const invited = await invite(postern, admin)
      await within('the mail to be under way', held.promise)
      delete behaviour.beforeAccept
      postern.clock.advance(10 * MINUTE)
      const token = (await admin.client.get('/v1/auth/token')).body.token
      const now = { ...admin, token }
      const first = await delivery(postern, now, invited, ({ attempts }) => attempts === 1)
      assert.equal(first.status, 'queued')
      assert.ok(first.lastAttemptAt)
      await assertReportedInWords(postern, invited, first, /could not be sent yet/, /after 10 minutes/)
      postern.clock.advance(5 * SECOND)
      const sent = await delivery(postern, now, invited, ({ status }) => status === 'sent')
      assert.deepEqual([sent.attempts, sent.lastError], [2, null])
      latch.resolve()
    }))

  test('83: any number of temporarily refused mails keep their schedule', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      await delivered(postern)
      postern.mailbox.behaviour.onRecipient = () => refusal(451)
      using _ = postern.clock.stop()
      const invited = new Set<string>()
      // More failures in a row than park a lane.
      for (let index = 0; index < 12; index += 1) invited.add((await invite(postern, admin)).id)
      const rows = async () => {
        const all = await postern.app.database.db.selectFrom('mail').selectAll().execute()
        return all.filter(({ invitation_id: id }) => id !== null && invited.has(id))
      }
      const waits = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 30 * MINUTE]
      for (const [index, wait] of waits.entries()) {
        const tried = await until(rows, (all) => all.every(({ attempts }) => attempts === index + 1), {
          what: `attempt ${index + 1} of each`,
        })
        assert.deepEqual(
          tried.map((row) => row.next_attempt_at - Number(row.last_attempt_at)),
          tried.map(() => wait),
        )
        postern.clock.advance(wait)
      }
    }))

  it('83: a waiting mail is deleted with its recipient’s account', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      postern.mailbox.behaviour.onRecipient = () => refusal(451)
      const invited = await invite(postern, admin)
      await delivery(postern, admin, invited, ({ attempts }) => attempts === 1)
      const deleted = await command(postern, 'account', '--email', invited.email, '--delete')
      assert.equal(deleted.code, 0, deleted.err)
      delete postern.mailbox.behaviour.onRecipient
      postern.clock.advance(5 * SECOND)
      const jobs = postern.app.database.db.selectFrom('job').select('id').where('status', '=', 'pending')
      await until(
        () => jobs.where('kind', '=', 'mail').execute(),
        ({ length }) => length === 0,
        { what: 'no mail that still waits' },
      )
      assert.deepEqual([arrived(postern, invited), await mailsTo(postern, invited.email)], [[], []])
    }))

  it('83: the mail server’s answers about an address are also deleted with the account', () =>
    withPostern(engine, {}, async (postern) => {
      const admin = await administrator(postern)
      const [refused, waiting] = [newEmail('refused'), newEmail('waiting')]
      postern.mailbox.behaviour.onRecipient = (address) =>
        Object.assign(new Error(`<${address}> is unknown here`), {
          responseCode: address === refused ? 550 : 451,
        })
      for (const email of [refused, waiting]) {
        const answer = await postern.client().post('/v1/invitations', { email }, { token: admin.token })
        const invited = { id: answer.body.id, email }
        const { answer: said } = await delivery(postern, admin, invited, ({ attempts }) => attempts === 1)
        assert.match(said, new RegExp(`<${email}> is unknown here`))
        const deleted = await command(postern, 'account', '--email', email, '--delete')
        assert.equal(deleted.code, 0, deleted.err)
      }
      const jobs = await postern.app.database.db.selectFrom('job').selectAll().execute()
      assert.ok(jobs.some(({ kind, status }) => kind === 'mail' && status === 'failed'))
      for (const email of [refused, waiting]) assert.ok(!JSON.stringify(jobs).includes(email))
    }))

  test('83: a connection that drops instead of an answer loses nothing and mails at most once more', () =>
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
        // A mail program shows one, by the message id.
        assert.equal(new Set(mails.map(({ parsed }) => parsed.messageId)).size, 1)
        assert.equal(new Set(mails.map(({ token }) => token)).size, 1)
      }
    }))

  it('83: kill -9 between a server’s acceptance and its record repeats this mail, and no other', async () => {
    const { before, admin, env } = await stoppedStore(engine)
    const { mailbox } = before
    const victim = await startProcess(env)
    const client = before.client()
    const inviteAt = async (email: string) => {
      const answer = await client.post(`${victim.url}/v1/invitations`, { email }, { token: admin.token })
      assert.equal(answer.status, 201, answer.text)
      return { id: answer.body.id, email }
    }
    const sent = await inviteAt(newEmail('sent'))
    await until(
      async () => (await client.get(`${victim.url}/v1/invitations/${sent.id}`, { token: admin.token })).body,
      ({ delivery: one }) => one.status === 'sent',
    )
    const held = new Promise<void>((resolve) => {
      mailbox.behaviour.beforeAccept = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const invited = await inviteAt(newEmail('invited'))
    await within('the mail to be under way', held)
    // More than the concurrent sends, so that some are claimed and not started.
    const behind: Invited[] = []
    for (let index = 0; index < 4; index += 1) behind.push(await inviteAt(newEmail('behind')))
    await victim.kill()
    delete mailbox.behaviour.beforeAccept
    const named = ({ email }: Invited) => mailbox.recipients.filter((address) => address === email).length
    assert.deepEqual([sent, invited].map(named), [1, 1])
    const after = await startPostern(engine, { env0: env })
    try {
      const mail = await mailbox.next(invited.email)
      for (const one of [invited, ...behind])
        await delivery(after, admin, one, ({ status }) => status === 'sent')
      const [row] = await mailsTo(after, invited.email)
      assert.equal(mail.parsed.messageId, `<${row?.id}@localhost>`)
      after.clock.advance(HOUR / 4)
      await delivery(after, admin, invited, ({ status }) => status === 'sent')
      for (const one of [sent, invited, ...behind]) assert.equal(arrived(before, one).length, 1)
      assert.deepEqual([sent, invited].map(named), [1, 2])
      // One of them was also in flight.
      assert.ok(behind.map(named).filter((times) => times > 1).length <= 1)
    } finally {
      await after.stop()
      await mailbox.stop()
    }
  })

  it('83: a stop waits half a minute for a mail in flight, and the next start sends an interrupted one', async () => {
    const { before, admin, env } = await stoppedStore(engine)
    const { mailbox } = before
    const latch = Promise.withResolvers<void>()
    mailbox.behaviour.beforeAccept = () => latch.promise
    mailbox.behaviour.answersByLine = true
    const first = await startPostern(engine, { env0: env })
    // The mail server of the first process, which gets nothing.
    await first.mailbox.stop()
    const invited = await invite(first, admin)
    await until(
      () => mailbox.recipients.includes(invited.email),
      (isUnderWay) => isUnderWay,
      { what: 'the mail to be under way' },
    )
    let undone: string[] | undefined
    const stopped = first.app.stop().then((parts) => {
      undone = parts
    })
    await until(
      () => {
        first.clock.advance(SECOND)
        return undone
      },
      (parts) => parts !== undefined,
      { what: 'the stop to cut the mail off' },
    )
    await stopped
    assert.deepEqual(undone, [])
    delete mailbox.behaviour.beforeAccept
    const after = await startPostern(engine, { env0: env })
    try {
      await delivery(after, admin, invited, ({ status }) => status === 'sent')
      assert.equal(mailbox.recipients.filter((address) => address === invited.email).length, 2)
    } finally {
      latch.resolve()
      await after.stop()
      await mailbox.stop()
    }
  })

  test('83: without a mail server every mail is kept, and the answer says so', () =>
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

/** Waits until no mail is queued. */
async function delivered({ app }: Postern): Promise<void> {
  const queued = app.database.db.selectFrom('mail').select('id').where('status', '=', 'queued')
  await until(
    () => queued.execute(),
    ({ length }) => length === 0,
    { what: 'no mail that is still queued' },
  )
}

/** A store with an administrator on which no server runs, and its mail server. */
async function stoppedStore(engine: EngineName) {
  const before = await startPostern(engine)
  const admin = await administrator(before)
  await delivered(before)
  const { DATA_DIR = '', DATABASE_URL, PORT } = before.env
  const store = DATABASE_URL === undefined ? { DATA_DIR } : { DATA_DIR, DATABASE_URL }
  await before.app.stop()
  const { BASE_URL = `http://localhost:${PORT}` } = before.env
  return { before, admin, env: { ...store, BASE_URL, SMTP_URL: before.mailbox.url } }
}

it('83: two processes and a server that is slower than a lease lasts send each mail once (postgres)', async () => {
  const clock = testClock()
  const first = await startPostern('postgres', { clock })
  const { PORT, ...env0 } = first.env
  // The second process accepts tokens of the first.
  const BASE_URL = `http://localhost:${PORT}`
  const second = await startPostern('postgres', { clock, env0: { ...env0, BASE_URL } })
  try {
    const admin = await administrator(first)
    await delivered(first)
    const latch = Promise.withResolvers<void>()
    first.mailbox.behaviour.beforeAccept = () => latch.promise
    first.mailbox.behaviour.answersByLine = true
    const invited: Invited[] = []
    for (let index = 0; index < 10; index += 1)
      invited.push(await invite(index % 2 === 0 ? first : second, admin))
    const underWay = () =>
      first.app.database.db
        .selectFrom('job')
        .innerJoin('worker', 'worker.id', 'claim_id')
        .select(['job.id', 'alive_until'])
        .where('kind', '=', 'mail')
        .where('begun', '=', 1)
        .execute()
    // A heartbeat comes every ten seconds, and a lease lasts forty: less is left where the clock runs ahead of the heartbeats.
    const isHeld = (rows: { alive_until: number }[]) =>
      rows.length === 4 && rows.every((row) => row.alive_until > clock.now() + 29 * SECOND)
    const begun = await until(underWay, isHeld, {
      what: 'both to have as many under way as an organization alone may have',
    })
    for (let passed = 0; passed < 2 * MINUTE; passed += 10 * SECOND) {
      clock.advance(10 * SECOND)
      const held = await until(underWay, isHeld, { what: 'the leases to be renewed' })
      assert.deepEqual(held.map(({ id }) => id).sort(), begun.map(({ id }) => id).sort())
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

it('83: mails that one process has no connection for are sent by another (postgres)', async () => {
  const first = await startPostern('postgres')
  const { PORT, ...env0 } = first.env
  const second = await startPostern('postgres', { env0: { ...env0, BASE_URL: `http://localhost:${PORT}` } })
  const latch = Promise.withResolvers<void>()
  try {
    const admin = await administrator(first)
    await delivered(first)
    first.mailbox.behaviour.beforeAccept = () => latch.promise
    first.mailbox.behaviour.answersByLine = true
    const invited: Invited[] = []
    for (let index = 0; index < 10; index += 1) invited.push(await invite(first, admin))
    const begun = () =>
      first.app.database.db
        .selectFrom('job')
        .select('claim_id')
        .where('kind', '=', 'mail')
        .where('begun', '=', 1)
        .execute()
    const claims = await until(begun, ({ length }) => length === 4, {
      what: 'both to have as many under way as an organization alone may have',
    })
    assert.equal(new Set(claims.map(({ claim_id: id }) => id)).size, 2)
    latch.resolve()
    for (const one of invited) await delivery(first, admin, one, ({ status }) => status === 'sent')
    for (const one of invited) assert.equal(arrived(first, one).length, 1)
  } finally {
    latch.resolve()
    await second.stop()
    await first.stop()
  }
})
