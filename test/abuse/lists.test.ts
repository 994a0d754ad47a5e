import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { inviteByHand } from '../support/invitees.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

const SQL = [
  "' or '1'='1",
  "'; drop table invitation; --",
  '" or ""="',
  '\\',
  '%',
  '_',
  '%25',
  '*',
  '../..',
  '$1',
  '?',
]

/** Every list of an administrator of an organization. */
const listsOf = ({ organizationId }: Person) => [
  '/v1/invitations',
  '/v1/api-keys',
  '/v1/audit-log',
  '/v1/organizations',
  `/v1/organizations/${organizationId}/members`,
]

/** An id as a cursor: its prefix, and the bytes of its UUID. */
const encode = (id: string) =>
  `${id.slice(0, 3)}${Buffer.from(id.slice(4).replaceAll('-', ''), 'hex').toString('base64url')}`

onBothEngines('lists', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('85: characters that mean something to SQL mean nothing in a filter', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    await inviteByHand(postern, admin)
    const get = (path: string) => postern.client().get(path, { token: admin.token })
    for (const text of SQL) {
      const value = encodeURIComponent(text)
      assertError(await get(`/v1/invitations?email=${value}`), 'INVALID_EMAIL', { field: 'email' })
      assertError(await get(`/v1/invitations?status=${value}`), 'VALIDATION_FAILED', { field: 'status' })
      const actions = await get(`/v1/audit-log?action=${value}`)
      assert.ok(actions.status === 400 || actions.body.data.length === 0, actions.text)
      for (const list of listsOf(admin)) {
        assertError(await get(`${list}?cursor=${value}`), 'VALIDATION_FAILED', { field: 'cursor' })
        assert.equal((await get(`${list}?limit=${value}`)).status, 400)
        assertError(await get(`${list}?${value}=1`), 'VALIDATION_FAILED')
      }
    }
    for (const address of ['%@acme.test', '_@acme.test', "a'b@acme.test"]) {
      const found = await get(`/v1/invitations?email=${encodeURIComponent(address)}`)
      assert.deepEqual([found.status, found.body?.data], [200, []], address)
    }
  })

  it('85: a text that no database can store is refused, without an internal error', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const [token, nul] = [admin.token, 'a\u0000b']
    const audit = await postern.client().get('/v1/audit-log?action=a%00b', { token })
    assertError(audit, 'VALIDATION_FAILED', { field: 'action' })
    const key = await postern.client().post('/v1/api-keys', { name: nul }, { token })
    assertError(key, 'VALIDATION_FAILED', { field: 'name' })
    const { token: invitationToken, email } = await inviteByHand(postern, admin)
    const body = { firstName: nul, lastName: nul, email, password: 'correct horse 7', termsAccepted: true }
    const signUp = await postern.client().post('/v1/auth/sign-up/email', { ...body, invitationToken })
    assertError(signUp, 'VALIDATION_FAILED', { field: 'firstName' })
    for (const cookie of ['session=%00', `session=${'\u00ff'.repeat(43)}`]) {
      assertError(await postern.client().get('/v1/auth/session', { headers: { cookie } }), 'UNAUTHORIZED')
    }
    assertError(await postern.client().get('/v1/invitations/preview?token=%00'), 'ENTITY_NOT_FOUND')
    assertError(await postern.client().get('/v1/errors/%00'), 'VALIDATION_FAILED', { field: 'code' })
  })

  test('85: a limit is a number from 1 to 100', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    for (const list of listsOf(admin)) {
      for (const limit of ['0', '-1', '101', '1.5', '1e9', '9'.repeat(400)]) {
        const answer = await postern.client().get(`${list}?limit=${limit}`, { token: admin.token })
        assert.equal(answer.status, 400, `${list} ${limit}`)
        assert.equal(answer.body.error.details.field, 'limit')
      }
      for (const limit of ['abc', '', 'null', '1&limit=2', '1 or 1=1']) {
        const answer = await postern.client().get(`${list}?limit=${limit}`, { token: admin.token })
        assert.equal(answer.status, 400, `${list} ${limit}`)
      }
    }
  })

  it('85: a cursor of another organization, or a forged one, shows none of its rows', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    for (const person of [ada, eve]) {
      for (let count = 0; count < 3; count += 1) await inviteByHand(postern, person)
      await member(postern, person)
      await apiKey(postern, person)
    }
    for (const [index, list] of listsOf(ada).entries()) {
      const [first] = (await postern.client().get(`${list}?limit=1`, { token: ada.token })).body.data
      const theirs = first.id ?? first.accountId
      const [kind] = theirs.split('_')
      const cursors = [
        theirs,
        `${kind}_ffffffff-ffff-7fff-bfff-ffffffffffff`,
        `${kind}_00000000-0000-7000-8000-000000000000`,
        'zzz_ffffffff-ffff-7fff-bfff-ffffffffffff',
      ]
      for (const cursor of cursors) {
        const path = `${listsOf(eve)[index]}?limit=100&cursor=${encode(cursor)}`
        const answer = await postern.client().get(path, { token: eve.token })
        assert.equal(answer.status, 200, answer.text)
        assert.ok(!answer.text.includes(ada.organizationId) && !answer.text.includes(ada.accountId))
      }
      for (const cursor of [
        theirs,
        `${encode(theirs)}x`,
        `${encode(theirs)}' or 1=1--`,
        Buffer.from(theirs).toString('base64url'),
        '%00',
        'a'.repeat(200),
      ]) {
        const path = `${listsOf(eve)[index]}?cursor=${cursor}`
        assertError(await postern.client().get(path, { token: eve.token }), 'VALIDATION_FAILED', {
          field: 'cursor',
        })
      }
    }
  })

  it('85: pages follow one another without a gap or a repetition, while rows come in', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const made: string[] = []
    for (let count = 0; count < 7; count += 1) made.unshift((await inviteByHand(postern, admin)).id)
    // The last one is the administrator's own invitation.
    const seen = await walk(postern, admin)
    assert.deepEqual(seen.slice(0, -1), made)
  })
})

/** Reads all invitations, two at a time; a new one is made after each page. */
async function walk(postern: Postern, admin: Person): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path = `/v1/invitations?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body } = await postern.client().get(path, { token: admin.token })
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    assert.ok(seen.length < 100, 'the pages do not end')
    cursor = body.nextCursor
    if (cursor !== null) await inviteByHand(postern, admin, newEmail('late'))
  }
  return seen
}
