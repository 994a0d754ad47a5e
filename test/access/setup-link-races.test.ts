import assert from 'node:assert/strict'
import { describe, it as test } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { holdRows, inOrder } from '../support/held-rows.ts'
import { administrator } from '../support/people.ts'
import { directoryWith } from '../support/scim.ts'
import { auditOf, makeSetupLink, openSetupLink, putProvider } from '../support/setup-links.ts'
import { useSso } from '../support/sso.ts'

// SQLite has one writer: there is nothing between the statements of a transaction.
describe('a revocation of a setup link against a write by it on PostgreSQL', () => {
  const { server } = useSso('postgres')

  async function made() {
    const { postern, openId } = await server()
    const admin = await administrator(postern)
    const call = { token: admin.token }
    const revoke = (id: string) => postern.client().delete(`/v1/setup-links/${id}`, call)
    const read = async (path: string) => (await postern.client().get(path, call)).body
    return { postern, provider: { kind: 'oidc', oidc: openId.oidc }, admin, revoke, read }
  }

  test('leaves nothing to the writes that wait behind it', async () => {
    const { postern, provider, admin, revoke, read } = await made()
    const { id, it } = await openSetupLink(postern, admin)
    const rows = await holdRows(postern, 'setup_link', 'id = $1', [id])
    try {
      const revoked = await rows.lineUp(() => revoke(id))
      const late = [
        await rows.lineUp(() => putProvider(it, provider)),
        await rows.lineUp(() => it.post('/v1/setup/directory')),
        await rows.lineUp(() => it.post('/v1/setup/domains', { name: `late-${process.pid}.test` })),
      ]
      await rows.release()
      assert.equal((await revoked.answer).status, 204)
      for (const { answer } of late) assertError(await answer, 'UNAUTHORIZED')
    } finally {
      await rows.release()
    }
    for (const path of ['/v1/identity-providers', '/v1/api-keys', '/v1/domains'])
      assert.deepEqual((await read(path)).data, [], path)
    assert.equal((await read(`/v1/setup-links/${id}`)).status, 'revoked')
    assert.deepEqual(await auditOf(postern, admin, id), ['setup_link.opened'])
  })

  test('leaves whole what was written right before it, and ends the link all the same', async () => {
    const { postern, provider, admin, revoke, read } = await made()
    const { id, it } = await openSetupLink(postern, admin)
    const [written, revoked] = await inOrder(postern, 'setup_link', id, [
      () => putProvider(it, provider),
      () => revoke(id),
    ])
    assert.deepEqual([written.status, revoked.status], [200, 204], written.text)
    const link = await read(`/v1/setup-links/${id}`)
    const [kept] = (await read('/v1/identity-providers')).data
    assert.deepEqual([link.status, link.identityProviderId, kept.status], ['revoked', kept.id, 'disabled'])
    assertError(await it.post('/v1/setup/identity-provider/test'), 'UNAUTHORIZED')

    const other = await openSetupLink(postern, admin, { purposes: ['directory'] })
    const [key, ended] = await inOrder(postern, 'setup_link', other.id, [
      () => other.it.post('/v1/setup/directory'),
      () => revoke(other.id),
    ])
    assert.deepEqual([key.status, ended.status], [201, 204], key.text)
    assert.equal((await directoryWith(postern, key.body.key).get('/Users')).status, 200)
    assertError(await other.it.post('/v1/setup/directory'), 'UNAUTHORIZED')
  })

  test('lets nobody open a link behind it, and ends one that was opened right before it', async () => {
    const { postern, admin, revoke, read } = await made()
    const first = await makeSetupLink(postern, admin)
    const late = postern.client()
    const [revoked, refused] = await inOrder(postern, 'setup_link', first.id, [
      () => revoke(first.id),
      () => late.post('/v1/setup/open', { token: first.secret }),
    ])
    assert.equal(revoked.status, 204, revoked.text)
    assertError(refused, 'ENTITY_NOT_FOUND', { field: 'token' })
    assert.equal(late.cookies.has('setup'), false)
    const second = await makeSetupLink(postern, admin)
    const it = postern.client()
    const [opened, ended] = await inOrder(postern, 'setup_link', second.id, [
      () => it.post('/v1/setup/open', { token: second.secret }),
      () => revoke(second.id),
    ])
    assert.deepEqual([opened.status, ended.status], [200, 204], opened.text)
    assert.equal((await read(`/v1/setup-links/${second.id}`)).status, 'revoked')
    assertError(await it.get('/v1/setup'), 'UNAUTHORIZED')
  })
})
