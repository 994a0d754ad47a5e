import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND, toIso } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { hashToken } from '#src/core/secret.ts'
import { assertError } from '../support/attacks.ts'
import { assertDoctorNames } from '../support/doctor.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { actingFor, platformKey } from '../support/platform.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { type Directory, directoryOf, directoryWith, PATCH } from '../support/scim.ts'
import { until } from '../support/waits.ts'

interface Exchange {
  id: string
  method: string
  path: string
  status: number
  code: string | null
  scimType: string | null
  detail: string | null
  resourceId: string | null
  externalId: string | null
  durationMs: number
  createdAt: string
}

const LIST = '/v1/scim/exchanges'
/** A marker in every value that a directory sends. The record must not contain it. */
const VALUE = 'hushed'

onBothEngines('the record of a directory', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  async function fresh() {
    const postern = await server()
    const admin = await administrator(postern)
    return { postern, admin, directory: await directoryOf(postern, admin) }
  }

  /** The record, newest first, once it has so many requests: each is written after its answer. */
  function recordOf(postern: Postern, { token }: Person, count: number): Promise<Exchange[]> {
    return until(
      async () => {
        const { status, body, text } = await postern.client().get(`${LIST}?limit=100`, { token })
        assert.equal(status, 200, text)
        return body.data as Exchange[]
      },
      ({ length }) => length >= count,
      { what: `${count} requests to be recorded` },
    )
  }
  /** The rows of an organization, as the database has them. */
  const rowsOf = ({ app }: Postern, { organizationId }: Person) =>
    app.database.db
      .selectFrom('scim_exchange')
      .selectAll()
      .where('organization_id', '=', organizationId as never)
      .orderBy('id')
      .execute()

  it('has every kind of request with its answer, and no value that the directory sent', async () => {
    const { postern, admin, directory } = await fresh()
    const { get, post, patch, put, remove, key } = directory
    const email = newEmail(VALUE)
    const expected: string[] = []
    /** @param row the expected entry of the record; `{status}` stands for the status of the answer */
    async function ask(call: ReturnType<Directory['get']>, row: string) {
      const answer = await call
      expected.push(`${row}`.replace('{status}', String(answer.status)))
      return answer
    }
    const user = { userName: email, externalId: `${VALUE}-1`, active: false }
    const { body: made } = await ask(post('/Users', user), 'POST /Users 201 user')
    const filter = encodeURIComponent(`userName eq "${email}"`)
    await ask(
      get(`/Users?count=7&filter=${filter}&secret=${VALUE}`),
      'GET /Users?filter=userName eq …&count=… 200',
    )
    const two = encodeURIComponent(`emails[type eq "work" and value eq "${email}"] and ${VALUE} eq "x"`)
    await ask(
      get(`/Users?filter=${two}`),
      'GET /Users?filter=emails.type eq … and emails.value eq … and … eq … 400 VALIDATION_FAILED invalidFilter',
    )
    await ask(get(`/Users?filter=${VALUE}+sw+"x"`), 'GET /Users?filter=… 400 VALIDATION_FAILED invalidFilter')
    await ask(get(`/Users/${made.id}?attributes=${VALUE}`), 'GET /Users/{id}?attributes=… 200 user')
    await ask(
      patch(`/Users/${made.id}`, [{ op: 'replace', path: 'displayName', value: VALUE }]),
      'PATCH /Users/{id} 200 user',
    )
    await ask(
      patch(`/Users/${made.id}`, [{ op: 'replace', path: VALUE, value: VALUE }]),
      'PATCH /Users/{id} 400 VALIDATION_FAILED invalidPath user',
    )
    await ask(put(`/Users/${made.id}`, user), 'PUT /Users/{id} 200 user')
    await ask(post('/Users', user), 'POST /Users 409 DUPLICATE uniqueness')
    await ask(post('/Users', `{"userName": "${VALUE}`), 'POST /Users 400 VALIDATION_FAILED invalidSyntax')
    await ask(post('/Users', { displayName: VALUE }), 'POST /Users 400 MISSING_REQUIRED_FIELD invalidValue')
    const { body: group } = await ask(
      post('/Groups', { displayName: VALUE, externalId: `${VALUE}-2` }),
      'POST /Groups 201 group',
    )
    await ask(
      patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: [{ value: made.id }] }]),
      'PATCH /Groups/{id} 204 group',
    )
    await ask(get(`/Users/${VALUE}`), 'GET /Users/… 404 ENTITY_NOT_FOUND')
    await ask(get(`/${VALUE}/Users/${made.id}`), 'GET /…/Users/{id} 404 ENTITY_NOT_FOUND user')
    await ask(get('/Me'), 'GET /Me 501 ENTITY_NOT_FOUND')
    await ask(post('/Bulk', { Operations: [] }), 'POST /Bulk 501 ENTITY_NOT_FOUND')
    await ask(post(`/Users/${made.id}`, {}), 'POST /Users/{id} 405 ENTITY_NOT_FOUND user')
    await ask(get('/ServiceProviderConfig'), 'GET /ServiceProviderConfig 200')
    await ask(remove(`/Users/${made.id}`), 'DELETE /Users/{id} 204 user')
    const ids = { user: made.id, group: group.id }
    const record = await recordOf(postern, admin, expected.length)
    const shown = record.toReversed().map(({ method, path, status, code, scimType, resourceId }) => {
      const resource = Object.entries(ids).find(([, id]) => id === resourceId)?.[0] ?? resourceId
      const parts = [method, path.replace('/scim/v2', ''), status, code, scimType, resource]
      return parts.filter((part) => part !== null).join(' ')
    })
    assert.deepEqual(shown, expected)
    for (const one of record) {
      assert.match(one.id, /^sce_/)
      assert.ok(one.durationMs >= 0 && one.createdAt <= toIso(postern.clock.now()), JSON.stringify(one))
      assert.equal(one.detail === null, one.status < 400, JSON.stringify(one))
      // The external id is the group's present one; the deleted user has none.
      assert.equal(one.externalId, one.resourceId === group.id ? `${VALUE}-2` : null)
    }
    assert.match(record.find(({ status }) => status === 409)?.detail ?? '', /userName/)
    const rows = await rowsOf(postern, admin)
    assert.equal(rows.length, expected.length)
    const text = JSON.stringify(rows)
    for (const secret of [VALUE, key, hashToken(key), admin.email, PATCH])
      assert.ok(!text.includes(secret), secret)
  })

  it('is listed in pages, on demand only what failed, and is of its organization alone', async () => {
    const { postern, admin, directory } = await fresh()
    for (let left = 3; left > 0; left -= 1) {
      await directory.get('/Users')
      await directory.get('/Me')
    }
    const record = await recordOf(postern, admin, 6)
    const list = async (query: string, { token }: Person = admin) =>
      (await postern.client().get(`${LIST}?${query}`, { token })).body
    const first = await list('limit=4')
    const second = await list(`limit=4&cursor=${first.nextCursor}`)
    assert.deepEqual([...first.data, ...second.data], record)
    assert.equal(second.nextCursor, null)
    const failed = await list('limit=2&onlyFailed=true')
    const more = await list(`limit=2&onlyFailed=true&cursor=${failed.nextCursor}`)
    assert.deepEqual(
      [...failed.data, ...more.data],
      record.filter(({ status }) => status === 501),
    )
    const from = record.at(-1)?.createdAt
    assert.deepEqual((await list(`since=${from}&limit=100`)).data, record)
    assert.deepEqual((await list(`until=${from}`)).data, [])
    const other = await administrator(postern)
    assert.deepEqual(await list('', other), { data: [], nextCursor: null })
    assert.deepEqual((await list(`cursor=${first.nextCursor}`, other)).data, [])
    const { token } = await member(postern, admin)
    assertError(await postern.client().get(LIST, { token }), 'FORBIDDEN', {
      reason: 'administrator_required',
    })
    const { key } = directory
    assertError(await postern.client().get(LIST, { token: key }), 'FORBIDDEN', { reason: 'scope_required' })
  })

  it('has requests that were refused because of their credential where it is known whose it is, and no other', async () => {
    const { postern, admin, directory } = await fresh()
    const client = postern.client()
    // A person, and a key of another scope.
    await directoryWith(postern, admin.token).get('/Users')
    await directoryWith(postern, await apiKey(postern, admin, 'administrator', ['audit:read'])).get('/Users')
    const wanted = { name: 'Elsewhere', scopes: ['scim:write'], allowedAddresses: ['192.0.2.1'] }
    const elsewhere = await client.post('/v1/api-keys', wanted, { token: admin.token })
    assert.equal(elsewhere.status, 201, elsewhere.text)
    await directoryWith(postern, elsewhere.body.key).get('/Users')
    // The key of a platform, for the organization that it names.
    const platform = actingFor(postern, await platformKey(postern), admin.organizationId)
    assert.equal((await platform.get('/scim/v2/Users')).status, 200)
    // Keys that are unknown or deleted are of no organization.
    const { data } = (await client.get('/v1/api-keys', { token: admin.token })).body
    const own = data.find(({ hint }: { hint: string }) => directory.key.endsWith(hint))
    assert.equal((await client.delete(`/v1/api-keys/${own.id}`, { token: admin.token })).status, 204)
    for (const token of ['garbage', directory.key]) await directoryWith(postern, token).get('/Users')
    await client.get('/scim/v2/Users')
    await client.get('/scim/v2/Me')
    const last = await directoryOf(postern, admin)
    await last.get('/Groups')
    const record = await recordOf(postern, admin, 5)
    assert.deepEqual(
      record.toReversed().map(({ path, status, code }) => [path, status, code]),
      [
        ...[0, 1, 2].map(() => ['/scim/v2/Users', 403, 'FORBIDDEN']),
        ['/scim/v2/Users', 200, null],
        ['/scim/v2/Groups', 200, null],
      ],
    )
    assert.match(record[4]?.detail ?? '', /key_required/)
    assert.match(record[2]?.detail ?? '', /address_not_allowed/)
  })

  test('has requests with a key that has expired', async () => {
    const { postern, admin, directory } = await fresh()
    const body = { name: 'Short', scopes: ['scim:write'], role: 'administrator', expiresInDays: 1 }
    const { key, id } = (await postern.client().post('/v1/api-keys', body, { token: admin.token })).body
    // A clock that was moved would end the token of the administrator, too.
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('api_key')
        .set({ expires_at: postern.clock.now() - MINUTE })
        .where('id', '=', id)
        .execute(),
    )
    assert.equal((await directoryWith(postern, key).get('/Users')).status, 401)
    await directory.get('/Users')
    const record = await recordOf(postern, admin, 2)
    assert.deepEqual(
      record.map(({ status, code }) => [status, code]),
      [
        [200, null],
        [401, 'UNAUTHORIZED'],
      ],
    )
  })

  it('has requests with a replaced secret after its overlap, one an hour, and the directory is a problem until it uses the present one', async () => {
    const { postern, admin, directory } = await fresh()
    const other = await fresh()
    const client = postern.client()
    const { tx } = postern.app.database
    const { data } = (await client.get('/v1/api-keys?onlyScope=scim:write', { token: admin.token })).body
    const id = data[0].id
    const rotate = async (overlapHours: number) => {
      const made = await client.post(`/v1/api-keys/${id}/rotate`, { overlapHours }, { token: admin.token })
      assert.equal(made.status, 200, made.text)
      return directoryWith(postern, made.body.key)
    }
    const problems = async ({ token }: Person = admin) =>
      (await client.get('/v1/problems', { token })).body.data.filter(
        ({ kind }: { kind: string }) => kind === 'api_key',
      )
    /** Moves times of the key into the past, because a clock that was moved would end the token of the administrator. */
    const since = (column: 'ended_at' | 'refused_at', time: number) =>
      tx((inner) =>
        inner
          .updateTable('retired_secret')
          .set({ [column]: time })
          .where('api_key_id', '=', id)
          .execute(),
      )
    const present = await rotate(1)
    assert.equal((await directory.get('/Users')).status, 200)
    await recordOf(postern, admin, 1)
    assert.deepEqual(await problems(), [])
    await since('ended_at', postern.clock.now() - MINUTE)
    // Housekeeping removes the secret.
    await tx((inner) => inner.deleteFrom('api_key_secret').where('api_key_id', '=', id).execute())
    postern.clock.advance(10 * SECOND)
    const refusals = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => directory.get('/Users')))
      for (const { status } of answers) assert.equal(status, 401)
    }
    await refusals(20)
    await refusals(1)
    await present.get('/Groups')
    const replaced = ({ status }: Exchange) => status === 401
    const record = await recordOf(postern, admin, 3)
    assert.deepEqual(
      record.filter(replaced).map(({ path, code, detail }) => [path, code, detail]),
      [['/scim/v2/Users', 'UNAUTHORIZED', 'This secret was replaced, and its overlap has ended.']],
    )
    const [problem] = await problems()
    assert.deepEqual(
      [problem.id, problem.state, problem.subjectId, problem.reason],
      [`api_key:${id}:former_secret`, 'failing', id, 'former_secret'],
    )
    assert.equal(
      problem.message,
      'The directory still uses a replaced secret of this key, and is refused. Enter the present secret in the directory.',
    )
    await assertDoctorNames(postern, 'api_key', {
      one: 'API key that expires, has expired or is used by a replaced secret',
      several: 'API keys that expire, have expired or are used by replaced secrets',
    })
    // An hour later the next one is recorded. The directory uses the present secret after it.
    await since('refused_at', postern.clock.now() - HOUR)
    await refusals(3)
    await until(
      async () => (await recordOf(postern, admin, 4)).filter(replaced).length,
      (count) => count === 2,
      { what: 'the request of the next hour to be recorded' },
    )
    await since('refused_at', postern.clock.now() - 2 * HOUR)
    assert.deepEqual(await problems(), [])
    // Secrets that are unknown, that may have leaked, or that are too old are of no organization.
    await rotate(0)
    await refusals(1)
    assert.equal((await present.get('/Users')).status, 401)
    const unknown = `${directory.key.slice(0, -8)}AAAAAAAA`
    assert.equal((await directoryWith(postern, unknown).get('/Users')).status, 401)
    await other.directory.get('/Users')
    await recordOf(postern, other.admin, 1)
    assert.deepEqual((await recordOf(postern, admin, 4)).filter(replaced).length, 2)
    assert.equal((await rowsOf(postern, other.admin)).length, 1)
    assert.deepEqual(await problems(other.admin), [])
  })

  test('is bounded whatever path and query a client sends', async () => {
    const { postern, admin, directory } = await fresh()
    const comparison = 'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName eq "x"'
    const filter = encodeURIComponent(Array.from({ length: 10 }, () => comparison).join(' and '))
    const hostile = [
      `/${'Users/'.repeat(1_500)}`,
      `/${'x'.repeat(8_000)}`,
      `/Users?${'filter=a&'.repeat(1_000)}`,
      `/Users?filter=${'('.repeat(8_000)}`,
      `/Users?${Array.from({ length: 1_500 }, (_, at) => `p${at}`).join('&')}`,
      `/Users?filter=${filter}&startIndex&count&attributes&excludedAttributes&sortBy&sortOrder&cursor&aadOptscim062020`,
      '/Users/%00%0a%3Cscript%3E',
      '//Users/../%2e%2e/Groups',
      '/Users?__proto__=x&constructor=y&filter[toString]=z',
    ]
    const statuses = []
    for (const path of hostile) statuses.push((await directory.get(path)).status)
    // Names of members are in the answer, and neither PostgreSQL nor a screen takes every text.
    const member = `\\u0000\\ud800${'x'.repeat(2_000)}`
    statuses.push((await directory.post('/Users', `{"${member}": 1, "${member}": 2}`)).status)
    const record = await recordOf(postern, admin, statuses.length)
    assert.match(record[0]?.detail ?? '', /^[^\0]{1,500}$/)
    assert.deepEqual(
      record.toReversed().map(({ status }) => status),
      statuses,
    )
    for (const { path } of record) {
      assert.ok(path.length <= 500, path)
      assert.match(path, /^\/scim\/v2[\w/.{}?&= …]*$/)
    }
  })

  it('keeps the newest 500 requests of an organization, those of a week, and none of an organization that is deleted', async () => {
    const { postern, admin, directory } = await fresh()
    const other = await fresh()
    const { db, tx } = postern.app.database
    const old = Array.from({ length: 700 }, () => ({
      organization_id: admin.organizationId as never,
      id: newId('scimExchange', postern.clock.now()),
      ...{ method: 'GET', path: '/scim/v2/Users', status: 200, code: null, scim_type: null, detail: null },
      ...{ resource_id: null, duration: 1, created_at: postern.clock.now() },
    }))
    await tx((inner) => inner.insertInto('scim_exchange').values(old).execute())
    await other.directory.get('/Users')
    await recordOf(postern, other.admin, 1)
    await directory.get('/Groups')
    const kept = await until(
      () => rowsOf(postern, admin),
      ({ length }) => length <= 500,
      { what: 'all but 500 rows to be removed' },
    )
    assert.equal(kept.length, 500)
    assert.deepEqual([kept.at(0)?.id, kept.at(-1)?.path], [old[201]?.id, '/scim/v2/Groups'])
    assert.equal((await rowsOf(postern, other.admin)).length, 1)

    const path = `/v1/operator/organizations/${admin.organizationId}`
    const { data } = (await postern.client().get('/v1/organizations', { token: admin.token })).body
    const name = encodeURIComponent(data[0].name)
    const ended = await postern.client().delete(`${path}?name=${name}`, { token: OPERATOR_TOKEN })
    assert.equal(ended.status, 204, ended.text)
    assert.equal((await rowsOf(postern, admin)).length, 0)

    postern.clock.advance(7 * DAY)
    await until(
      async () => {
        // A sweep that has passed the rows is followed by one that begins anew.
        await advanceAtRest(postern, 2 * HOUR)
        return db.selectFrom('scim_exchange').select('id').execute()
      },
      ({ length }) => length === 0,
      { what: 'requests of more than a week ago to be removed' },
    )
  })
})
