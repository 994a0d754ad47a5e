import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError, mailAbout } from '../support/attacks.ts'
import { holdRows } from '../support/held-rows.ts'
import { administrator, apiKey, member, newEmail, type Person } from '../support/people.ts'
import {
  onBothEngines,
  type Postern,
  postern as runPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { assertScimError, type Directory, directoryOf, directoryWith, standingOf } from '../support/scim.ts'

interface Scene {
  postern: Postern
  admin: Person
  directory: Directory
}

async function makeScene(postern: Postern): Promise<Scene> {
  const admin = await administrator(postern)
  return { postern, admin, directory: await directoryOf(postern, admin) }
}

const deactivation = [{ op: 'replace', path: 'active', value: false }]

onBothEngines('what a directory gives and ends', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const fresh = async () => makeScene(await server())
  const standing = async ({ postern, admin }: Scene, email: string) =>
    (await standingOf(postern, admin, email))?.membership
  const tokenFor = async ({ admin }: Scene, { client }: Pick<Person, 'client'>) =>
    (await client.get(`/v1/auth/token?organizationId=${admin.organizationId}`)).status
  async function ownRole({ postern, admin }: Scene, permissions: string[]): Promise<string> {
    const body = { name: newEmail('role'), permissions }
    const made = await postern.client().post('/v1/roles', body, { token: admin.token })
    assert.equal(made.status, 201, made.text)
    return made.body.id
  }

  test('a mapping is changed by a caller with all permissions alone, and by a person where one gives administrator', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const role = await ownRole(scene, ['sign_in:read', 'sign_in:write'])
    const eve = await member(postern, admin, role)
    const { id } = await directory.user(eve.email)
    const low = await directory.group('Low', [id])
    const high = await directory.group('High', [id])
    const map = (group: string, body: object, token: string) =>
      postern.client().patch(`/v1/scim/groups/${group}`, body, { token })
    assert.equal((await map(low.id, { role, priority: 10 }, admin.token)).status, 200)
    const whole = await apiKey(postern, admin)
    assert.equal((await map(low.id, { priority: 11 }, whole)).status, 200)
    assert.equal((await map(high.id, { role: 'administrator' }, admin.token)).status, 200)
    const narrow = await apiKey(postern, admin, 'administrator', ['sign_in:write'])
    for (const [group, body] of [
      [high.id, { priority: 1_000 }],
      [low.id, { role: null }],
      [low.id, { role: 'member' }],
    ] as const) {
      for (const token of [eve.token, narrow])
        assertError(await map(group, body, token), 'FORBIDDEN', { reason: 'all_permissions_required' })
      assertError(await map(group, body, whole), 'FORBIDDEN', { reason: 'person_required' })
    }
    assert.equal((await standingOf(postern, admin, eve.email))?.role, role)
  })

  test('a person with the scope is no directory, whatever the role', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const helper = await member(postern, admin, await ownRole(scene, ['scim:write']))
    const group = await directory.group('Admins')
    for (const { token } of [helper, admin])
      for (const answer of [
        await directoryWith(postern, token).post('/Users', { userName: helper.email }),
        await directoryWith(postern, token).patch(`/Groups/${group.id}`, [{ op: 'remove', path: 'members' }]),
        await directoryWith(postern, token).get('/Users'),
      ])
        assertScimError(answer, 403, 'FORBIDDEN', { detail: /key_required/ })
    assert.equal((await directory.get('/Users')).body.totalResults, 0)
  })

  test('a group gives nothing to one who is not active, nor in an invitation by an administrator', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const call = { token: admin.token }
    const email = newEmail('inactive')
    const { id } = await directory.user(email, { active: false })
    const group = await directory.group('Admins', [id])
    const client = postern.client()
    const map = (body: object) => client.patch(`/v1/scim/groups/${group.id}`, body, call)
    assert.equal((await map({ role: 'administrator' })).status, 200)
    const invited = await client.post('/v1/invitations', { email, role: 'member', sendEmail: false }, call)
    assert.equal(invited.status, 201, invited.text)
    assert.equal((await map({ priority: 3 })).status, 200)
    assert.equal((await client.get(`/v1/invitations/${invited.body.id}`, call)).body.role, 'member')
  })

  it('the end of a user ends the membership of the account that has taken its address since', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const other = await administrator(postern)
    const email = newEmail('moved')
    const { id } = await directory.user(email)
    const asked = await runPostern(postern, 'account', '--email', other.email, '--change-email', email)
    assert.equal(asked.code, 0, asked.err)
    const { token } = await mailAbout(postern, email, /^Confirm your new/)
    const confirmed = await postern.client().post('/v1/auth/change-email/confirm', { token })
    assert.equal(confirmed.body.status, 'changed', confirmed.text)
    assert.deepEqual(
      [(await standingOf(postern, admin, email))?.accountId, await standing(scene, email)],
      [other.accountId, 'member'],
    )
    assert.equal((await directory.patch(`/Users/${id}`, deactivation)).status, 200)
    assert.equal(await standing(scene, email), 'none')
  })

  test('a change of active that says nothing lets nobody in', async () => {
    const { directory } = await fresh()
    const { id } = await directory.user(newEmail('silent'), { active: false })
    for (const operation of [
      { op: 'replace', path: 'active' },
      { op: 'add', path: 'active', value: null },
      { op: 'replace', value: { active: null, displayName: 'x' } },
    ]) {
      const answer = await directory.patch(`/Users/${id}`, [operation])
      assert.deepEqual([answer.status, answer.body.active], [200, false], JSON.stringify(operation))
    }
  })

  it('a member who is created inactive is no member any more, and the last administrator stays', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const person = await member(postern, admin)
    const { id } = await directory.user(person.email, { active: false })
    assert.equal(await tokenFor(scene, person), 403)
    const refused = await directory.post('/Users', { userName: admin.email, active: false })
    assertScimError(refused, 403, 'FORBIDDEN', { detail: /last_administrator/ })
    // A removed person who is invited again loses the invitation when the directory repeats the deactivation,
    // and when it deletes the user.
    for (const end of [
      () => directory.patch(`/Users/${id}`, deactivation),
      () => directory.remove(`/Users/${id}`),
    ]) {
      const invitation = { email: person.email, role: 'member', sendEmail: false }
      const call = { token: admin.token }
      assert.equal((await postern.client().post('/v1/invitations', invitation, call)).status, 201)
      assert.equal(await standing(scene, person.email), 'invited')
      assert.ok((await end()).status < 300)
      const { data } = (await postern.client().get('/v1/invitations?status=pending', call)).body
      assert.deepEqual(data, [])
    }
  })

  it('a person whom an administrator has removed stays removed when the address changes', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const person = await member(postern, admin)
    const { id } = await directory.user(person.email)
    const { organizationId, token } = admin
    const path = `/v1/organizations/${organizationId}/members/${person.accountId}`
    assert.equal((await postern.client().delete(path, { token })).status, 204)
    const email = newEmail('renamed')
    const moved = await directory.patch(`/Users/${id}`, [
      { op: 'replace', path: 'emails[type eq "work"].value', value: email },
    ])
    assert.equal(moved.status, 200, moved.text)
    assert.equal(await standing(scene, email), 'none')
  })

  it('texts and values that no database holds are refused', async () => {
    const { directory } = await fresh()
    for (const [resource, names] of [
      ['Users', ['userName', 'externalId', 'displayName', 'emails.type']],
      ['Groups', ['displayName', 'externalId']],
    ] as const)
      for (const name of names)
        for (const text of ['\\u0000', 'a\\u0000', '\\ud800']) {
          const filter = encodeURIComponent(`${name} eq "${text}"`)
          const answer = await directory.get(`/${resource}?filter=${filter}`)
          assertScimError(answer, 400, 'VALIDATION_FAILED', { type: 'invalidFilter' })
        }
    const bad = { toString: 1 }
    const emails = [{ value: newEmail(), primary: bad }, { value: newEmail() }]
    assertScimError(await directory.post('/Users', { userName: 'x', emails }), 400, 'TYPE_MISMATCH', {
      type: 'invalidValue',
    })
    const { id } = await directory.user(newEmail(), { active: false })
    const answer = await directory.patch(`/Users/${id}`, [
      { op: 'replace', path: 'emails', value: [{ value: newEmail(), type: bad }] },
      { op: 'replace', path: 'emails[type eq "work"].type', value: bad },
    ])
    assertScimError(answer, 400, 'TYPE_MISMATCH', { type: 'invalidValue' })
  })
})

// SQLite has one writer: no transaction waits for another.
describe('a directory on PostgreSQL that changes an address', () => {
  const server = usePostern('postgres')

  it('locks accounts in the order of their addresses, as invitations in bulk do', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const other = await administrator(postern)
    // The account with the later address is the older one.
    const [last, middle, first] = [newEmail('zz'), newEmail('mm'), newEmail('aa')] as const
    const invitation = (email: string) => ({ email, role: 'member' })
    const { token } = admin
    for (const email of [last, middle])
      await postern.client().post('/v1/invitations', { ...invitation(email), sendEmail: false }, { token })
    const { id } = await directory.user(first)
    const held = await holdRows(postern, 'account', 'email = $1', [middle])
    const invitations = [first, middle, last].map(invitation)
    const bulk = await held.lineUp(() =>
      postern.client().post('/v1/invitations/bulk', { invitations }, { token: other.token }),
    )
    const changed = await held.lineUp(() =>
      directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'emails', value: [{ value: last }] }]),
    )
    await held.release()
    assert.equal((await bulk.answer).status, 200)
    assert.equal((await changed.answer).status, 200)
  })
})
