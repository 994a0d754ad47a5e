import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { stopwatch } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { assertError, atOnce, MANY, signIn, tally } from '../support/attacks.ts'
import { Client } from '../support/browser.ts'
import { accountOf, inviteByMail, membershipsOf, sessionsOf } from '../support/invitees.ts'
import { administrator, member, newEmail, PASSWORD, signUpBody, tokenOf } from '../support/people.ts'
import {
  type EngineName,
  onBothEngines,
  type Postern,
  postern,
  startPostern,
  usePostern,
} from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { PATIENCE, until } from '../support/waits.ts'

/** Makes the second membership of an account fail, or take long. @returns a function that ends this */
async function breakSecondMembership(postern: Postern, engine: EngineName, how: 'fail' | 'linger') {
  const statements =
    engine === 'sqlite'
      ? [
          `create trigger second_membership before insert on membership
           when (select count(*) from membership where account_id = new.account_id) > 0
           begin select ${
             how === 'fail'
               ? `raise(abort, 'the disk is on fire')`
               : `(with recursive step (n) as (select 1 union all select n + 1 from step) select max(n) from step)`
           }; end`,
        ]
      : [
          `create function second_membership() returns trigger as $$ begin
             if exists (select 1 from membership where account_id = new.account_id) then
               ${how === 'fail' ? `raise exception 'the disk is on fire'` : 'perform pg_sleep(2)'};
             end if;
             return new;
           end $$ language plpgsql`,
          `create trigger second_membership before insert on membership
           for each row execute function second_membership()`,
        ]
  const mend =
    engine === 'sqlite'
      ? ['drop trigger second_membership']
      : ['drop trigger second_membership on membership', 'drop function second_membership']
  const run = ({ app }: Postern, lines: string[]) =>
    app.database.tx(async (tx) => {
      for (const line of lines) await sql.raw(line).execute(tx)
    })
  await run(postern, statements)
  return (where = postern) => run(where, mend)
}

/** Three organizations that invite one address; the link of one of their mails. */
async function invitedThrice(postern: Postern) {
  const email = newEmail('wanted')
  const admins = [await administrator(postern), await administrator(postern), await administrator(postern)]
  const invitations = []
  for (const admin of admins) invitations.push(await inviteByMail(postern, admin, email))
  return { email, admins, token: invitations[0]?.token ?? '' }
}

async function nothingHappened(postern: Postern, email: string): Promise<void> {
  assert.deepEqual(await membershipsOf(postern, email), [])
  assert.equal(await sessionsOf(postern, email), 0)
  const account = await accountOf(postern, email)
  assert.deepEqual(
    [account?.status, account?.password_hash, account?.terms_accepted_at],
    ['inactive', null, null],
  )
  const { db } = postern.app.database
  const invitations = await db.selectFrom('invitation').select('status').where('email', '=', email).execute()
  assert.deepEqual(
    invitations.map(({ status }) => status),
    ['pending', 'pending', 'pending'],
  )
}

