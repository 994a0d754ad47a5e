import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Answer } from '../support/browser.ts'
import { administrator, member, newEmail } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { directoryOf, GROUP, PATCH, standingOf, USER } from '../support/scim.ts'

/** The requests of the two directories that most organizations have, one after the other, as their documents show them. */
onBothEngines('the provisioning of', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  async function fresh() {
    const postern = await server()
    const admin = await administrator(postern)
    const directory = await directoryOf(postern, admin)
    const query = (resource: string, filter: string, more = '') =>
      directory.get(`/${resource}?filter=${encodeURIComponent(filter)}${more}`)
    return { postern, admin, directory, query }
  }
  const idsIn = ({ body }: Answer) => body.Resources.map(({ id }: { id: string }) => id)
  const patchOf = (...Operations: object[]) => ({ schemas: [PATCH], Operations })

  it('Entra ID: users and groups are found before they are made, changed with its own operations, and disabled', async () => {
    const { postern, admin, directory, query } = await fresh()
    // Its test of a connection asks for a user who cannot be there.
    const probe = await query('Users', `userName eq "${crypto.randomUUID()}"`)
    assert.deepEqual([probe.status, probe.body.totalResults, probe.body.Resources], [200, 0, []])
    const person = await member(postern, admin)
    const upn = person.email
    const made = await directory.post('/Users', {
      schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: upn,
      active: true,
      displayName: 'Test User',
      emails: [{ primary: true, type: 'work', value: upn }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Test User', familyName: 'User', givenName: 'Test' },
      roles: [],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        department: 'R',
        manager: { value: 'x' },
      },
    })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    assert.deepEqual(idsIn(await query('Users', `userName eq "${upn.toUpperCase()}"`)), [id])
    const found = await query('Users', 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')
    assert.deepEqual(idsIn(found), [id])
    const address = newEmail('entra')
    const changed = await directory.patch(
      `/Users/${id}`,
      patchOf(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: address },
        { op: 'Add', path: 'name.familyName', value: 'Updated' },
        { op: 'Replace', path: 'displayName', value: 'Updated User' },
        { op: 'Add', path: 'addresses[type eq "work"].country', value: 'DE' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
        {
          op: 'Replace',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'S',
        },
        { op: 'Remove', path: 'title' },
      ),
    )
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.emails[0].value, changed.body.name.familyName, changed.body.displayName],
      [address, 'Updated', 'Updated User'],
    )
    const group = await directory.post('/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'Staff',
      meta: { resourceType: 'Group' },
    })
    assert.equal(group.status, 201, group.text)
    const path = `/Groups/${group.body.id}`
    assert.equal((await directory.get(`${path}?excludedAttributes=members`)).body.members, undefined)
    assert.deepEqual(idsIn(await query('Groups', 'displayName eq "staff"', '&excludedAttributes=members')), [
      group.body.id,
    ])
    await postern
      .client()
      .patch(`/v1/scim/groups/${group.body.id}`, { role: 'administrator' }, { token: admin.token })
    const added = await directory.patch(
      path,
      patchOf({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }),
    )
    assert.equal(added.status, 204, added.text)
    const roleNow = async () => (await standingOf(postern, admin, address))?.role
    assert.equal(await roleNow(), 'administrator')
    // Both ways in which it takes a user out.
    const removed = patchOf({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] })
    assert.equal((await directory.patch(path, removed)).status, 204)
    assert.equal(await roleNow(), 'member')
    await directory.patch(path, patchOf({ op: 'Add', path: 'members', value: [{ value: id }] }))
    const filtered = patchOf({ op: 'Remove', path: `members[value eq "${id}"]` })
    assert.equal((await directory.patch(path, filtered)).status, 204)
    assert.equal(await roleNow(), 'member')
    assert.equal(
      (await directory.patch(path, patchOf({ op: 'Replace', path: 'displayName', value: 'Everybody' })))
        .status,
      204,
    )
    // Who is disabled, or no longer assigned, is not active; who is deleted for good is deleted.
    const disabled = await directory.patch(
      `/Users/${id}`,
      patchOf({ op: 'Replace', path: 'active', value: 'False' }),
    )
    assert.deepEqual([disabled.status, disabled.body.active], [200, false])
    assert.equal((await postern.client().get('/v1/webhooks', { token: person.token })).status, 401)
    assert.equal((await directory.remove(`/Users/${id}`)).status, 204)
    assert.equal((await directory.remove(path)).status, 204)
  })

  test('Okta: users and groups are imported, assigned, pushed, and deactivated', async () => {
    const { postern, admin, directory, query } = await fresh()
    // Its test of a connection, and an import.
    assert.equal((await directory.get('/Users?startIndex=1&count=2')).body.totalResults, 0)
    assert.equal((await directory.get('/Groups?startIndex=1&count=100')).body.totalResults, 0)
    const person = await member(postern, admin)
    const email = person.email
    assert.equal(
      (await query('Users', `userName eq "${email}"`, '&startIndex=1&count=100')).body.totalResults,
      0,
    )
    const profile = {
      schemas: [USER],
      userName: email,
      name: { givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ primary: true, value: email, type: 'work' }],
      displayName: 'Isaac Brock',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const made = await directory.post('/Users', profile)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.password, undefined)
    const { id } = made.body
    assert.equal((await directory.get(`/Users/${id}`)).body.userName, email)
    const whole = {
      ...profile,
      id,
      name: { givenName: 'Isaac', familyName: 'Updated' },
      meta: { resourceType: 'User' },
    }
    const put = await directory.put(`/Users/${id}`, whole)
    assert.deepEqual([put.status, put.body.name.familyName, put.body.id], [200, 'Updated', id])
    const group = await directory.post('/Groups', {
      schemas: [GROUP],
      displayName: 'Test SCIMv2',
      members: [],
    })
    assert.equal(group.status, 201, group.text)
    const path = `/Groups/${group.body.id}`
    assert.deepEqual(
      idsIn(await query('Groups', 'displayName eq "Test SCIMv2"', '&startIndex=1&count=100')),
      [group.body.id],
    )
    await postern
      .client()
      .patch(`/v1/scim/groups/${group.body.id}`, { role: 'administrator' }, { token: admin.token })
    const roleNow = async () => (await standingOf(postern, admin, email))?.role
    const pushed = patchOf(
      { op: 'remove', path: `members[value eq "${id}"]` },
      { op: 'add', path: 'members', value: [{ value: id, display: email }] },
    )
    assert.equal((await directory.patch(path, pushed)).status, 204)
    assert.equal(await roleNow(), 'administrator')
    const renamed = patchOf({ op: 'replace', value: { id: group.body.id, displayName: 'Renamed' } })
    assert.equal((await directory.patch(path, renamed)).status, 204)
    const replaced = await directory.put(path, {
      schemas: [GROUP],
      id: group.body.id,
      displayName: 'Renamed',
      members: [],
    })
    assert.deepEqual([replaced.status, replaced.body.members], [200, []])
    assert.equal(await roleNow(), 'member')
    // It never deletes a user: it deactivates, and reactivates.
    const deactivated = await directory.patch(
      `/Users/${id}`,
      patchOf({ op: 'replace', value: { active: false } }),
    )
    assert.deepEqual([deactivated.status, deactivated.body.active], [200, false])
    assert.equal((await standingOf(postern, admin, email))?.membership, 'none')
    assert.equal((await directory.put(`/Users/${id}`, { ...whole, active: true })).body.active, true)
    assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
    assert.equal((await directory.remove(path)).status, 204)
  })
})
