import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { holdRows } from '../support/held-rows.ts'
import { administrator, member, newEmail } from '../support/people.ts'
import { type Directory, directoryOf, standingOf } from '../support/scim.ts'
import { assertSignedIn } from '../support/social.ts'
import { atProvider, useSso } from '../support/sso.ts'

// Locks that are taken in two orders make PostgreSQL end one of the transactions: an answer of 500.
describe('a directory whose user has no account yet, on PostgreSQL', () => {
  const { server, acme, signIn } = useSso('postgres')

  async function makeScene() {
    const { postern } = await server()
    const organization = await acme()
    const { admin, organizationId } = organization
    const directory = await directoryOf(postern, admin)
    const hold = () => holdRows(postern, 'organization', 'id = $1', [organizationId])
    const { token } = await administrator(postern)
    /** Another organization invites the address, so that it has an account. */
    const inviteElsewhere = async (email: string) => {
      const answer = await postern.client().post('/v1/invitations', { email }, { token })
      assert.equal(answer.status, 201, answer.text)
    }
    return { ...organization, postern, directory, hold, inviteElsewhere }
  }
  const create = (directory: Directory, email: string, more: object = {}) =>
    directory.post('/Users', { userName: newEmail('upn'), emails: [{ value: email }], ...more })

  it('creates it once, where two create it at once and another organization invites the address between them', async () => {
    const { postern, admin, directory, hold, inviteElsewhere } = await makeScene()
    const email = newEmail('both')
    const held = await hold()
    try {
      const first = await held.lineUp(() => create(directory, email))
      const invited = await held.lineUp(() => inviteElsewhere(email))
      const second = await held.lineUp(() => create(directory, email))
      await held.release()
      const [one, two] = [await first.answer, await second.answer]
      assert.deepEqual([one.status, two.status], [201, 409], `${one.text} ${two.text}`)
      await invited.answer
      assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
    } finally {
      await held.release()
    }
  })

  it('creates it without access, where the address is invited elsewhere and created again meanwhile', async () => {
    const { postern, admin, directory, hold, inviteElsewhere } = await makeScene()
    const email = newEmail('idle')
    const held = await hold()
    try {
      const first = await held.lineUp(() => create(directory, email, { active: false }))
      await inviteElsewhere(email)
      const second = await held.lineUp(() => create(directory, email))
      await held.release()
      const statuses = [(await first.answer).status, (await second.answer).status]
      // Either order is right: the first request may wait for the account again, behind the second one.
      assert.deepEqual(statuses.toSorted(), [201, 409])
      const standing = await standingOf(postern, admin, email)
      assert.equal(standing?.membership, statuses[0] === 201 ? 'none' : 'invited')
    } finally {
      await held.release()
    }
  })

  it('deletes a user, where the address is invited elsewhere and created again meanwhile', async () => {
    const { directory, hold, inviteElsewhere } = await makeScene()
    const email = newEmail('gone')
    const made = await create(directory, email, { active: false })
    assert.equal(made.status, 201, made.text)
    const held = await hold()
    try {
      const removed = await held.lineUp(() => directory.remove(`/Users/${made.body.id}`))
      await inviteElsewhere(email)
      const again = await held.lineUp(() => create(directory, email))
      await held.release()
      assert.equal((await removed.answer).status, 204)
      assert.ok([201, 409].includes((await again.answer).status), (await again.answer).text)
    } finally {
      await held.release()
    }
  })

  it('gives a user another address, where that one is invited elsewhere and created meanwhile', async () => {
    const { postern, admin, directory, hold, inviteElsewhere } = await makeScene()
    const [before, email] = [newEmail('before'), newEmail('after')]
    const made = await create(directory, before)
    assert.equal(made.status, 201, made.text)
    const held = await hold()
    try {
      const moved = await held.lineUp(() =>
        directory.patch(`/Users/${made.body.id}`, [
          { op: 'replace', path: 'emails', value: [{ value: email }] },
        ]),
      )
      const invited = await held.lineUp(() => inviteElsewhere(email))
      const created = await held.lineUp(() => create(directory, email))
      await held.release()
      assert.deepEqual([(await moved.answer).status, (await created.answer).status], [200, 409])
      await invited.answer
      assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
    } finally {
      await held.release()
    }
  })

  it('gives a member another address without making an account for it', async () => {
    const { postern, admin, directory } = await makeScene()
    const eve = await member(postern, admin)
    const { id } = await directory.user(eve.email)
    const email = newEmail('unused')
    const moved = await directory.patch(`/Users/${id}`, [
      { op: 'replace', path: 'emails', value: [{ value: email }] },
    ])
    assert.equal(moved.status, 200, moved.text)
    assert.equal((await standingOf(postern, admin, email))?.accountId, eve.accountId)
    const rows = await postern.app.database.db
      .selectFrom('account')
      .where('email', '=', email)
      .select('id')
      .execute()
    assert.deepEqual(rows, [])
  })

  it('lets a person sign in by the identity provider, who is invited elsewhere and created by the directory meanwhile', async () => {
    const { postern, admin, directory, id, hold, inviteElsewhere, email: newAddress } = await makeScene()
    const email = newAddress()
    const held = await hold()
    try {
      const entered = await held.lineUp(() => signIn(atProvider(email), { identityProviderId: id }))
      const invited = await held.lineUp(() => inviteElsewhere(email))
      const created = await held.lineUp(() => create(directory, email))
      await held.release()
      const { client, answer } = await entered.answer
      await assertSignedIn(client, answer)
      assert.equal((await created.answer).status, 201, (await created.answer).text)
      await invited.answer
      assert.equal((await standingOf(postern, admin, email))?.membership, 'member')
    } finally {
      await held.release()
    }
  })

  it('and an administrator who invites the address at once make one invitation', async () => {
    const { postern, admin, directory, hold } = await makeScene()
    const email = newEmail('same')
    const held = await hold()
    try {
      const created = await held.lineUp(() => create(directory, email))
      const invited = await held.lineUp(() =>
        postern.client().post('/v1/invitations', { email }, { token: admin.token }),
      )
      await held.release()
      assert.deepEqual([(await created.answer).status, (await invited.answer).status], [201, 409])
      const list = await postern.client().get('/v1/invitations?status=pending', { token: admin.token })
      assert.equal(list.body.data.filter((one: { email: string }) => one.email === email).length, 1)
    } finally {
      await held.release()
    }
  })
})
