import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import { directoryOf, standingOf } from '../support/scim.ts'
import { assertSignedIn } from '../support/social.ts'
import { atProvider, useSso } from '../support/sso.ts'

onBothEngines(
  'a person with a role from a group of the directory, and rules of an identity provider',
  (engine) => {
    const test = testOnOneEngineByDay(engine)
    const { server, acme, signIn } = useSso(engine)

    /** An organization whose identity provider makes `readers` of its claim readers, and others members, at each sign-in. */
    async function makeScene(more: object = { managesRoles: true }) {
      const { postern } = await server()
      const organization = await acme()
      const { admin, id, organizationId } = organization
      const call = { token: admin.token }
      const client = postern.client()
      const ownRole = async (name: string): Promise<string> => {
        const made = await client.post('/v1/roles', { name, permissions: ['events:read'] }, call)
        assert.equal(made.status, 201, made.text)
        return made.body.id
      }
      const [reader, writer] = [await ownRole('Reader'), await ownRole('Writer')]
      const rules = { roleRules: [{ claim: 'groups', value: 'readers', role: reader }] }
      const changed = await client.patch(`/v1/identity-providers/${id}`, { ...rules, ...more }, call)
      assert.equal(changed.status, 200, changed.text)
      const directory = await directoryOf(postern, admin)
      const email = organization.email()
      const subject = { ...atProvider(email), groups: ['readers'] }
      /** The person's role after a sign-in for which the provider's rules give `reader`. */
      const roleAfterSignIn = async () => {
        const { client: browser, answer } = await signIn(subject, { identityProviderId: id })
        const { organizations } = await assertSignedIn(browser, answer)
        return organizations.find((one: { id: string }) => one.id === organizationId)?.role
      }
      return {
        ...{ postern, admin, directory, email, reader, writer, roleAfterSignIn },
        roleNow: async () => (await standingOf(postern, admin, email))?.role,
        /** A group of the directory that makes writers. */
        async writers(users: string[]): Promise<string> {
          const group = await directory.group('Writers', users)
          const mapped = await client.patch(`/v1/scim/groups/${group.id}`, { role: writer }, call)
          assert.equal(mapped.status, 200, mapped.text)
          return group.id
        },
        async log(action: string) {
          const { data } = (await client.get(`/v1/audit-log?action=${action}`, call)).body
          return data.map(({ actorId, details }: { actorId: string; details: object }) => ({
            by: actorId.slice(0, 3),
            ...details,
          }))
        },
      }
    }

    it('keeps that of the group, where the rules came first, and gets that of the rules after its end', async () => {
      const scene = await makeScene()
      const { directory, email, reader, writer, roleAfterSignIn, roleNow, writers, log } = scene
      assert.equal(await roleAfterSignIn(), reader)
      const { id } = await directory.user(email)
      assert.equal(await roleNow(), reader)
      assert.equal(await roleAfterSignIn(), reader)
      const group = await writers([id])
      assert.equal(await roleNow(), writer)
      for (let round = 0; round < 2; round += 1) assert.equal(await roleAfterSignIn(), writer)
      const change = [{ op: 'remove', path: `members[value eq "${id}"]` }]
      assert.equal((await directory.patch(`/Groups/${group}`, change)).status, 204)
      assert.equal(await roleNow(), 'member')
      assert.equal(await roleAfterSignIn(), reader)
      assert.deepEqual(await log('member.role_changed'), [
        { by: 'idp', from: 'member', to: reader, because: 'identity_provider' },
        { by: 'svc', from: writer, to: 'member', because: 'scim_group' },
        { by: 'acc', from: reader, to: writer, because: 'scim_group' },
      ])
      assert.deepEqual(
        await log('identity_provider.role_kept'),
        Array(2).fill({ by: 'idp', because: 'scim_group', role: reader }),
      )
    })

    test('keeps that of the group, where the group came first, and so while nobody has signed in', async () => {
      const { directory, email, writer, reader, roleAfterSignIn, roleNow, writers, log } = await makeScene()
      const { id } = await directory.user(email)
      const group = await writers([id])
      assert.equal(await roleNow(), writer)
      for (let round = 0; round < 2; round += 1) assert.equal(await roleAfterSignIn(), writer)
      assert.equal((await directory.remove(`/Groups/${group}`)).status, 204)
      assert.equal(await roleAfterSignIn(), reader)
      assert.deepEqual(await log('member.role_changed'), [
        { by: 'idp', from: 'member', to: reader, because: 'identity_provider' },
        { by: 'svc', from: writer, to: 'member', because: 'scim_group' },
      ])
    })

    test('comes back by a sign-in with that of the group', async () => {
      const { postern, admin, directory, email, writer, roleAfterSignIn, roleNow, writers } = await makeScene(
        {},
      )
      const { id } = await directory.user(email)
      await writers([id])
      assert.equal(await roleAfterSignIn(), writer)
      const { accountId } = (await standingOf(postern, admin, email)) ?? {}
      const path = `/v1/organizations/${admin.organizationId}/members/${accountId}`
      assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
      assert.equal(await roleNow(), null)
      assert.equal(await roleAfterSignIn(), writer)
    })

    it('gets that of the rules, where the directory has ended the user', async () => {
      const { directory, email, reader, roleAfterSignIn, writers } = await makeScene()
      const { id } = await directory.user(email)
      await writers([id])
      const ended = await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
      assert.equal(ended.status, 200, ended.text)
      assert.equal(await roleAfterSignIn(), reader)
    })
  },
)
