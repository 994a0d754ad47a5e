import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { assertError } from '../support/attacks.ts'
import { administrator, apiKey, member, newEmail } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { assertScimError, directoryOf, domainRecords, standingOf } from '../support/scim.ts'

onBothEngines('attacks on provisioning', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const records = domainRecords()
  const server = usePostern(engine, { lookUpTexts: records.lookUpTexts })

  async function fresh() {
    const postern = await server()
    const admin = await administrator(postern)
    return { postern, admin, directory: await directoryOf(postern, admin) }
  }

  test('95 a provisioning key that leaked makes no administrator, and reaches nothing else', async () => {
    const { postern, admin, directory } = await fresh()
    const eve = await member(postern, admin)
    const { id } = await directory.user(eve.email, { roles: [{ value: 'administrator', primary: true }] })
    const group = await directory.group('administrator', [id])
    await directory.patch(`/Users/${id}`, [{ op: 'add', path: 'roles', value: [{ value: 'administrator' }] }])
    await directory.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: [{ value: id }] }])
    const asked = await directory.patch(`/Groups/${group.id}`, [
      { op: 'replace', path: 'role', value: 'administrator' },
    ])
    assertScimError(asked, 400, 'VALIDATION_FAILED', { type: 'invalidPath' })
    assert.equal((await standingOf(postern, admin, eve.email))?.role, 'member')
    const call = { token: directory.key }
    const client = postern.client()
    const role = { role: 'administrator' }
    for (const answer of [
      await client.patch(`/v1/scim/groups/${group.id}`, role, call),
      await client.patch('/v1/scim', { endKeys: true }, call),
      await client.post('/v1/api-keys', { name: 'more' }, call),
      await client.post('/v1/invitations', { email: newEmail(), role: 'administrator' }, call),
      await client.get('/v1/api-keys', call),
    ])
      assertError(answer, 'FORBIDDEN', { reason: 'scope_required' })
    // A key with all permissions cannot map a group to administrators: this requires a person.
    const whole = { token: await apiKey(postern, admin) }
    assertError(await client.patch(`/v1/scim/groups/${group.id}`, role, whole), 'FORBIDDEN', {
      reason: 'person_required',
    })
    // The end of the key revokes its invitations.
    const email = newEmail('by-leaked')
    await directory.user(email)
    const { data } = (await client.get('/v1/api-keys', { token: admin.token })).body
    const key = data.find(({ scopes }: { scopes: string[] | null }) => scopes?.includes('scim:write'))
    assert.equal((await client.delete(`/v1/api-keys/${key.id}`, { token: admin.token })).status, 204)
    assert.equal((await standingOf(postern, admin, email))?.membership, 'none')
  })

  it('96 a directory admits no person by an address whose domain another organization has proven, and takes over no account', async () => {
    const [ours, theirs] = [await fresh(), await fresh()]
    await records.prove(theirs.postern, theirs.admin, 'acme.test')
    const victim = await member(theirs.postern, theirs.admin)
    await ours.directory.user(victim.email)
    assert.equal((await standingOf(ours.postern, ours.admin, victim.email))?.membership, 'invited')
    const token = await victim.client.get(`/v1/auth/token?organizationId=${ours.admin.organizationId}`)
    assert.equal(token.status, 403, token.text)
    // A person whom our directory removes keeps everything in other organizations.
    const { Resources } = (await ours.directory.get('/Users')).body
    assert.equal((await ours.directory.remove(`/Users/${Resources[0].id}`)).status, 204)
    assert.equal((await ours.postern.client().get('/v1/webhooks', { token: victim.token })).status, 200)
    // After the proof has lapsed the directory admits no person directly.
    const mine = await fresh()
    const path = (await mine.postern.client().get('/v1/domains', { token: theirs.admin.token })).body.data[0]
      .id
    await theirs.postern.client().delete(`/v1/domains/${path}`, { token: theirs.admin.token })
    await theirs.directory.user(ours.admin.email)
    assert.equal((await standingOf(theirs.postern, theirs.admin, ours.admin.email))?.membership, 'invited')
  })

  test('97 bodies, paths and filters that are made to be slow or large are refused at once', async () => {
    const { postern, directory } = await fresh()
    const { id } = await directory.user(newEmail('slow'), { active: false })
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const bodies = [
      deep(20_000),
      `{"userName":"a@acme.test","emails":[${Array(20_000).fill('{}').join()}]}`,
      `{"userName":"a@acme.test","emails":[${Array(20_000).fill('""').join()}]}`,
      JSON.stringify({ userName: 'a@acme.test', displayName: 'x'.repeat(60_000) }),
      JSON.stringify({ userName: 'x'.repeat(200_000) }),
      JSON.stringify({ Operations: [{ op: 'replace', path: `emails[${'type eq "a" and '.repeat(4_000)}` }] }),
      JSON.stringify({ Operations: [{ op: 'replace', path: '['.repeat(60_000) }] }),
    ]
    const before = process.cpuUsage()
    for (const body of bodies)
      for (const answer of [
        await directory.post('/Users', body),
        await directory.patch(`/Users/${id}`, JSON.parse(body)),
      ])
        assert.equal(answer.status, 400, answer.text.slice(0, 300))
    for (const filter of [
      '('.repeat(6_000),
      'userName eq "a" and '.repeat(500),
      `userName eq "${'\\'.repeat(5_000)}`,
    ]) {
      const answer = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`)
      assert.equal(answer.status, 400, answer.text.slice(0, 300))
    }
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 5 * SECOND * 1_000, `${(user + system) / 1_000} ms`)
    assert.equal((await postern.client().get('/v1/health')).status < 500, true)
    assert.equal((await directory.read(id)).active, false)
  })
})
