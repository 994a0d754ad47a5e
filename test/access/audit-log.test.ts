import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { findEntries } from '#src/audit/audit-log.ts'
import { DAY, HOUR, MINUTE, pause, toIso } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { readPage, readSpan } from '#src/http/schema/list.ts'
import { signIn } from '../support/attacks.ts'
import { administrator, apiKey, member, PASSWORD, type Person } from '../support/people.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { callsOf, readAll, until } from '../support/webhook-calls.ts'

interface Entry {
  action: string
  organizationId: string
  accountId: string
  createdAt: string
}

const read = (postern: Postern, token: string, action = ''): Promise<Entry[]> =>
  readAll(callsOf(postern, token), `/v1/audit-log${action === '' ? '' : `?action=${action}`}`)

/** Invites a member of another organization, who accepts by signing in. */
async function joins(postern: Postern, { email }: Person, inviter: Person): Promise<void> {
  const invited = await postern.client().post('/v1/invitations', { email }, { token: inviter.token })
  assert.equal(invited.status, 201, invited.text)
  assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
}

/** Long enough that the newest entry stays, however many sweeps the oldest take. */
const DAYS = 360

onBothEngines('the audit log', (engine) => {
  const server = usePostern(engine, { env: { AUDIT_DAYS: String(DAYS) } })

  it('shows of a member what happened while they were one: nothing of before, nothing of after', async () => {
    const postern = await server()
    const [here, there] = [await administrator(postern), await administrator(postern)]
    const person = await member(postern, there)
    const ofPerson = async (reader: Person) =>
      (await read(postern, reader.token)).filter(({ accountId }) => accountId === person.accountId)
    const before = await ofPerson(there)
    assert.ok(before.some(({ action }) => action === 'account.activated'))
    assert.ok(before.some(({ action }) => action === 'sign_in.succeeded'))

    await joins(postern, person, here)
    const joined = await ofPerson(here)
    assert.deepEqual(
      joined.map(({ action }) => action),
      ['sign_in.succeeded', 'invitation.accepted'],
    )
    assert.ok(joined.every(({ organizationId }) => organizationId === here.organizationId))
    assert.equal((await ofPerson(there)).length, before.length + 1, 'the same sign-in, for the first one too')

    const path = `/v1/organizations/${here.organizationId}/members/${person.accountId}`
    assert.equal((await postern.client().delete(path, { token: here.token })).status, 204)
    const left = await ofPerson(here)
    await signIn(postern.client(), person.email, 'wrong')
    await signIn(postern.client(), person.email, PASSWORD)
    assert.deepEqual(await ofPerson(here), left, 'what was seen stays, and nothing is added')
    assert.equal((await ofPerson(there)).length, before.length + 3)
  })

  it("is read along an index of the reader's organization, whatever the others have", async () => {
    const postern = await server()
    const { database } = postern.app
    const { organizationId } = await administrator(postern)
    const plan = async (action?: string): Promise<string> => {
      const { take } = readPage('audit', {})
      const asked = [{ action }, readSpan('audit', {}), take] as const
      const query = findEntries(database.db, organizationId as Id<'organization'>, ...asked).compile()
      const explain = engine === 'sqlite' ? 'explain query plan' : 'explain'
      const { rows } = await database.db.executeQuery({ ...query, sql: `${explain} ${query.sql}` })
      return JSON.stringify(rows)
    }
    // A table of a few rows PostgreSQL reads as a whole, whatever indexes there are.
    await database.tx(async (tx) => {
      const [numbers, id] =
        engine === 'sqlite'
          ? [
              sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000) select i from n) as n`,
              sql`printf('aud_%08d', i)`,
            ]
          : [sql`generate_series(1, 20000) as n (i)`, sql`'aud_' || lpad(i::text, 8, '0')`]
      await sql`insert into audit (id, organization_id, account_id, actor_id, action, target_id, details, ip, user_agent, request_id, created_at)
        select ${id}, null, null, null, 'sign_in.failed', null, '{}', '', '', '', 0 from ${numbers}`.execute(
        tx,
      )
    })
    for (const text of [await plan(), await plan('sign_in.failed')]) {
      assert.match(text, /audit_(action|organization)/)
      assert.doesNotMatch(text, /Seq Scan|SCAN audit|TEMP B-TREE/)
    }
  })

  it('is narrowed by who did it, to what, and when', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const key = await apiKey(postern, admin)
    const calls = callsOf(postern, admin.token)
    const [before] = await read(postern, admin.token)
    postern.clock.advance(MINUTE)
    const since = toIso(postern.clock.now())
    const { body: made } = await callsOf(postern, key).post('/v1/api-keys', {
      name: 'of a key',
      role: 'member',
    })
    postern.clock.advance(MINUTE)
    const end = toIso(postern.clock.now())
    assert.equal((await calls.delete(`/v1/api-keys/${made.id}`)).status, 204)
    const actionsOf = async (query: string) =>
      (await readAll(calls, `/v1/audit-log?${query}`)).map(({ action }: Entry) => action)
    assert.deepEqual(await actionsOf(`target=${made.id}`), ['api_key.deleted', 'api_key.created'])
    assert.deepEqual(await actionsOf(`target=${made.id}&actor=${admin.accountId}`), ['api_key.deleted'])
    assert.deepEqual(await actionsOf(`target=${made.id}&action=api_key.created`), ['api_key.created'])
    assert.deepEqual(await actionsOf(`since=${since}&until=${end}`), [
      'api_key.created',
      'service_account.created',
    ])
    assert.deepEqual(await actionsOf(`since=${end}`), ['api_key.deleted'])
    assert.ok((await actionsOf(`until=${since}`)).includes(String(before?.action)))
    assert.deepEqual(await actionsOf('actor=nobody'), [])
    for (const query of [
      'since=yesterday',
      'until=2026-02-30T00:00:00Z',
      `actor=${'x'.repeat(129)}`,
      'target=',
    ])
      assert.equal((await calls.get(`/v1/audit-log?${query}`)).body.error.code, 'VALIDATION_FAILED', query)
  })

  it('keeps its entries for AUDIT_DAYS, and no longer', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const key = await apiKey(postern, admin)
    const old = await read(postern, key)
    assert.ok(old.length >= 3)
    postern.clock.advance(DAYS * DAY - HOUR)
    assert.equal((await read(postern, key)).length, old.length)
    await apiKey(postern, { ...admin, token: key })
    postern.clock.advance(HOUR)
    // A sweep that began before the clock was moved removes none of these, and the next one comes an hour
    // later, so each question moves the clock by two hours. On a busy machine a sweep rests between its
    // steps, hence the pause.
    const left = await until(
      async () => {
        await advanceAtRest(postern, 2 * HOUR)
        await pause(200)
        return read(postern, key)
      },
      (entries) => entries.length <= 2,
      { what: 'the entries of the first day to be gone', patience: 5 * MINUTE },
    )
    assert.deepEqual(
      left.map(({ action }) => action),
      ['api_key.created', 'service_account.created'],
    )
  })
})
