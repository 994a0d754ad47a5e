import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { DAY, MINUTE, SECOND, toIso } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import {
  administrator,
  apiKey,
  invitedByCommand,
  member,
  newEmail,
  type Person,
  signUpBody,
} from '../support/people.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { callsOf, until } from '../support/webhook-calls.ts'

/** Invites somebody, and waits until the mail has fared in one way or another. */
async function invited(postern: Postern, { token }: Person, email: string) {
  const calls = callsOf(postern, token)
  const { body } = await calls.post('/v1/invitations', { email })
  return until(
    async () => (await calls.get(`/v1/invitations/${body.id}`)).body,
    ({ delivery }) => delivery.attempts > 0,
  )
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

onBothEngines('what an organization has had sent', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('is listed with what the mail server said, when it took a mail and when it refused one', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const [good, bad, later] = [newEmail('good'), newEmail('bad'), newEmail('later')]
    postern.mailbox.behaviour.onRecipient = (address) =>
      address === bad
        ? refusal(550, 'no such user\u202e here')
        : address === later
          ? refusal(451, 'come back')
          : undefined
    const [taken, refused, waiting] = [
      await invited(postern, admin, good),
      await invited(postern, admin, bad),
      await invited(postern, admin, later),
    ]
    assert.deepEqual([taken.delivery.status, taken.delivery.lastError], ['sent', null])
    assert.match(taken.delivery.answer, /^250 /)
    assert.deepEqual(
      [refused.delivery.status, refused.delivery.answer],
      ['failed', '550 no such user here'],
      'on one line, with nothing that turns what follows',
    )
    assert.deepEqual([waiting.delivery.status, waiting.delivery.answer], ['queued', '451 come back'])
    const { body } = await callsOf(postern, admin.token).get('/v1/mails')
    assert.deepEqual(
      body.data
        .slice(0, 3)
        .map(({ to, status, answer, invitationId }: Record<string, string>) => [
          to,
          status,
          answer,
          invitationId,
        ]),
      [waiting, refused, taken].map(({ email, delivery, id }) => [
        email,
        delivery.status,
        delivery.answer,
        id,
      ]),
    )
    const shown = JSON.parse((await command(postern, 'mail', '--email', good, '--json')).out)
    assert.equal(shown[0].answer, taken.delivery.answer)
    const { data: problems } = (await callsOf(postern, admin.token).get('/v1/problems')).body
    assert.deepEqual(
      problems.map(({ kind, state, failed, waiting, exampleId }: Record<string, { count: number }>) => [
        ...[kind, state, failed?.count, waiting?.count],
        String(exampleId).slice(0, 4),
      ]),
      [['mail', 'failing', 1, 1, 'mal_']],
    )
    const colleague = await member(postern, admin)
    assert.deepEqual((await callsOf(postern, colleague.token).get('/v1/problems')).body.data, [])
    assert.equal((await callsOf(postern, admin.token).delete(`/v1/invitations/${refused.id}`)).status, 204)
    const [left] = (await callsOf(postern, admin.token).get('/v1/problems')).body.data
    assert.deepEqual([left.failed, left.waiting.count], [null, 1], 'one that is revoked is no problem')
    delete postern.mailbox.behaviour.onRecipient
  })

  it('is tried once more after its day, where no process could try it before, while its link works', async () => {
    const postern = await server()
    const { clock, app } = postern
    const { database } = app
    const admin = await administrator(postern)
    const [late, account] = [newEmail('late'), admin.email]
    const refused = new Set([late, account])
    postern.mailbox.behaviour.onRecipient = (address) =>
      refused.has(address) ? refusal(451, 'come back') : undefined
    const tried = (address: string, subject: RegExp, count: number) =>
      until(
        async () => {
          const mails = JSON.parse((await command(postern, 'mail', '--email', address, '--json')).out)
          return mails.filter((mail: { subject: string }) => subject.test(mail.subject))
        },
        ([mail]) => mail?.attempts >= count || mail?.status === 'failed',
      )
    const { id } = await invited(postern, admin, late)
    await postern.client().post('/v1/auth/magic-link', { email: account })
    const [first] = await tried(account, /sign-in/, 1)
    assert.equal(first.status, 'queued', JSON.stringify(first))
    // The rows as they are when the process ends here, and the next one starts a day later.
    await database.tx(async (tx) => {
      await tx
        .updateTable('job')
        .set({ horizon_at: clock.now() - 1 })
        .where('kind', '=', 'mail')
        .where('status', '=', 'pending')
        .execute()
      // The moment of a clock that was ahead counts as now, as it does for the job.
      await tx
        .updateTable('mail')
        .set({ next_attempt_at: clock.now() + 400 * DAY })
        .where('recipient', '=', late)
        .execute()
    })
    const [problem] = (await callsOf(postern, admin.token).get('/v1/problems')).body.data
    assert.ok(problem.nextAt <= toIso(clock.now()), problem.nextAt)
    refused.clear()
    clock.advance(5 * SECOND)
    await tried(late, /invited/, 2)
    assert.deepEqual(
      (await callsOf(postern, admin.token).get(`/v1/invitations/${id}`)).body.delivery.status,
      'sent',
    )
    const [over] = await tried(account, /sign-in/, 2)
    assert.deepEqual([over.status, over.attempts], ['failed', 1], 'a link of ten minutes')
    delete postern.mailbox.behaviour.onRecipient
  })

  it('is not sent any more once its invitation or setup link was revoked or sent again', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const calls = callsOf(postern, admin.token)
    const [revoked, again, setup] = [newEmail('revoked'), newEmail('again'), newEmail('setup')]
    postern.mailbox.behaviour.onRecipient = () => refusal(451, 'come back')
    const [first, second] = [await invited(postern, admin, revoked), await invited(postern, admin, again)]
    const link = await calls.post('/v1/setup-links', { name: 'IT', purposes: ['domains'], email: setup })
    assert.equal(link.status, 201, link.text)
    const mails = async () => (await calls.get('/v1/mails')).body.data as { to: string; attempts: number }[]
    await until(mails, (all) => all.filter(({ attempts }) => attempts > 0).length === 3)
    assert.equal((await calls.delete(`/v1/invitations/${first.id}`)).status, 204)
    assert.equal((await calls.delete(`/v1/setup-links/${link.body.id}`)).status, 204)
    assert.equal((await calls.post(`/v1/invitations/${second.id}/resend`)).status, 200)
    delete postern.mailbox.behaviour.onRecipient
    postern.clock.advance(MINUTE)
    const left = await until(mails, (all) => all.length === 1)
    assert.equal(left[0]?.to, again)
    const { token } = await postern.mailbox.next(again)
    const body = signUpBody(again, { invitationToken: token })
    const joined = await postern.client().post('/v1/auth/sign-up/email', body)
    assert.ok(joined.status < 300, joined.text)
    const sent = postern.mailbox.mails.flatMap(({ recipients }) => recipients)
    assert.deepEqual(
      sent.filter((address) => [revoked, again, setup].includes(address)),
      [again],
    )
  })

  test('is not what it says, nor what people have asked for themselves', async () => {
    const postern = await server()
    const admin = await invitedByCommand(postern)
    await invited(postern, admin, newEmail('invited'))
    await postern.client().post('/v1/auth/magic-link', { email: admin.email })
    await postern.mailbox.next(admin.email)
    const answer = await callsOf(postern, admin.token).get('/v1/mails')
    assert.equal(answer.body.data.length, 2, 'of the administrator and of the one invited')
    assert.deepEqual(Object.keys(answer.body.data[0]).toSorted(), [
      'answer',
      'attempts',
      'createdAt',
      'id',
      'invitationId',
      'lastAttemptAt',
      'lastError',
      'status',
      'subject',
      'to',
    ])
    assert.doesNotMatch(answer.text, /token=|https?:/)
  })

  it('is narrowed by status, address and time, and given as a table', async () => {
    const postern = await server()
    const admin = await invitedByCommand(postern)
    const calls = callsOf(postern, admin.token)
    const [first, second] = [newEmail('first'), newEmail('second')]
    const whole = toIso(postern.clock.now())
    postern.clock.advance(MINUTE)
    await invited(postern, admin, first)
    postern.clock.advance(MINUTE)
    const since = toIso(postern.clock.now())
    await invited(postern, admin, second)
    const to = async (query: string) =>
      (await calls.get(`/v1/mails?${query}`)).body.data.map((mail: { to: string }) => mail.to)
    assert.deepEqual(await to(`since=${since}`), [second])
    assert.deepEqual(await to(`since=${whole}&until=${since}`), [first])
    assert.deepEqual(await to(`to=${first.toUpperCase()}`), [first])
    assert.deepEqual(await to('status=failed'), [])
    assert.deepEqual(await to('status=sent&limit=1'), [second])
    for (const query of ['status=bounced', 'to=nobody', 'since=now'])
      assert.equal((await calls.get(`/v1/mails?${query}`)).status, 400, query)
    const table = await postern
      .client()
      .get('/v1/mails', { token: admin.token, headers: { accept: 'text/csv' } })
    const rows = parse(table.text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.map((row) => row.to),
      [second, first, admin.email],
    )
  })

  test("is for its administrators, and none of another's", async () => {
    const postern = await server()
    const [admin, other] = [await invitedByCommand(postern), await invitedByCommand(postern)]
    await invited(postern, admin, newEmail('invited'))
    const theirs = (await callsOf(postern, other.token).get('/v1/mails')).body.data
    assert.deepEqual(
      theirs.map(({ to }: { to: string }) => to),
      [other.email],
    )
    const key = await apiKey(postern, admin, 'member')
    assertError(await callsOf(postern, key).get('/v1/mails'), 'FORBIDDEN')
  })

  test('tells nothing of a mail server that was not reached but that it was not', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    postern.mailbox.behaviour.dropAfterData = 'lost'
    const { delivery } = await invited(postern, admin, newEmail('lost'))
    delete postern.mailbox.behaviour.dropAfterData
    assert.deepEqual([delivery.status, delivery.answer], ['queued', null])
    assert.match(delivery.lastError, /could not be sent yet/)
  })
})