onBothEngines('races and crashes', (engine) => {
  const server = usePostern(engine)

  it('80: of many sign-ups with one address in different case one makes the account', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { email, token } = await inviteByMail(postern, admin)
    const written = [email, email.toUpperCase(), `${email[0]?.toUpperCase()}${email.slice(1)}`, ` ${email} `]
    const answers = await atOnce(MANY, (index) =>
      postern
        .client()
        .post('/v1/auth/sign-up/email', signUpBody(written[index % 4] ?? '', { invitationToken: token })),
    )
    assert.deepEqual(tally(answers), { 201: 1, 403: MANY - 1 })
    for (const answer of answers.filter(({ status }) => status === 403)) {
      assertError(answer, 'FORBIDDEN', { reason: 'invitation_required' })
    }
    assert.deepEqual(await membershipsOf(postern, email), [admin.organizationId])
    assert.equal(await sessionsOf(postern, email), 1)
  })

  it('80: many organizations that invite one address at once share one account', async () => {
    const postern = await server()
    const admins = [await administrator(postern), await administrator(postern), await administrator(postern)]
    const email = newEmail('wanted')
    const answers = await atOnce(30, (index) =>
      postern
        .client()
        .post('/v1/invitations', { email, sendEmail: false }, { token: admins[index % 3]?.token ?? '' }),
    )
    assert.deepEqual(tally(answers), { 201: 3, 409: 27 })
    const { db } = postern.app.database
    const accounts = await db.selectFrom('account').select('id').where('email', '=', email).execute()
    assert.equal(accounts.length, 1)
  })

  it('81: a person who is removed and invited again has the new role and nothing from before', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const person = await member(postern, admin, 'administrator')
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    const theirs = await inviteByMail(postern, person)
    assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
    assert.deepEqual(await membershipsOf(postern, person.email), [])
    // Invitations that they sent depended on the lost right.
    const orphan = await postern
      .client()
      .post('/v1/auth/sign-up/email', signUpBody(theirs.email, { invitationToken: theirs.token }))
    assertError(orphan, 'FORBIDDEN', { reason: 'invitation_required' })
    // A sign-in does not accept an invitation a second time.
    await signIn(person.client, person.email, PASSWORD)
    assert.deepEqual(await membershipsOf(postern, person.email), [])
    await inviteByMail(postern, admin, person.email)
    assert.deepEqual(await membershipsOf(postern, person.email), [])
    const back = await signIn(person.client, person.email, PASSWORD)
    const [organization] = back.body.user.organizations
    assert.deepEqual([organization.id, organization.role], [admin.organizationId, 'member'])
    const token = await tokenOf(person.client, admin.organizationId)
    assertError(await postern.client().get('/v1/audit-log', { token }), 'FORBIDDEN')
  })

  it('81: a person who is deleted and invited again has a new account', async () => {
    const running = await server()
    const admin = await administrator(running)
    const other = await administrator(running)
    const person = await member(running, admin)
    await inviteByMail(running, other, person.email)
    await signIn(person.client, person.email, PASSWORD)
    assert.equal((await membershipsOf(running, person.email)).length, 2)
    const { code, err } = await postern(running, 'account', '--email', person.email, '--delete')
    assert.equal(code, 0, err)
    // The command line changes the database, and the server caches for five seconds.
    running.clock.advance(LIFETIME.credentialCache)
    assertError(await running.client().get('/v1/organizations', { token: person.token }), 'UNAUTHORIZED')
    assertError(await person.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await signIn(running.client(), person.email, PASSWORD), 'UNAUTHORIZED')
    const { token } = await inviteByMail(running, admin, person.email)
    const body = signUpBody(person.email, { invitationToken: token })
    const back = await running.client().post('/v1/auth/sign-up/email', body)
    assert.equal(back.status, 201, back.text)
    assert.notEqual(back.body.user.id, person.accountId)
    assert.deepEqual(await membershipsOf(running, person.email), [admin.organizationId])
    assertError(await running.client().get('/v1/organizations', { token: person.token }), 'UNAUTHORIZED')
  })

  it('82: a sign-up that fails in the middle of its memberships leaves nothing, and can be repeated', async () => {
    const postern = await server()
    const { email, admins, token } = await invitedThrice(postern)
    const body = signUpBody(email, { invitationToken: token })
    const mend = await breakSecondMembership(postern, engine, 'fail')
    // Others in the same commit do not fail with it.
    const [failed, fine] = await Promise.all([
      postern.client().post('/v1/auth/sign-up/email', body),
      signIn(postern.client(), admins[0]?.email ?? '', PASSWORD),
    ])
    assertError(failed, 'PROCESSING_FAILED')
    assert.doesNotMatch(failed.text, /fire|trigger|membership/)
    assert.deepEqual(failed.headers.getSetCookie(), [])
    assert.equal(fine.status, 200)
    await nothingHappened(postern, email)
    await mend()
    const retried = await postern.client().post('/v1/auth/sign-up/email', body)
    assert.equal(retried.status, 201, retried.text)
    assert.equal(retried.body.user.organizations.length, 3)
    assert.equal((await membershipsOf(postern, email)).length, 3)
  })

  it('82: kill -9 in the middle of a sign-up leaves nothing, and it can be repeated', async () => {
    const before = await startPostern(engine)
    const { email, token } = await invitedThrice(before)
    const mend = await breakSecondMembership(before, engine, 'linger')
    const { DATA_DIR = '', DATABASE_URL } = before.env
    const store = DATABASE_URL === undefined ? { DATA_DIR } : { DATA_DIR, DATABASE_URL }
    await before.stop()
    const body = signUpBody(email, { invitationToken: token })
    const victim = await startProcess(store)
    const answered = new Client(victim.url).post('/v1/auth/sign-up/email', body).then(
      () => true,
      () => false,
    )
    await inTheMiddle(store)
    await victim.kill()
    assert.equal(await answered, false)
    const after = await startPostern(engine, { env0: store })
    try {
      await nothingHappened(after, email)
      await mend(after)
      const retried = await after.client().post('/v1/auth/sign-up/email', body)
      assert.equal(retried.status, 201, retried.text)
      assert.equal((await membershipsOf(after, email)).length, 3)
    } finally {
      await after.stop()
    }
  })
})

/** Waits until another process is in the transaction that `breakSecondMembership` delays. */
async function inTheMiddle(store: { DATA_DIR: string; DATABASE_URL?: string }): Promise<void> {
  const elapsed = stopwatch()
  if (store.DATABASE_URL === undefined) {
    const database = new DatabaseSync(join(store.DATA_DIR, 'postern.db'), { timeout: 0 })
    // Other transactions end; this one holds its lock.
    for (let locked = 0; locked < 200; locked = isLocked(database) ? locked + 1 : 0) {
      assert.ok(elapsed() < PATIENCE, 'nobody stays in a transaction')
      await setImmediate()
    }
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: store.DATABASE_URL })
  await client.connect()
  const asleep = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  await until(
    () => client.query(asleep),
    ({ rowCount }) => rowCount !== 0,
    { what: 'a query that sleeps' },
  )
  await client.end()
}

function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec('begin immediate; rollback')
    return false
  } catch {
    return true
  }
}
