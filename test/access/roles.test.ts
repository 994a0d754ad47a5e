import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { PERMISSION_NAMES, permissionRow } from '#src/http/permissions.ts'
import { assertError } from '../support/attacks.ts'
import { watchLive } from '../support/live-stream.ts'
import { administrator, member, newEmail, type Person, tokenOf } from '../support/people.ts'
import { postern as command, OPERATOR_TOKEN, onBothEngines, usePostern } from '../support/postern.ts'
import { within } from '../support/waits.ts'

const OF_MEMBERS = PERMISSION_NAMES.filter((name) => permissionRow(name).role === 'member')
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

onBothEngines('a role of an organization', (engine) => {
  const server = usePostern(engine)
  const scene = async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const as = ({ token }: { token: string }) => {
      const client = postern.client()
      return {
        get: (path: string) => client.get(path, { token }),
        post: (path: string, body: object, headers = {}) => client.post(path, body, { token, headers }),
        patch: (path: string, body: object) => client.patch(path, body, { token }),
        delete: (path: string) => client.delete(path, { token }),
      }
    }
    const make = async (name: string, permissions: string[], by: Person = admin) => {
      const answer = await as(by).post('/v1/roles', { name, permissions })
      assert.equal(answer.status, 201, answer.text)
      return String(answer.body.id)
    }
    const holder = async (name: string, permissions: string[]) => {
      const role = await make(name, permissions)
      return { role, person: await member(postern, admin, role) }
    }
    const place = ({ accountId }: Person) => `/v1/organizations/${admin.organizationId}/members/${accountId}`
    return { postern, admin, as, make, holder, place }
  }

  it('is made of permissions, listed behind the two fixed ones, changed and deleted, with an entry for each', async () => {
    const { admin, as } = await scene()
    const { get, post, patch, delete: remove } = as(admin)
    const wish = { name: ' Support ', description: 'First line', permissions: ['runs:all', 'events:read'] }
    const made = await post('/v1/roles', wish)
    assert.deepEqual([made.status, made.body.name], [201, 'Support'], made.text)
    assert.deepEqual(made.body.permissions, ['events:read', 'runs:all'])
    const path = `/v1/roles/${made.body.id}`
    assert.equal(new URL(made.headers.get('location') ?? '').pathname, path)
    assert.deepEqual((await get(path)).body, made.body)
    const { data } = (await get('/v1/roles')).body
    assert.deepEqual(
      data.map(({ id, isFixed }: { id: string; isFixed: boolean }) => [id, isFixed]),
      [
        ['administrator', true],
        ['member', true],
        [made.body.id, false],
      ],
    )
    assert.deepEqual([data[0].permissions, data[1].permissions], [PERMISSION_NAMES, OF_MEMBERS])
    const changed = await patch(path, { name: 'Helpers', description: null, permissions: ['files:read'] })
    assert.deepEqual([changed.body.name, changed.body.description], ['Helpers', null], changed.text)
    assert.deepEqual((await get(path)).body.permissions, ['files:read'])
    assert.equal((await remove(path)).status, 204)
    assertError(await get(path), 'ENTITY_NOT_FOUND')
    assertError(await remove(path), 'ENTITY_NOT_FOUND')
    const log = (await get(`/v1/audit-log?target=${made.body.id}`)).body.data
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      ['role.deleted', 'role.updated', 'role.created'],
    )
    assert.deepEqual([log[1].details.added, log[1].details.removed], ['files:read', 'events:read runs:all'])
  })

  it('has a name that no other has, fixed ones included, and there are fifty at most', async () => {
    const { admin, as, make } = await scene()
    const { post, patch } = as(admin)
    const permissions = ['files:read']
    await make('Support', permissions)
    const other = await make('Other', permissions)
    for (const name of ['Support', 'SUPPORT', ' support', 'member', 'Administrator'])
      assertError(await post('/v1/roles', { name, permissions }), 'DUPLICATE', { field: 'name' })
    assertError(await patch(`/v1/roles/${other}`, { name: 'suPPort' }), 'DUPLICATE', { field: 'name' })
    assert.equal((await patch(`/v1/roles/${other}`, { name: 'OTHER' })).status, 200)
    assertError(await post('/v1/roles', { name: 'x', permissions: [] }), 'VALIDATION_FAILED')
    assertError(await post('/v1/roles', { name: 'x', permissions: ['root'] }), 'VALIDATION_FAILED')
    assertError(await patch('/v1/roles/member', { name: 'x' }), 'INVALID_UUID')
    for (let at = 2; at < 50; at += 1) await make(`Role ${at}`, permissions)
    assertError(await post('/v1/roles', { name: 'x', permissions }), 'FORBIDDEN', {
      ...{ reason: 'too_many_roles', limit: 50 },
    })
  })

  it('is what an invited person has, in every answer and in the token', async () => {
    const { postern, admin, as, holder } = await scene()
    const permissions = ['members:read', 'events:read', 'roles:read']
    const { role, person } = await holder('Support', permissions)
    const named = { role, roleName: 'Support' }
    const of = ({ role, roleName }: { role: string; roleName: string }) => ({ role, roleName })
    const claims = claimsOf(person.token)
    assert.deepEqual([claims.role, claims.roles], [role, [role]])
    assert.deepEqual(
      claims.permissions,
      PERMISSION_NAMES.filter((name) => permissions.includes(name)),
    )
    const administrators = claimsOf(admin.token)
    assert.deepEqual(
      [administrators.roles, administrators.permissions],
      [['administrator'], PERMISSION_NAMES],
    )
    const { get } = as(person)
    const members = (await get(`/v1/organizations/${admin.organizationId}/members`)).body.data
    assert.deepEqual(members.map(of), [named, { role: 'administrator', roleName: 'administrator' }])
    const session = await person.client.get('/v1/auth/session')
    assert.deepEqual(session.body.user.organizations.map(of), [named])
    const [invitation] = (await as(admin).get('/v1/invitations')).body.data
    assert.deepEqual(of(invitation), named)
    assert.deepEqual(of((await as(admin).get(`/v1/invitations/${invitation.id}`)).body), named)
    const handed = await as(admin).post('/v1/invitations', { email: newEmail(), role, sendEmail: false })
    const token = new URL(handed.body.acceptUrl).searchParams.get('token')
    const preview = await postern.client().get(`/v1/invitations/preview?token=${token}`)
    assert.deepEqual(preview.body.organizations.map(of), [named])
    const [organization] = (await as(admin).get('/v1/organizations')).body.data
    assert.deepEqual(of(organization), { role: 'administrator', roleName: 'administrator' })
    assertError(await get('/v1/organizations'), 'FORBIDDEN', {
      ...{ reason: 'permission_required', scope: 'organization:read' },
    })
    assertError(await get('/v1/webhooks'), 'FORBIDDEN', { scope: 'webhooks:read' })
  })

  it('is given by the command line and by the operator, too', async () => {
    const { postern, admin, as, make } = await scene()
    const role = await make('First line', ['files:read'])
    const [{ name }] = (await as(admin).get('/v1/organizations')).body.data
    const invite = (given: string) =>
      command(
        postern,
        ...['invite', '--organization', name, '--email', newEmail(), '--role', given, '--json'],
      )
    for (const given of ['First line', role]) {
      const { out, code, err } = await invite(given)
      assert.equal(code, 0, err)
      const { body } = await as(admin).get(`/v1/invitations/${JSON.parse(out).invitationId}`)
      assert.deepEqual([body.role, body.roleName], [role, 'First line'])
    }
    const unknown = await invite('Second line')
    assert.deepEqual([unknown.code !== 0, /'First line'/.test(unknown.err)], [true, true], unknown.err)
    const path = `/v1/operator/organizations/${admin.organizationId}/invitations`
    const ask = (given: string) =>
      postern.client().post(path, { email: newEmail(), role: given }, { token: OPERATOR_TOKEN })
    assert.equal((await ask(role)).body.role, role)
    const foreign = await (await scene()).make('Foreign', ['files:read'])
    assertError(await ask(foreign), 'ENTITY_NOT_FOUND', { field: 'role' })
  })

  it('of another organization is none', async () => {
    const { admin, as, place, postern } = await scene()
    const foreign = await (await scene()).make('Foreign', ['files:read'])
    const { get, post, patch, delete: remove } = as(admin)
    const person = await member(postern, admin)
    const missing = { field: 'role', value: foreign }
    assertError(
      await post('/v1/invitations', { email: newEmail(), role: foreign }),
      'ENTITY_NOT_FOUND',
      missing,
    )
    assertError(await patch(place(person), { role: foreign }), 'ENTITY_NOT_FOUND', missing)
    const rows = [
      { email: newEmail(), role: foreign },
      { email: newEmail(), role: 'owner' },
      { email: newEmail() },
    ]
    const { results } = (await post('/v1/invitations/bulk', { invitations: rows })).body
    const codes = results.map(({ error }: { error?: { code: string } }) => error?.code)
    assert.deepEqual(codes, ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED', undefined])
    const path = `/v1/roles/${foreign}`
    for (const answer of [await get(path), await patch(path, { name: 'x' }), await remove(path)])
      assertError(answer, 'ENTITY_NOT_FOUND')
  })

  it('gives no way to more than it permits', async () => {
    const { postern, admin, as, holder, make, place } = await scene()
    const own = [
      'members:write',
      'invitations:write',
      'roles:read',
      'roles:write',
      'keys:write',
      'events:read',
    ]
    const { role, person } = await holder('Deputies', own)
    const wider = await make('Wider', [...own, 'audit:read'])
    const narrower = await make('Narrower', ['events:read'])
    const other = await member(postern, admin, narrower)
    const { post, patch, delete: remove } = as(person)
    const email = newEmail
    const beyond = (scope: string) => ({ reason: 'permission_required', scope })
    const refused = async (scope: string, answers: Promise<{ status: number }>[]) => {
      for (const answer of await Promise.all(answers))
        assertError(answer as Parameters<typeof assertError>[0], 'FORBIDDEN', beyond(scope))
    }
    for (const place of [other, person].map(
      (one) => `/v1/organizations/${admin.organizationId}/members/${one.accountId}`,
    )) {
      await refused('organization:read', [
        patch(place, { role: 'administrator' }),
        patch(place, { role: 'member' }),
      ])
      await refused('audit:read', [patch(place, { role: wider })])
    }
    await refused('organization:read', [
      post('/v1/invitations', { email: email(), role: 'administrator' }),
      post('/v1/invitations', { email: email() }),
    ])
    await refused('audit:read', [
      post('/v1/invitations', { email: email(), role: wider }),
      post('/v1/roles', { name: 'Mine', permissions: ['audit:read', 'events:read'] }),
      patch(`/v1/roles/${role}`, { permissions: [...own, 'audit:read'] }),
      patch(`/v1/roles/${wider}`, { name: 'Renamed' }),
      patch(`/v1/roles/${wider}`, { permissions: ['events:read'] }),
      remove(`/v1/roles/${wider}`),
      post('/v1/api-keys', { name: 'more', scopes: ['audit:read'] }),
    ])
    const rows = [
      { email: email(), role: wider },
      { email: email(), role: narrower },
    ]
    const { results } = (await post('/v1/invitations/bulk', { invitations: rows })).body
    assert.deepEqual(results[0].error.details, beyond('audit:read'))
    assert.equal(results[1].invitation.role, narrower)
    // Such keys could make members, so their maker must have all permissions of a member.
    await refused('organization:read', [
      post('/v1/api-keys', { name: 'inviting', scopes: ['invitations:write'] }),
      post('/v1/api-keys', { name: 'promoting', scopes: ['members:write'] }),
      post('/v1/api-keys', { name: 'all', role: 'member' }),
      post('/v1/api-keys', { name: 'all', role: 'administrator' }),
    ])
    const key = await post('/v1/api-keys', {
      name: 'less',
      scopes: ['keys:write', 'roles:write', 'events:read'],
    })
    assert.equal(key.status, 201, key.text)
    const machine = as({ token: key.body.key })
    const lacking = { reason: 'scope_required', scope: 'audit:read' }
    const widest = await machine.post('/v1/roles', { name: 'Theirs', permissions: ['audit:read'] })
    assertError(widest, 'FORBIDDEN', lacking)
    assertError(await machine.patch(`/v1/roles/${wider}`, { name: 'x' }), 'FORBIDDEN', {
      ...{ reason: 'scope_required', scope: 'members:write' },
    })
    // Sending an invitation again requires the permissions to make it, even if an administrator made it.
    for (const [given, status] of [
      ['administrator', 403],
      ['member', 403],
      [wider, 403],
      [narrower, 200],
    ] as const) {
      const { body } = await as(admin).post('/v1/invitations', { email: email(), role: given })
      assert.equal((await post(`/v1/invitations/${body.id}/resend`, {})).status, status, given)
    }
    assert.equal((await patch(place(other), { role })).status, 200)
    assert.equal((await post('/v1/invitations', { email: email(), role: narrower })).status, 201)
    // Of its own role a person may make less, and then not more again.
    assert.equal((await patch(`/v1/roles/${role}`, { permissions: own.slice(2) })).status, 200)
    await refused('members:write', [patch(`/v1/roles/${role}`, { permissions: own })])
    await refused('members:write', [patch(place(other), { role: narrower })])
  })

  it('that becomes narrower ends at once what it permitted: calls, streams, and pending invitations that rest on it', async () => {
    const { postern, admin, as, holder, make } = await scene()
    const own = ['invitations:write', 'deliveries:read', 'events:read', 'audit:read']
    const { role, person } = await holder('Deputies', own)
    const auditors = await make('Auditors', ['audit:read'])
    const readers = await make('Readers', ['events:read'])
    const stream = await watchLive(postern.url, person.token)
    const invite = async (given: string) =>
      (await as(person).post('/v1/invitations', { email: newEmail(), role: given })).body.id
    const [first, second] = [await invite(auditors), await invite(readers)]
    const statusOf = async (id: string) => (await as(admin).get(`/v1/invitations/${id}`)).body.status
    const narrow = (permissions: string[]) => as(admin).patch(`/v1/roles/${role}`, { permissions })
    assert.equal((await narrow(own.slice(0, 3))).status, 200)
    assertError(await as(person).get('/v1/audit-log'), 'FORBIDDEN', { scope: 'audit:read' })
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['revoked', 'pending'])
    assert.equal((await narrow(['events:read'])).status, 200)
    assertError(await as(person).post('/v1/invitations', { email: newEmail() }), 'FORBIDDEN')
    assert.equal(await statusOf(second), 'revoked')
    postern.clock.advance(LIFETIME.credentialCache)
    await stream.sees('the end', ({ event, data }) => event === 'end' && data.reason === 'revoked')
    await within('the answer to end', stream.over)
    assert.equal((await narrow([...own])).status, 200)
    assert.equal((await as(person).get('/v1/audit-log')).status, 200)
  })

  it('that an administrator gets instead leaves them no invitation to administer', async () => {
    const { postern, admin, as, make, place } = await scene()
    const eve = await member(postern, admin, 'administrator')
    const role = await make('Inviters', [...OF_MEMBERS, 'invitations:write'])
    const invite = async (given: string) =>
      (await as(eve).post('/v1/invitations', { email: newEmail(), role: given })).body.id
    const ids = [await invite('administrator'), await invite('member'), await invite(role)]
    const changed = await as(admin).patch(place(eve), { role })
    assert.deepEqual([changed.status, changed.body.roleName], [200, 'Inviters'], changed.text)
    const statuses = ids.map(async (id) => (await as(admin).get(`/v1/invitations/${id}`)).body.status)
    assert.deepEqual(await Promise.all(statuses), ['revoked', 'pending', 'pending'])
    const last = await as(admin).patch(place(admin), { role })
    assertError(last, 'FORBIDDEN', { reason: 'last_administrator' })
    const [entry] = (await as(admin).get('/v1/audit-log?action=member.role_changed')).body.data
    assert.deepEqual(entry.details, { from: 'administrator', to: role })
    assert.equal((await as(eve).post('/v1/invitations', { email: newEmail() })).status, 201)
  })

  it('is not deleted while a member has it or a pending invitation names it', async () => {
    const { postern, admin, as, holder, place } = await scene()
    const { role, person } = await holder('Support', ['files:read'])
    const wish = { email: newEmail(), role, expiresInDays: 1 }
    const { body: invited } = await as(admin).post('/v1/invitations', wish)
    const remove = () => as(admin).delete(`/v1/roles/${role}`)
    assertError(await remove(), 'FORBIDDEN', { reason: 'role_in_use', members: 1, invitations: 1 })
    assert.equal((await as(admin).patch(place(person), { role: 'member' })).status, 200)
    assertError(await remove(), 'FORBIDDEN', { reason: 'role_in_use', members: 0, invitations: 1 })
    assert.deepEqual(claimsOf(await tokenOf(person.client)).roles, ['member'])
    // One that has expired names it no longer, and is not sent again.
    postern.clock.advance(DAY)
    const again = as({ token: await tokenOf(admin.client) })
    assert.equal((await again.delete(`/v1/roles/${role}`)).status, 204)
    const resent = await again.post(`/v1/invitations/${invited.id}/resend`, {})
    assertError(resent, 'FORBIDDEN', { reason: 'invitation_expired' })
    const { body } = await again.get(`/v1/invitations/${invited.id}`)
    assert.deepEqual([body.role, body.roleName, body.status], [role, null, 'expired'])
  })
})
