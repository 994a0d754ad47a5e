import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { holdRows, inOrder } from '../support/held-rows.ts'
import { inviteByMail, membershipsOf } from '../support/invitees.ts'
import { administrator, member, newEmail, type Person, signUpBody } from '../support/people.ts'
import { type Postern, usePostern } from '../support/postern.ts'

/** An administrator, and a member with a role of the organization's own. */
async function holderOf(postern: Postern, permissions: string[]) {
  const admin = await administrator(postern)
  const role = await makeRole(postern, admin, permissions)
  return { admin, role, person: await member(postern, admin, role) }
}

async function makeRole(postern: Postern, { token }: Person, permissions: string[]): Promise<string> {
  const wish = { name: newEmail('role'), permissions }
  const made = await postern.client().post('/v1/roles', wish, { token })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const change = (postern: Postern, { token }: Person, role: string, permissions: string[]) =>
  postern.client().patch(`/v1/roles/${role}`, { permissions }, { token })
const remove = (postern: Postern, { token }: Person, role: string) =>
  postern.client().delete(`/v1/roles/${role}`, { token })
const invite = (postern: Postern, { token }: { token: string }, role: string) =>
  postern.client().post('/v1/invitations', { email: newEmail(), role }, { token })
const statusOf = async (postern: Postern, { token }: Person, invitation: string) =>
  (await postern.client().get(`/v1/invitations/${invitation}`, { token })).body.status

// SQLite has one writer: there is nothing between the statements of a transaction.
describe('two transactions about one role on PostgreSQL', () => {
  const server = usePostern('postgres')

  it('an invitation that its holder makes right before the role is narrowed is revoked by that', async () => {
    const postern = await server()
    const { admin, role, person } = await holderOf(postern, ['invitations:write', 'events:read'])
    const given = await makeRole(postern, admin, ['events:read'])
    const [invited, narrowed] = await inOrder(postern, 'role', role, [
      () => invite(postern, person, given),
      () => change(postern, admin, role, ['invitations:write']),
    ])
    assert.deepEqual([invited.status, narrowed.status], [201, 200], invited.text)
    assert.equal(await statusOf(postern, admin, invited.body.id), 'revoked')
  })

  it('its holder invites nobody to what a narrowing right before has taken from them', async () => {
    const postern = await server()
    const { admin, role, person } = await holderOf(postern, ['invitations:write', 'events:read'])
    const given = await makeRole(postern, admin, ['events:read'])
    const [narrowed, late] = await inOrder(postern, 'role', role, [
      () => change(postern, admin, role, ['invitations:write']),
      () => invite(postern, person, given),
    ])
    assert.equal(narrowed.status, 200, narrowed.text)
    assertError(late, 'FORBIDDEN', { reason: 'permission_required', scope: 'events:read' })
  })

  it('a role that is deleted right before an invitation names it is none, and one that an invitation has just named stays', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const first = await makeRole(postern, admin, ['events:read'])
    const [deleted, late] = await inOrder(postern, 'role', first, [
      () => remove(postern, admin, first),
      () => invite(postern, admin, first),
    ])
    assert.equal(deleted.status, 204, deleted.text)
    assertError(late, 'ENTITY_NOT_FOUND', { field: 'role' })
    const second = await makeRole(postern, admin, ['events:read'])
    const [invited, refused] = await inOrder(postern, 'role', second, [
      () => invite(postern, admin, second),
      () => remove(postern, admin, second),
    ])
    assert.equal(invited.status, 201, invited.text)
    assertError(refused, 'FORBIDDEN', { reason: 'role_in_use', members: 0, invitations: 1 })
  })

  it('a role is not deleted under the person who has just accepted it', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const role = await makeRole(postern, admin, ['events:read'])
    const invited = await inviteByMail(postern, admin, undefined, { role })
    const rows = await holdRows(postern, 'invitation', 'id = $1', [invited.id])
    const body = signUpBody(invited.email, { invitationToken: invited.token })
    const accepted = await rows.lineUp(() => postern.client().post('/v1/auth/sign-up/email', body))
    const deleting = remove(postern, admin, role)
    await rows.release()
    const [entry, refused] = [await accepted.answer, await deleting]
    assert.equal(entry.status, 201, entry.text)
    // Either it found the invitation still open, or the member.
    assertError(refused, 'FORBIDDEN', { reason: 'role_in_use' })
    assert.deepEqual(await membershipsOf(postern, invited.email), [admin.organizationId])
  })

  it('of two changes at once each notes what it has added and removed itself', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const role = await makeRole(postern, admin, ['events:read', 'files:read'])
    const answers = await inOrder(postern, 'role', role, [
      () => change(postern, admin, role, ['events:read']),
      () => change(postern, admin, role, ['events:read', 'runs:read']),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const path = `/v1/audit-log?target=${role}&action=role.updated`
    const { data } = (await postern.client().get(path, { token: admin.token })).body
    const changes = data.map(({ details }: { details: Record<string, string> }) => [
      details.added,
      details.removed,
    ])
    assert.deepEqual(changes, [
      ['runs:read', undefined],
      [undefined, 'files:read'],
    ])
  })
})

describe('a role that was deleted, where tokens are not checked at each request', () => {
  const server = usePostern('sqlite', { env: { TOKEN_CHECK: 'stateless' } })

  it('lets a token of before read for its 60 minutes, and gives and ends no right by it', async () => {
    const postern = await server()
    const { admin, role, person } = await holderOf(postern, [
      'invitations:write',
      'events:read',
      'audit:read',
    ])
    const place = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    const moved = await postern.client().patch(place, { role: 'member' }, { token: admin.token })
    assert.equal(moved.status, 200, moved.text)
    assert.equal((await remove(postern, admin, role)).status, 204)
    assert.equal((await postern.client().get('/v1/audit-log', { token: person.token })).status, 200)
    assertError(await invite(postern, person, 'member'), 'FORBIDDEN', {})
  })
})
