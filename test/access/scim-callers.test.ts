import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PERMISSION_NAMES } from '#src/http/permissions.ts'
import { administrator, apiKey, member, newEmail } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { assertScimError, type Directory, directoryOf, directoryWith } from '../support/scim.ts'
import { createTenant, deadBearers } from '../support/tenants.ts'

/** Every route of SCIM that asks for a credential. */
const ROUTES: Record<
  string,
  (directory: Directory, ids: { user: string; group: string }) => ReturnType<Directory['get']>
> = {
  'GET Users': ({ get }) => get('/Users'),
  'GET Users/{id}': ({ get }, { user }) => get(`/Users/${user}`),
  'POST Users': ({ post }) => post('/Users', { userName: newEmail(), active: false }),
  'PUT Users/{id}': ({ put }, { user }) => put(`/Users/${user}`, { userName: newEmail() }),
  'PATCH Users/{id}': ({ patch }, { user }) =>
    patch(`/Users/${user}`, [{ op: 'add', path: 'title', value: 'x' }]),
  'DELETE Users/{id}': ({ remove }, { user }) => remove(`/Users/${user}`),
  'GET Groups': ({ get }) => get('/Groups'),
  'GET Groups/{id}': ({ get }, { group }) => get(`/Groups/${group}`),
  'POST Groups': ({ post }) => post('/Groups', { displayName: 'A group' }),
  'PUT Groups/{id}': ({ put }, { group }) => put(`/Groups/${group}`, { displayName: 'Another' }),
  'PATCH Groups/{id}': ({ patch }, { group }) =>
    patch(`/Groups/${group}`, [{ op: 'remove', path: 'members' }]),
  'DELETE Groups/{id}': ({ remove }, { group }) => remove(`/Groups/${group}`),
}

onOneEngineByDay('every route of SCIM', (engine) => {
  const server = usePostern(engine)
  let made: ReturnType<typeof make> | undefined

  async function make() {
    const postern = await server()
    const admin = await administrator(postern)
    const tenant = await createTenant(postern)
    const keys = {
      without: await apiKey(
        postern,
        admin,
        'administrator',
        PERMISSION_NAMES.filter((name) => name !== 'scim:write'),
      ),
      ofMember: await apiKey(postern, admin, 'member'),
    }
    return { postern, admin, keys, person: await member(postern, admin), dead: await deadBearers(tenant) }
  }

  for (const [name, call] of Object.entries(ROUTES))
    it(`${name} takes who has the scope alone, and shows nothing of another organization`, async () => {
      made ??= make()
      const { postern, admin, keys, person, dead } = await made
      const directory = await directoryOf(postern, admin)
      const { id: user } = await directory.user(newEmail(), { active: false })
      const { id: group } = await directory.group('A group')
      const ids = { user, group }
      const as = (token: string) => call(directoryWith(postern, token), ids)
      for (const token of ['garbage', ...Object.values(dead)])
        assertScimError(await as(token), 401, 'UNAUTHORIZED')
      assertScimError(await as(keys.without), 403, 'FORBIDDEN', { detail: /scope_required/ })
      for (const token of [keys.ofMember, person.token])
        assertScimError(await as(token), 403, 'FORBIDDEN', { detail: /administrator_required/ })
      if (name.endsWith('{id}')) {
        const other = await directoryOf(postern, await administrator(postern))
        assertScimError(await call(other, ids), 404, 'ENTITY_NOT_FOUND')
      }
      const answer = await call(directory, ids)
      assert.ok(answer.status < 300, answer.text)
    })
})
