import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { holdRows, inOrder } from '../support/held-rows.ts'
import { membershipsOf } from '../support/invitees.ts'
import { administrator, member, newEmail, type Person, signUp, signUpBody } from '../support/people.ts'
import { onBothEngines, type Postern, usePostern } from '../support/postern.ts'
import { type Directory, directoryOf, standingOf } from '../support/scim.ts'

async function makeScene(
  postern: Postern,
): Promise<{ postern: Postern; admin: Person; directory: Directory }> {
  const admin = await administrator(postern)
  return { postern, admin, directory: await directoryOf(postern, admin) }
}

const deactivate = (directory: Directory, id: string) =>
  directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])

onBothEngines('requests of a directory at the same time', (engine) => {
  const server = usePostern(engine)

  it('make one user of many with one name, and one invitation', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const email = newEmail('twice')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        directory.post('/Users', { userName: at % 2 ? email : email.toUpperCase() }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)])
    const { data } = (await postern.client().get('/v1/invitations?status=pending', { token: admin.token }))
      .body
    assert.equal(data.length, 1)
  })

  it('put a user into a group once, and all users who are added at once', async () => {
    const { directory } = await makeScene(await server())
    const users: string[] = []
    for (let left = 5; left > 0; left -= 1)
      users.push((await directory.user(newEmail(), { active: false })).id)
    const { id } = await directory.group('Busy')
    const answers = await Promise.all(
      [...users, ...users].map((value) =>
        directory.patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value: [{ value }] }]),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204])
    const { members } = (await directory.get(`/Groups/${id}`)).body
    assert.deepEqual(
      members.map(({ value }: { value: string }) => value),
      users,
    )
  })

  it('delete and create a user, and leave one or none', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const email = newEmail('flicker')
    for (let round = 3; round > 0; round -= 1) {
      const { id } = await directory.user(email)
      const [removed, made] = await Promise.all([
        directory.remove(`/Users/${id}`),
        directory.post('/Users', { userName: email }),
      ])
      assert.equal(removed.status, 204, removed.text)
      assert.ok([201, 409].includes(made.status), made.text)
      const standing = await standingOf(postern, admin, email)
      assert.equal(standing?.membership, made.status === 201 ? 'invited' : undefined)
      if (made.status === 201) await directory.remove(`/Users/${made.body.id}`)
    }
  })
})

// SQLite has one writer: there is nothing between the statements of a transaction.
describe('a directory and a person on PostgreSQL', () => {
  const server = usePostern('postgres')

  it('who is deprovisioned right behind a sign-up is no member afterwards', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const email = newEmail('joining')
    const { id } = await directory.user(email)
    const { token: invitationToken } = await postern.mailbox.next(email)
    const held = await holdRows(postern, 'account', 'email = $1', [email])
    const signedUp = await held.lineUp(() =>
      postern.client().post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken })),
    )
    const ended = await held.lineUp(() => deactivate(directory, id))
    await held.release()
    assert.equal((await signedUp.answer).status, 201)
    assert.equal((await ended.answer).status, 200)
    assert.deepEqual(await membershipsOf(postern, email), [])
    assert.equal((await standingOf(postern, admin, email))?.membership, 'none')
  })

  it('whose invitation is revoked right before a sign-up does not come in', async () => {
    const { postern, directory } = await makeScene(await server())
    const email = newEmail('late')
    const { id } = await directory.user(email)
    const { token: invitationToken } = await postern.mailbox.next(email)
    const held = await holdRows(postern, 'account', 'email = $1', [email])
    const ended = await held.lineUp(() => deactivate(directory, id))
    const signedUp = await held.lineUp(() =>
      postern.client().post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken })),
    )
    await held.release()
    assert.equal((await ended.answer).status, 200)
    assert.notEqual((await signedUp.answer).status, 201)
    assert.deepEqual(await membershipsOf(postern, email), [])
  })

  it('gets the role of a group that was mapped while the person joined', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const email = newEmail('mapped')
    const { id } = await directory.user(email)
    const group = await directory.group('Admins', [id])
    const { token: invitationToken } = await postern.mailbox.next(email)
    const held = await holdRows(postern, 'invitation', 'email = $1', [email])
    const signedUp = await held.lineUp(() =>
      signUp(postern, { email, invitationToken, organizationId: admin.organizationId }),
    )
    const mapped = await held.lineUp(() =>
      postern
        .client()
        .patch(`/v1/scim/groups/${group.id}`, { role: 'administrator' }, { token: admin.token }),
    )
    await held.release()
    await signedUp.answer
    assert.equal((await mapped.answer).status, 200)
    assert.deepEqual((await standingOf(postern, admin, email))?.role, 'administrator')
  })

  it('two changes of one user are both there', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const eve = await member(postern, admin)
    const { id } = await directory.user(eve.email)
    const [first, second] = await inOrder(postern, 'scim_user', id, [
      () => directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'displayName', value: 'Eve' }]),
      () => directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'externalId', value: 'ext' }]),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    const { displayName, externalId } = await directory.read(id)
    assert.deepEqual([displayName, externalId], ['Eve', 'ext'])
  })

  it('a key that ends right before it provisions provisions nobody', async () => {
    const { postern, admin, directory } = await makeScene(await server())
    const { data } = (await postern.client().get('/v1/api-keys', { token: admin.token })).body
    const [key] = data as { id: string }[]
    const email = newEmail('unkeyed')
    const [deleted, late] = await inOrder(postern, 'api_key', key?.id ?? '', [
      () => postern.client().delete(`/v1/api-keys/${key?.id}`, { token: admin.token }),
      () => directory.post('/Users', { userName: email }),
    ])
    assert.equal(deleted.status, 204, deleted.text)
    assert.ok([401, 403].includes(late.status), late.text)
    assert.equal(await standingOf(postern, admin, email), undefined)
  })
})
