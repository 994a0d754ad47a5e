import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { findEntries } from '#src/audit/audit-log.ts'
import { MINUTE, toIso } from '#src/core/clock.ts'
import { readPage, readSpan } from '#src/http/schema/list.ts'
import { assertError, signIn } from '../support/attacks.ts'
import { administrator, newEmail } from '../support/people.ts'
import { OPERATOR_TOKEN, onBothEngines, usePostern } from '../support/postern.ts'
import { callsOf, readAll } from '../support/webhook-calls.ts'

interface Entry {
  id: string
  action: string
  organizationId: string | null
}

const PATH = '/v1/operator/audit-log'

onBothEngines('the audit log of the installation', (engine) => {
  const server = usePostern(engine)
  const operator = async () => callsOf(await server(), OPERATOR_TOKEN)

  it('has the entries of every organization and of none, newest first, as each organization reads its own', async () => {
    const postern = await server()
    const [ada, bob] = [await administrator(postern), await administrator(postern)]
    const stranger = newEmail('stranger')
    assert.equal((await signIn(postern.client(), stranger, 'a guessed password')).status, 401)
    const calls = await operator()
    const all: Entry[] = await readAll(calls, PATH, 7)
    const ids = all.map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted().toReversed())
    for (const { token, organizationId } of [ada, bob]) {
      const own = await readAll(callsOf(postern, token), '/v1/audit-log')
      assert.ok(own.length > 2)
      assert.deepEqual(
        all.filter((entry) => entry.organizationId === organizationId),
        own,
      )
      assert.deepEqual(await readAll(calls, `${PATH}?organizationId=${organizationId}`), own)
    }
    const ofNone: Entry[] = await readAll(calls, `${PATH}?withoutOrganization=true`)
    assert.ok(ofNone.some(({ action }) => action === 'sign_in.failed'))
    assert.deepEqual(
      ofNone,
      all.filter(({ organizationId }) => organizationId === null),
    )
    assertError(
      await calls.get(`${PATH}?withoutOrganization=true&organizationId=${ada.organizationId}`),
      'VALIDATION_FAILED',
      { field: 'withoutOrganization', value: true, reason: 'not_beside_organization' },
    )
    for (const token of [ada.token, undefined])
      assertError(await postern.client().get(PATH, token === undefined ? {} : { token }), 'UNAUTHORIZED')
  })

  it('is narrowed by action, by who did it, to what, and when, over all organizations', async () => {
    const postern = await server()
    const calls = await operator()
    postern.clock.advance(MINUTE)
    const since = toIso(postern.clock.now())
    const found = async () => {
      const made = await calls.post('/v1/operator/organizations', { name: `Founded ${newEmail()}` })
      assert.equal(made.status, 201, made.text)
      return made.body.id as string
    }
    const [one, two] = [await found(), await found()]
    postern.clock.advance(MINUTE)
    const until = toIso(postern.clock.now())
    await found()
    const { accountId, organizationId } = await administrator(postern)
    const organizationsOf = async (query: string) =>
      (await readAll(calls, `${PATH}?${query}`, 1)).map((entry: Entry) => entry.organizationId)
    const span = `since=${since}&until=${until}`
    assert.deepEqual(await organizationsOf(`action=organization.created&${span}`), [two, one])
    assert.deepEqual(await organizationsOf(`action=organization.created&target=${one}`), [one])
    assert.deepEqual(new Set(await organizationsOf(`actor=${accountId}`)), new Set([organizationId]))
    assert.deepEqual(await organizationsOf('action=no.such_action'), [])
    assertError(await calls.get(`${PATH}?action=A%27`), 'VALIDATION_FAILED')
  })

  it('is exported as one table', async () => {
    const postern = await server()
    const calls = await operator()
    const all: Entry[] = await readAll(calls, PATH)
    const table = await calls.get(PATH, { accept: 'text/csv' })
    assert.equal(table.status, 200)
    assert.match(table.headers.get('content-disposition') ?? '', /filename="audit-log-of-all\.csv"/)
    const rows = parse(table.text, { columns: true }) as Record<string, string>[]
    assert.deepEqual(
      rows.map(({ id, organizationId }) => [id, organizationId]),
      all.map(({ id, organizationId }) => [id, organizationId ?? '']),
    )
    // Four at once take turns: two are sent, the others are asked to come again.
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => calls.get(PATH, { accept: 'text/csv' })))
    for (const { status } of atOnce) assert.ok(status === 200 || status === 429, String(status))
    assert.equal((await postern.client().get('/livez')).status, 200)
  })

  it('reads a page along an index, however many entries there are', async () => {
    const { database } = (await server()).app
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
    const { take } = readPage('audit', {})
    for (const owner of ['all', null] as const) {
      const query = findEntries(database.db, owner, {}, readSpan('audit', {}), take).compile()
      const explain = engine === 'sqlite' ? 'explain query plan' : 'explain'
      const { rows } = await database.db.executeQuery({ ...query, sql: `${explain} ${query.sql}` })
      assert.doesNotMatch(JSON.stringify(rows), /Seq Scan|SCAN audit(?! USING)|TEMP B-TREE/)
    }
  })
})
