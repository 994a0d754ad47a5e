import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { newId } from '#src/core/id.ts'
import { assertError } from '../support/attacks.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey, member, newEmail, type Person, signUp } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { assertScimError, directoryOf, GROUP, standingOf } from '../support/scim.ts'
import { until } from '../support/waits.ts'

/** The most users of a group, and the most places in all groups of an organization. */
const [MEMBERS, PLACES] = [10_000, 200_000]

onBothEngines('a group of a directory', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  async function fresh() {
    const postern = await server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const client = postern.client()
    return {
      postern,
      admin,
      directory: await directoryOf(postern, admin),
      /** Says which role a group gives. */
      map: (id: string, body: object, token = admin.token) =>
        client.patch(`/v1/scim/groups/${id}`, body, { token }),
      groupsOf: async () => (await client.get('/v1/scim/groups', call)).body.data,
      async ownRole(permissions: string[]): Promise<string> {
        const made = await client.post('/v1/roles', { name: newEmail('role'), permissions }, call)
        assert.equal(made.status, 201, made.text)
        return made.body.id
      },
    }
  }

  /** A member whom the directory lists. */
  async function listed(scene: Awaited<ReturnType<typeof fresh>>, role?: string) {
    const person = await member(scene.postern, scene.admin, role)
    return { person, id: (await scene.directory.user(person.email)).id as string }
  }
  const roleOf = async (
    { postern, admin }: { postern: Postern; admin: Person },
    { email }: { email: string },
  ) => (await standingOf(postern, admin, email))?.role

  it('has its places counted with those of all groups where their bound is unknown or above the limit, and else not', async () => {
    const { postern, admin, directory } = await fresh()
    const { db, tx } = postern.app.database
    const setting = db
      .selectFrom('scim_setting')
      .select(['most_places', 'end_keys'])
      .where('organization_id', '=', admin.organizationId as never)
    const settle = (most_places: number | null) =>
      tx((inner) =>
        inner
          .updateTable('scim_setting')
          .set({ most_places })
          .where('organization_id', '=', admin.organizationId as never)
          .execute(),
      )
    const { id } = await directory.group('Small')
    const add = async (bound: number) => {
      const { id: value } = await directory.user(newEmail(), { active: false })
      const body = [{ op: 'add', path: 'members', value: [{ value }] }]
      assert.equal((await directory.patch(`/Groups/${id}`, body)).status, 204)
      assert.equal((await setting.executeTakeFirst())?.most_places, bound)
      return value
    }
    const first = await add(1)
    await add(2)
    // A place that is given up stays in the bound.
    await directory.patch(`/Groups/${id}`, [{ op: 'remove', path: `members[value eq "${first}"]` }])
    await add(3)
    await settle(PLACES)
    await add(3)
    await settle(null)
    await add(4)
    const call = { token: admin.token }
    assert.equal((await postern.client().patch('/v1/scim', { endKeys: true }, call)).status, 200)
    assert.deepEqual({ ...(await setting.executeTakeFirst()) }, { most_places: 4, end_keys: 1 })
  })

  it('takes nobody beyond 10,000 users, nor beyond the 200,000 places of the organization', {
    skip: !IS_NIGHTLY && 'at night',
  }, async () => {
    const { postern, admin, directory } = await fresh()
    const { db, tx } = postern.app.database
    const { id: another } = await directory.user(newEmail(), { active: false })
    const row = await db
      .selectFrom('scim_user')
      .selectAll()
      .where('id', '=', another)
      .executeTakeFirstOrThrow()
    for (let from = 0; from < MEMBERS; from += 500)
      await tx((inner) =>
        inner
          .insertInto('scim_user')
          .values(
            Array.from({ length: 500 }, (_, at) => {
              const name = `person-${from + at}@acme.test`
              const id = newId('scimUser', postern.clock.now())
              return { ...row, id, user_name: name, user_name_key: name, email: name }
            }),
          )
          .execute(),
      )
    const groups: string[] = []
    for (let left = PLACES / MEMBERS; left > 0; left -= 1)
      groups.push((await directory.group(`Full ${left}`)).id)
    for (const group of groups)
      await tx((inner) =>
        sql`insert into scim_group_member (group_id, user_id, organization_id)
          select ${group}, id, organization_id from scim_user
          where organization_id = ${admin.organizationId} and id <> ${another}`.execute(inner),
      )
    const [full = ''] = groups
    const one = [{ op: 'add', path: 'members', value: [{ value: another }] }]
    const { id: empty } = await directory.group('Empty')
    for (const id of [full, empty]) {
      const refused = await directory.patch(`/Groups/${id}`, one)
      assertScimError(refused, 403, 'FORBIDDEN', { detail: /too_many_members/ })
    }
    await directory.patch(`/Groups/${full}`, [{ op: 'remove', path: 'members' }])
    assert.equal((await directory.patch(`/Groups/${empty}`, one)).status, 204)
  })

  it('is created, read, listed, found, changed and deleted, with its users', async () => {
    const { directory, groupsOf } = await fresh()
    const users: string[] = []
    for (let left = 3; left > 0; left -= 1)
      users.push((await directory.user(newEmail(), { active: false })).id)
    const [first = '', second = '', third = ''] = users
    const made = await directory.post('/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: 'g-1',
      displayName: 'Engineers',
      members: [{ value: first, display: 'Ada' }],
    })
    assert.equal(made.status, 201, made.text)
    const { id, meta } = made.body
    assert.deepEqual(made.body, {
      ...{ schemas: [GROUP], id, externalId: 'g-1', displayName: 'Engineers' },
      members: [{ value: first, $ref: meta.location.replace(/Groups.*/, `Users/${first}`), type: 'User' }],
      meta,
    })
    const membersOf = async () =>
      (await directory.get(`/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value)
    const steps: [object[], string[]][] = [
      [[{ op: 'Add', path: 'members', value: [{ $ref: null, value: second }, { value: third }] }], users],
      // Adding a user twice adds one, and removing an unknown user is no error.
      [[{ op: 'add', path: 'members', value: { value: second } }], users],
      [[{ op: 'Remove', path: 'members', value: [{ value: second }] }], [first, third]],
      [[{ op: 'remove', path: 'members', value: [{ value: 'not-an-id' }] }], [first, third]],
      [[{ op: 'remove', path: `members[value eq "${first}"]` }], [third]],
      [[{ op: 'replace', path: 'members', value: [{ value: first }, { value: second }] }], [first, second]],
      [[{ op: 'replace', value: { id, displayName: 'Builders', members: [{ value: third }] } }], [third]],
      [[{ op: 'remove', path: 'members' }], []],
      [[{ op: 'add', value: { members: [{ value: first }] } }], [first]],
      // An operation for each user, some of them twice; their order decides.
      [
        [
          ...users.concat(users).map((value) => ({ op: 'add', path: 'members', value: [{ value }] })),
          ...[second, third, second].map((value) => ({ op: 'remove', path: `members[value eq "${value}"]` })),
          { op: 'add', path: 'members', value: [{ value: third }] },
        ],
        [first, third],
      ],
      [[{ op: 'remove', path: 'members', value: [{ value: third }] }], [first]],
    ]
    for (const [operations, expected] of steps) {
      const answer = await directory.patch(`/Groups/${id}`, operations)
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.deepEqual(await membersOf(), expected, JSON.stringify(operations))
    }
    const asked = await directory.patch(`/Groups/${id}?attributes=displayName`, [
      { op: 'replace', path: 'externalId', value: 'g-2' },
    ])
    assert.deepEqual([asked.status, asked.body.displayName], [200, 'Builders'])
    const found = async (filter: string) =>
      (await directory.get(`/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`)).body
        .Resources
    for (const filter of [
      'displayName eq "BUILDERS"',
      'externalId eq "g-2"',
      `id eq "${id}" and members eq "${first}"`,
      `members[value eq "${first}"]`,
    ]) {
      const [one, ...more] = await found(filter)
      assert.deepEqual([one?.id, one?.members, more], [id, undefined, []], filter)
    }
    assert.deepEqual(await found(`id eq "${id}" and members eq "${second}"`), [])
    // What says nothing of its users leaves them.
    const put = await directory.put(`/Groups/${id}`, { displayName: 'Makers' })
    assert.deepEqual(
      [put.body.displayName, put.body.externalId, await membersOf()],
      ['Makers', undefined, [first]],
    )
    assert.deepEqual(
      (await directory.put(`/Groups/${id}`, { displayName: 'Makers', members: [] })).body.members,
      [],
    )
    const [{ users: count, role }] = await groupsOf()
    assert.deepEqual([count, role], [0, null])
    assert.equal((await directory.remove(`/Groups/${id}`)).status, 204)
    assertScimError(await directory.get(`/Groups/${id}`), 404, 'ENTITY_NOT_FOUND')
    assert.equal((await directory.get('/Groups')).body.totalResults, 0)
  })

  it('gives its users the role that an administrator says, and takes it back when they leave', async () => {
    const scene = await fresh()
    const { directory, map, ownRole } = scene
    const { person, id } = await listed(scene)
    const role = await ownRole(['events:read', 'webhooks:read'])
    const group = await directory.group('Engineers', [id])
    assert.equal(await roleOf(scene, person), 'member')
    const mapped = await map(group.id, { role })
    assert.deepEqual([mapped.status, mapped.body.role, mapped.body.users], [200, role, 1], mapped.text)
    assert.equal(await roleOf(scene, person), role)
    await directory.patch(`/Groups/${group.id}`, [{ op: 'remove', path: `members[value eq "${id}"]` }])
    assert.equal(await roleOf(scene, person), 'member')
    await directory.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: [{ value: id }] }])
    assert.equal(await roleOf(scene, person), role)
    // What the person may do has changed at once, in a token that was given before.
    const sees = await scene.postern.client().get('/v1/agents', { token: person.token })
    assertError(sees, 'FORBIDDEN', { reason: 'permission_required', scope: 'agents:read' })
    await directory.remove(`/Groups/${group.id}`)
    assert.equal(await roleOf(scene, person), 'member')
  })

  it('of the highest priority gives the role, and of equal ones the older', async () => {
    const scene = await fresh()
    const { directory, map, ownRole } = scene
    const { person, id } = await listed(scene)
    const [low, high] = [await ownRole(['events:read']), await ownRole(['webhooks:read'])]
    const [a, b] = [await directory.group('A', [id]), await directory.group('B', [id])]
    const roles: unknown[] = []
    for (const [group, body] of [
      [a, { role: low }],
      [b, { role: high }],
      [b, { priority: 5 }],
      [a, { priority: 6 }],
      [a, { role: null }],
      [b, { role: null }],
    ] as const) {
      const answer = await map(group.id, body)
      assert.equal(answer.status, 200, answer.text)
      roles.push(await roleOf(scene, person))
    }
    assert.deepEqual(roles, [low, low, high, low, high, 'member'])
  })

  test('gives administrator only where a person says so, who may give it', async () => {
    const scene = await fresh()
    const { postern, admin, directory, map, ownRole } = scene
    const { person, id } = await listed(scene)
    const group = await directory.group('Admins', [id])
    assertError(await map(group.id, { role: 'administrator' }, await apiKey(postern, admin)), 'FORBIDDEN', {
      reason: 'person_required',
    })
    const eve = await member(postern, admin, await ownRole(['sign_in:read', 'sign_in:write']))
    assertError(await map(group.id, { role: 'administrator' }, eve.token), 'FORBIDDEN', {
      reason: 'all_permissions_required',
    })
    assertError(await map(group.id, { role: 'member' }, directory.key), 'FORBIDDEN', {
      reason: 'scope_required',
    })
    assert.equal((await map(group.id, { role: 'administrator' })).status, 200)
    assert.equal(await roleOf(scene, person), 'administrator')
    assertError(await map(group.id, { role: 'rol_0198c1f2-7a3b-7c4d-8e5f-0123456789ab' }), 'ENTITY_NOT_FOUND')
    assertError(await map(group.id, {}), 'VALIDATION_FAILED')
  })

  it('leaves the role that an administrator gave, and the last administrator', async () => {
    const scene = await fresh()
    const { admin, directory, map, postern } = scene
    const { person, id } = await listed(scene, 'administrator')
    const { id: first } = await directory.user(admin.email)
    const group = await directory.group('All', [id, first])
    // A group that gives no role changes none.
    assert.deepEqual(
      [await roleOf(scene, person), await roleOf(scene, admin)],
      ['administrator', 'administrator'],
    )
    assert.equal((await map(group.id, { role: 'member' })).status, 200)
    const roles = [await roleOf(scene, person), await roleOf(scene, admin)].sort()
    assert.deepEqual(roles, ['administrator', 'member'])
    const token = (await roleOf(scene, admin)) === 'administrator' ? admin.token : person.token
    const { data } = (await postern.client().get('/v1/audit-log?action=scim_user.role_kept', { token })).body
    assert.deepEqual(
      data.map(({ details }: { details: { because: string } }) => details.because),
      ['last_administrator'],
    )
  })

  test('gives its role to those who are invited, too', async () => {
    const scene = await fresh()
    const { postern, admin, directory, map, ownRole } = scene
    const role = await ownRole(['events:read'])
    const email = newEmail('invited')
    const { id } = await directory.user(email)
    const group = await directory.group('Readers', [id])
    await map(group.id, { role })
    assert.equal(await roleOf(scene, { email }), role)
    // One who becomes active within the group is invited to its role.
    const later = newEmail('later')
    const inactive = await directory.user(later, { active: false })
    await directory.patch(`/Groups/${group.id}`, [
      { op: 'add', path: 'members', value: [{ value: inactive.id }] },
    ])
    await directory.patch(`/Users/${inactive.id}`, [{ op: 'replace', path: 'active', value: true }])
    assert.equal(await roleOf(scene, { email: later }), role)
    const { token: invitationToken } = await postern.mailbox.next(email)
    await signUp(postern, { email, invitationToken, organizationId: admin.organizationId })
    assert.deepEqual(
      [(await standingOf(postern, admin, email))?.membership, await roleOf(scene, { email })],
      ['member', role],
    )
  })

  it('keeps the role that it gives from being deleted', async () => {
    const scene = await fresh()
    const { postern, admin, directory, map, ownRole } = scene
    const role = await ownRole(['events:read'])
    const group = await directory.group('Readers')
    await map(group.id, { role })
    const remove = () => postern.client().delete(`/v1/roles/${role}`, { token: admin.token })
    assertError(await remove(), 'FORBIDDEN', { reason: 'role_in_use', members: 0, invitations: 0, groups: 1 })
    await directory.remove(`/Groups/${group.id}`)
    assert.equal((await remove()).status, 204)
  })

  it('of many users gives its role by a job', async () => {
    const scene = await fresh()
    const { postern, admin, directory, map, ownRole } = scene
    const role = await ownRole(['events:read'])
    const { person, id } = await listed(scene)
    const others = await insertUsers(postern, admin, 600)
    const group = await directory.group('Everybody', [...others, id])
    assert.equal((await map(group.id, { role })).body.users, 601)
    await until(
      () => roleOf(scene, person),
      (now) => now === role,
      { what: 'the role of the group' },
    )
    await directory.remove(`/Groups/${group.id}`)
    await until(
      () => roleOf(scene, person),
      (now) => now === 'member',
      { what: 'the end of that role' },
    )
  })

  it('takes users of its own organization alone, and as many as there may be', async () => {
    const [ours, theirs] = [await fresh(), await fresh()]
    const { id: foreign } = await theirs.directory.user(newEmail(), { active: false })
    const unknown = { displayName: 'X', members: [{ value: foreign }] }
    assertScimError(await ours.directory.post('/Groups', unknown), 400, 'VALIDATION_FAILED', {
      type: 'invalidValue',
    })
    const group = await theirs.directory.group('Theirs', [foreign])
    const path = `/Groups/${group.id}`
    for (const answer of [
      await ours.directory.get(path),
      await ours.directory.put(path, { displayName: 'Ours' }),
      await ours.directory.patch(path, [{ op: 'remove', path: 'members' }]),
      await ours.directory.remove(path),
    ])
      assertScimError(answer, 404, 'ENTITY_NOT_FOUND')
    assertError(await ours.map(group.id, { role: 'member' }), 'ENTITY_NOT_FOUND')
    assert.equal((await theirs.directory.get(path)).body.members.length, 1)
    const many = Array.from({ length: 5_001 }, () => ({ value: foreign }))
    const answer = await theirs.directory.put(path, { displayName: 'Many', members: many })
    assertScimError(answer, 400, 'VALIDATION_FAILED', { type: 'tooMany' })
    assertScimError(await theirs.directory.put(path, { members: [] }), 400, 'MISSING_REQUIRED_FIELD', {
      type: 'invalidValue',
    })
    for (const [op, where] of [
      ['add', 'members[display eq "x"]'],
      ['replace', 'displayName.x'],
      ['add', 'nobody'],
    ])
      assertScimError(
        await theirs.directory.patch(path, [{ op, path: where, value: 'x' }]),
        400,
        'VALIDATION_FAILED',
        {
          type: 'invalidPath',
        },
      )
  })
})

/** Users of a directory as rows: over HTTP so many would take most of a minute. */
async function insertUsers(postern: Postern, { organizationId }: Person, count: number): Promise<string[]> {
  const now = postern.clock.now()
  const rows = Array.from({ length: count }, (_, at) => ({
    id: newId('scimUser', now),
    organization_id: organizationId as never,
    ...{ account_id: null, external_id: null, user_name: `u${at}`, user_name_key: `u${at}` },
    ...{
      display_name: null,
      display_name_key: null,
      given_name: null,
      family_name: null,
      formatted_name: null,
    },
    ...{
      email: `u${at}@acme.test`,
      email_type: null,
      email_primary: null,
      active: 0 as const,
      role_given: 0 as const,
    },
    ...{ created_at: now, updated_at: now },
  }))
  await postern.app.database.tx(async (tx) => {
    for (let at = 0; at < rows.length; at += 200)
      await tx
        .insertInto('scim_user')
        .values(rows.slice(at, at + 200))
        .execute()
  })
  return rows.map(({ id }) => id)
}
