import assert from 'node:assert/strict'
import { it } from 'node:test'
import { watchLive } from '../support/live-stream.ts'
import { administrator, apiKey, member, newEmail, signUp } from '../support/people.ts'
import { platformKey } from '../support/platform.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import {
  assertScimError,
  directoryOf,
  directoryWith,
  domainRecords,
  standingOf,
  USER,
} from '../support/scim.ts'

onBothEngines('a user of a directory', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const records = domainRecords()
  const server = usePostern(engine, { lookUpTexts: records.lookUpTexts })
  let proven: Promise<Awaited<ReturnType<typeof makeScene>>> | undefined

  async function makeScene(postern: Postern) {
    const admin = await administrator(postern)
    return { postern, admin, directory: await directoryOf(postern, admin) }
  }
  /** An organization of its own, which has proven no domain. */
  const fresh = async () => makeScene(await server())
  /** The organization that has proven the domain of the people of these tests. */
  function owner() {
    proven ??= fresh().then(async (scene) => {
      await records.prove(scene.postern, scene.admin, 'acme.test')
      return scene
    })
    return proven
  }
  const auditOf = async ({ postern, admin }: Awaited<ReturnType<typeof fresh>>, target: string) => {
    const { body } = await postern.client().get(`/v1/audit-log?target=${target}`, { token: admin.token })
    return body.data as { action: string; actorId: string; details: Record<string, unknown> }[]
  }

  it('is created, read, listed, found, replaced, changed and deleted', async () => {
    const { directory } = await fresh()
    const email = newEmail('crud')
    const made = await directory.post('/Users', {
      schemas: [USER],
      userName: `${email}.upn`,
      externalId: 'ext-1',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      displayName: 'Ada L',
      title: 'Countess',
      emails: [
        { value: `home-${email}`, type: 'home' },
        { value: email.toUpperCase(), type: 'work' },
      ],
    })
    assert.equal(made.status, 201, made.text)
    assert.match(made.headers.get('content-type') ?? '', /^application\/scim\+json/)
    const user = made.body
    assert.equal(made.headers.get('location'), user.meta.location)
    assert.match(user.id, /^scu_/)
    const { created, lastModified } = user.meta
    assert.deepEqual(user, {
      schemas: [USER],
      id: user.id,
      externalId: 'ext-1',
      userName: `${email}.upn`,
      name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
      displayName: 'Ada L',
      active: true,
      emails: [{ value: email, type: 'work' }],
      meta: { resourceType: 'User', created, lastModified, location: user.meta.location },
    })
    assert.deepEqual(await directory.read(user.id), user)
    const found = async (filter: string) => {
      const answer = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.Resources.map(({ id }: { id: string }) => id)
    }
    for (const filter of [
      `userName eq "${email.toUpperCase()}.UPN"`,
      'externalId eq "ext-1"',
      `emails.value eq "${email}"`,
      `emails[type eq "work" and value eq "${email}"]`,
      `id eq "${user.id}"`,
      'displayName eq "ada l" and active eq true',
      `USERNAME EQ "${email}.upn" AND externalid eq "ext-1"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${email}.upn"`,
    ])
      assert.deepEqual(await found(filter), [user.id], filter)
    for (const filter of ['userName eq "nobody"', 'externalId eq "EXT-1"', 'active eq "False"', 'id eq "1"'])
      assert.deepEqual(await found(filter), [], filter)

    const replaced = await directory.put(`/Users/${user.id}`, { userName: 'ada', emails: [{ value: email }] })
    assert.equal(replaced.status, 200, replaced.text)
    assert.deepEqual(
      [replaced.body.userName, replaced.body.externalId, replaced.body.name, replaced.body.active],
      ['ada', undefined, undefined, true],
    )
    const changed = await directory.patch(`/Users/${user.id}`, [
      { op: 'Add', path: 'name.familyName', value: 'King' },
      { op: 'replace', value: { displayName: 'Ada K', 'name.givenName': 'Ada', title: 'Lady', id: 'other' } },
      { op: 'remove', path: 'emails[type eq "home"]' },
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'R',
      },
    ])
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.name, changed.body.displayName, changed.body.id],
      [{ familyName: 'King', givenName: 'Ada' }, 'Ada K', user.id],
    )
    assert.equal((await directory.remove(`/Users/${user.id}`)).status, 204)
    assertScimError(await directory.get(`/Users/${user.id}`), 404, 'ENTITY_NOT_FOUND')
    assertScimError(await directory.remove(`/Users/${user.id}`), 404, 'ENTITY_NOT_FOUND')
  })

  it('is listed in parts that count from 1, with the attributes that are asked for', async () => {
    const { directory } = await fresh()
    const made: string[] = []
    for (let left = 5; left > 0; left -= 1)
      made.push((await directory.user(newEmail('part'), { active: false })).id)
    const list = async (query: string) => (await directory.get(`/Users?${query}`)).body
    const idsOf = ({ Resources }: { Resources: { id: string }[] }) => Resources.map(({ id }) => id)
    const first = await list('startIndex=1&count=2')
    assert.deepEqual([first.totalResults, first.itemsPerPage, first.startIndex], [5, 2, 1])
    assert.deepEqual(idsOf(first), made.slice(0, 2))
    assert.deepEqual(idsOf(await list('startIndex=5&count=2')), made.slice(4))
    assert.deepEqual(idsOf(await list('startIndex=6&count=2')), [])
    // A value that is out of bounds, or not a number, is replaced by one within them.
    assert.deepEqual(idsOf(await list('startIndex=-3&count=100000')), made)
    assert.deepEqual(idsOf(await list('startIndex=x&count=')), made)
    assert.deepEqual([(await list('count=0')).totalResults, idsOf(await list('count=0'))], [5, []])
    const narrow = await list('count=1&attributes=userName,name.familyName')
    assert.deepEqual(Object.keys(narrow.Resources[0]), ['schemas', 'id', 'userName'])
    const without = await directory.get(`/Users/${made[0]}?excludedAttributes=emails,meta,id`)
    assert.deepEqual(Object.keys(without.body), ['schemas', 'id', 'userName', 'active'])
  })

  it('has a user name and an address of its own in the organization, whatever their case', async () => {
    const { directory } = await fresh()
    const email = newEmail('unique')
    await directory.user(email, { userName: 'Ada', active: false })
    const same = { userName: 'aDA', emails: [{ value: newEmail() }] }
    assertScimError(await directory.post('/Users', same), 409, 'DUPLICATE', {
      type: 'uniqueness',
      detail: /userName/,
    })
    const address = { userName: 'other', emails: [{ value: email.toUpperCase() }] }
    assertScimError(await directory.post('/Users', address), 409, 'DUPLICATE', { type: 'uniqueness' })
    const other = await directory.user(newEmail(), { active: false })
    const taken = await directory.patch(`/Users/${other.id}`, [
      { op: 'replace', path: 'userName', value: 'ADA' },
    ])
    assertScimError(taken, 409, 'DUPLICATE', { type: 'uniqueness' })
    // A user may change the case of its name.
    const own = await directory.patch(`/Users/${other.id}`, [
      { op: 'replace', path: 'userName', value: other.userName.toUpperCase() },
    ])
    assert.equal(own.status, 200, own.text)
    // What another organization calls its users is its own.
    const { directory: elsewhere } = await fresh()
    await elsewhere.user(newEmail(), { userName: 'Ada', active: false })
  })

  it('with an address of another domain is invited by mail, and comes in by signing up', async () => {
    const scene = await fresh()
    const { postern, admin, directory } = scene
    const email = newEmail('outside')
    const { id } = await directory.user(email)
    assert.deepEqual((await standingOf(postern, admin, email))?.membership, 'invited')
    const { data } = (await postern.client().get('/v1/invitations?status=pending', { token: admin.token }))
      .body
    assert.deepEqual(
      data.map((one: { email: string; role: string }) => [one.email, one.role]),
      [[email, 'member']],
    )
    const [created] = (await auditOf(scene, data[0].id)).filter(
      ({ action }) => action === 'invitation.created',
    )
    assert.equal(created?.details.because, 'scim')
    const { token: invitationToken } = await postern.mailbox.next(email)
    await signUp(postern, { email, invitationToken, organizationId: admin.organizationId })
    assert.equal((await standingOf(postern, admin, email))?.membership, 'member')
    const actions = (await auditOf(scene, id)).map(({ action }) => action)
    assert.deepEqual(actions, ['scim_user.created'])
  })

  it('of a proven domain with an account becomes a member at once, and one without is invited', async () => {
    const scene = await owner()
    const { postern, admin, directory } = scene
    const elsewhere = await administrator(postern)
    await directory.user(elsewhere.email)
    const standing = await standingOf(postern, admin, elsewhere.email)
    assert.deepEqual(
      [standing?.membership, standing?.role, standing?.accountId],
      ['member', 'member', elsewhere.accountId],
    )
    const tokens = await elsewhere.client.get(`/v1/auth/token?organizationId=${admin.organizationId}`)
    assert.equal(tokens.status, 200, tokens.text)
    const { data } = (
      await postern.client().get('/v1/audit-log?action=invitation.accepted&limit=1', { token: admin.token })
    ).body
    assert.match(data[0].actorId, /^svc_/)
    const email = newEmail('new')
    await directory.user(email)
    assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
  })

  test('whose address is handed out, and not proven, stays invited even where the domain is proven', async () => {
    const { postern, admin, directory } = await owner()
    const other = await administrator(postern)
    const body = { email: newEmail('handed'), sendEmail: false }
    const { acceptUrl } = (await postern.client().post('/v1/invitations', body, { token: other.token })).body
    const invitationToken = new URL(acceptUrl).searchParams.get('token') ?? ''
    await signUp(postern, { email: body.email, invitationToken, organizationId: other.organizationId })
    await directory.user(body.email)
    assert.equal((await standingOf(postern, admin, body.email))?.membership, 'invited')
  })

  test('who is a member already is linked, and keeps the role', async () => {
    const { postern, admin, directory } = await fresh()
    const eve = await member(postern, admin, 'administrator')
    await directory.user(eve.email)
    const standing = await standingOf(postern, admin, eve.email)
    assert.deepEqual(
      [standing?.membership, standing?.role, standing?.accountId],
      ['member', 'administrator', eve.accountId],
    )
  })

  for (const how of ['active is false', 'it is deleted'] as const)
    it(`loses everything at once when ${how}: tokens, streams, keys by the setting and what was made by that right`, async () => {
      const { postern, admin, directory } = await fresh()
      const eve = await member(postern, admin, 'administrator')
      const { id } = await directory.user(eve.email)
      const key = await apiKey(postern, eve)
      const kept = await apiKey(postern, admin)
      const invited = await postern
        .client()
        .post('/v1/invitations', { email: newEmail() }, { token: eve.token })
      const set = await postern.client().patch('/v1/scim', { endKeys: true }, { token: admin.token })
      assert.deepEqual([set.status, set.body.endKeys, set.body.users], [200, true, 1], set.text)
      const stream = await watchLive(postern.url, eve.token)
      if (how === 'it is deleted') assert.equal((await directory.remove(`/Users/${id}`)).status, 204)
      else {
        const answer = await directory.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }])
        assert.deepEqual([answer.status, answer.body.active], [200, false], answer.text)
      }
      const statusWith = async (token: string) =>
        (await postern.client().get('/v1/webhooks', { token })).status
      assert.deepEqual(await Promise.all([eve.token, key, kept].map(statusWith)), [401, 401, 200])
      await stream.over
      const gone = await eve.client.get(`/v1/auth/token?organizationId=${admin.organizationId}`)
      assert.equal(gone.status, 403, gone.text)
      const invitation = await postern
        .client()
        .get(`/v1/invitations/${invited.body.id}`, { token: admin.token })
      assert.equal(invitation.body.status, 'revoked')
      assert.equal((await postern.client().get('/v1/webhooks', { token: admin.token })).status, 200)
    })

  it('loses a pending invitation, and is invited anew when active again', async () => {
    const { postern, admin, directory } = await fresh()
    const email = newEmail('again')
    const { id } = await directory.user(email)
    const setActive = (active: unknown) =>
      directory.patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: active }])
    const standings: (string | undefined)[] = []
    for (const active of ['False', 'True', false, true]) {
      assert.equal((await setActive(active)).status, 200)
      standings.push((await standingOf(postern, admin, email))?.membership)
    }
    assert.deepEqual(standings, ['none', 'invited', 'none', 'invited'])
  })

  it('is readmitted at once where the domain is proven, and not by a change of anything else', async () => {
    const { postern, admin, directory } = await owner()
    const person = await administrator(postern)
    const { id } = await directory.user(person.email)
    const path = `/v1/organizations/${admin.organizationId}/members/${person.accountId}`
    assert.equal((await postern.client().delete(path, { token: admin.token })).status, 204)
    // An administrator has removed the person. The directory repeats the unchanged user, which adds none.
    const full = { userName: person.email, active: true, displayName: 'Person' }
    assert.equal((await directory.put(`/Users/${id}`, full)).status, 200)
    assert.equal((await standingOf(postern, admin, person.email))?.membership, 'none')
    for (const active of [false, true])
      assert.equal(
        (await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: active }])).status,
        200,
      )
    assert.equal((await standingOf(postern, admin, person.email))?.membership, 'member')
    // A request without `active` activates no user.
    await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    assert.equal((await directory.put(`/Users/${id}`, { userName: person.email })).body.active, false)
  })

  test('who is the last administrator stays, and the answer says why', async () => {
    const { postern, admin, directory } = await fresh()
    const { id } = await directory.user(admin.email)
    const inactive = await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    assertScimError(inactive, 403, 'FORBIDDEN', { detail: /last_administrator/ })
    assertScimError(await directory.remove(`/Users/${id}`), 403, 'FORBIDDEN', {
      detail: /last_administrator/,
    })
    assert.equal((await directory.read(id)).active, true)
    assert.equal((await standingOf(postern, admin, admin.email))?.membership, 'member')
  })

  it('takes no other account over by a change of address', async () => {
    const { postern, admin, directory } = await fresh()
    const eve = await member(postern, admin)
    const victim = await administrator(postern)
    const { id } = await directory.user(eve.email)
    const moved = await directory.patch(`/Users/${id}`, [
      { op: 'replace', path: 'emails[type eq "work"].value', value: victim.email },
    ])
    assert.equal(moved.status, 200, moved.text)
    const standing = await standingOf(postern, admin, victim.email)
    assert.deepEqual([standing?.membership, standing?.accountId], ['member', eve.accountId])
    assert.equal((await eve.client.get('/v1/auth/session')).body.user.email, eve.email)
    const intruding = await victim.client.get(`/v1/auth/token?organizationId=${admin.organizationId}`)
    assert.equal(intruding.status, 403, intruding.text)
    // The address that it had is not free for a second user: it is that account's.
    assertScimError(await directory.post('/Users', { userName: eve.email }), 409, 'DUPLICATE', {
      type: 'uniqueness',
    })
    await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    assert.equal((await postern.client().get('/v1/webhooks', { token: eve.token })).status, 401)
    // The activated user is invited at the new address, so only its owner comes in.
    await directory.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: true }])
    assert.equal((await standingOf(postern, admin, victim.email))?.membership, 'invited')
  })

  it('that is invited gets the invitation at its new address, and the old one is revoked', async () => {
    const { postern, admin, directory } = await fresh()
    const [before, after] = [newEmail('before'), newEmail('after')]
    const { id } = await directory.user(before)
    const put = await directory.put(`/Users/${id}`, { userName: after, active: true })
    assert.equal(put.status, 200, put.text)
    const { data } = (await postern.client().get('/v1/invitations?limit=2', { token: admin.token })).body
    assert.deepEqual(
      data.map(({ email, status }: { email: string; status: string }) => [email, status]),
      [
        [after, 'pending'],
        [before, 'revoked'],
      ],
    )
  })

  it('goes with the account that its owner deletes, and with the organization', async () => {
    const { postern, admin, directory } = await fresh()
    const eve = await member(postern, admin)
    const { id } = await directory.user(eve.email)
    const { code, err } = await command(postern, 'account', '--email', eve.email, '--delete')
    assert.equal(code, 0, err)
    assertScimError(await directory.get(`/Users/${id}`), 404, 'ENTITY_NOT_FOUND')
    assert.equal((await directory.get('/Users')).body.totalResults, 0)
  })

  test('is provisioned by a key with the scope alone, and no member or grant has it', async () => {
    const { postern, admin, directory } = await fresh()
    const without = directoryWith(postern, await apiKey(postern, admin, 'administrator', ['members:write']))
    assertScimError(await without.get('/Users'), 403, 'FORBIDDEN', { detail: /scope_required/ })
    const ofMember = directoryWith(postern, await apiKey(postern, admin, 'member'))
    assertScimError(await ofMember.get('/Users'), 403, 'FORBIDDEN', { detail: /administrator_required/ })
    const nobody = directoryWith(postern, 'psk_nothing')
    assertScimError(await nobody.get('/Users'), 401, 'UNAUTHORIZED')
    assert.ok((await nobody.get('/Users')).headers.get('www-authenticate'))
    // It may do nothing else.
    const call = { token: directory.key }
    assert.equal((await postern.client().get('/v1/invitations', call)).status, 403)
    const narrow = await postern.client().post(
      '/v1/api-keys',
      { name: 'x', scopes: ['scim:write'] },
      {
        token: await apiKey(postern, admin, 'administrator', ['keys:write']),
      },
    )
    assert.equal(narrow.status, 403, narrow.text)
    const metadata = await postern.client().get('/.well-known/oauth-protected-resource')
    assert.ok(!metadata.body.scopes_supported.includes('scim:write'))
  })

  test('is provisioned by a key of the platform for the organization that it names', async () => {
    const { postern, admin } = await fresh()
    const { key } = await platformKey(postern, { scopes: ['scim:write'] })
    const email = newEmail('platform')
    const headers = { 'postern-organization': admin.organizationId, 'content-type': 'application/scim+json' }
    const body = JSON.stringify({ userName: email })
    const made = await postern.client().call('/scim/v2/Users', { method: 'POST', body, headers, token: key })
    assert.equal(made.status, 201, made.text)
    assert.equal((await standingOf(postern, admin, email))?.membership, 'invited')
  })

  test('of another organization is none', async () => {
    const [ours, theirs] = [await fresh(), await fresh()]
    const { id } = await theirs.directory.user(newEmail(), { active: false })
    const path = `/Users/${id}`
    const answers = [
      await ours.directory.get(path),
      await ours.directory.put(path, { userName: newEmail() }),
      await ours.directory.patch(path, [{ op: 'replace', path: 'active', value: true }]),
      await ours.directory.remove(path),
      await ours.directory.get('/Users/no-id-at-all'),
    ]
    for (const answer of answers) assertScimError(answer, 404, 'ENTITY_NOT_FOUND')
    const found = await ours.directory.get(`/Users?filter=${encodeURIComponent(`id eq "${id}"`)}`)
    assert.equal(found.body.totalResults, 0)
    assert.equal((await theirs.directory.read(id)).active, false)
  })

  test('says what is wrong with a body, a path or a filter, in the words of SCIM', async () => {
    const { directory } = await fresh()
    const { id } = await directory.user(newEmail('wrong'), { active: false })
    const post = (body: object | string) => directory.post('/Users', body)
    const patch = (operations: object) => directory.patch(`/Users/${id}`, operations)
    const one = (path: string, value: unknown = 'x', op = 'replace') => patch([{ op, path, value }])
    const cases: [Promise<Awaited<ReturnType<typeof post>>>, string, string?][] = [
      [post({}), 'MISSING_REQUIRED_FIELD'],
      [post({ userName: 'no-address' }), 'MISSING_REQUIRED_FIELD'],
      [post({ userName: 1 }), 'TYPE_MISMATCH'],
      [post({ userName: 'a', emails: [{ value: 'b@' }] }), 'INVALID_EMAIL'],
      [post({ userName: 'a', emails: 'x'.repeat(300) }), 'INVALID_EMAIL'],
      [
        post({ userName: 'a', emails: Array(21).fill({ value: 'a@b.test' }) }),
        'VALIDATION_FAILED',
        'tooMany',
      ],
      [post({ userName: `${'x'.repeat(300)}@acme.test` }), 'VALIDATION_FAILED'],
      [post({ userName: 'a\u0000@acme.test' }), 'VALIDATION_FAILED'],
      [post({ userName: 'a@acme.test', name: 'Ada' }), 'TYPE_MISMATCH'],
      [post({ userName: 'a@acme.test', active: 'maybe' }), 'TYPE_MISMATCH'],
      [post('{'), 'VALIDATION_FAILED', 'invalidSyntax'],
      [post(''), 'VALIDATION_FAILED', 'invalidSyntax'],
      [post('[]'), 'TYPE_MISMATCH'],
      [post('{"__proto__": {"a": 1}}'), 'VALIDATION_FAILED'],
      [patch({}), 'MISSING_REQUIRED_FIELD'],
      [patch([]), 'VALIDATION_FAILED', 'invalidSyntax'],
      [patch([{ op: 'move', path: 'active' }]), 'VALIDATION_FAILED', 'invalidSyntax'],
      [patch(Array(1_001).fill({ op: 'remove', path: 'title' })), 'VALIDATION_FAILED', 'tooMany'],
      [patch([{ op: 'remove' }]), 'VALIDATION_FAILED', 'noTarget'],
      [patch([{ op: 'add', value: 'x' }]), 'TYPE_MISMATCH'],
      [one('no.such.thing'), 'VALIDATION_FAILED', 'invalidPath'],
      [one('surname'), 'VALIDATION_FAILED', 'invalidPath'],
      [one('userName.first'), 'VALIDATION_FAILED', 'invalidPath'],
      [one('emails[type eq "work"'), 'VALIDATION_FAILED', 'invalidPath'],
      [one('emails[type gt "work"].value'), 'VALIDATION_FAILED', 'invalidPath'],
      [one(`emails[${'x'.repeat(3_000)}]`), 'VALIDATION_FAILED', 'invalidPath'],
      [one('id'), 'VALIDATION_FAILED', 'mutability'],
      [one('userName', null), 'MISSING_REQUIRED_FIELD'],
      [one('active', undefined, 'remove'), 'VALIDATION_FAILED', 'mutability'],
    ]
    for (const [sent, code, type = 'invalidValue'] of cases) assertScimError(await sent, 400, code, { type })
    for (const filter of [
      'userName',
      'userName eq',
      'userName eq "a',
      'userName eq ada',
      'userName co "a"',
      'userName eq "a" or externalId eq "b"',
      '(userName eq "a")',
      'not (userName eq "a")',
      'password eq "a"',
      'userName eq 1',
      'constructor eq "a"',
      'userName eq "a" and',
      'emails[value eq "a"',
      Array(11).fill('active eq true').join(' and '),
      `userName eq "${'a'.repeat(3_000)}"`,
      '',
    ]) {
      const answer = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`)
      assertScimError(answer, 400, 'VALIDATION_FAILED', { type: 'invalidFilter' })
    }
  })

  test('describes itself to every client, and says what there is not', async () => {
    const { postern, directory } = await fresh()
    const client = postern.client()
    const config = await client.get('/scim/v2/ServiceProviderConfig')
    assert.deepEqual(
      [
        config.body.bulk.supported,
        config.body.patch.supported,
        config.body.filter,
        config.body.etag.supported,
      ],
      [false, true, { supported: true, maxResults: 200 }, false],
    )
    const types = (await client.get('/scim/v2/ResourceTypes')).body
    assert.deepEqual(
      types.Resources.map(({ id }: { id: string }) => id),
      ['User', 'Group'],
    )
    const schema = await client.get(`/scim/v2/Schemas/${USER}`)
    assert.equal(schema.body.id, USER)
    assertScimError(await client.get('/scim/v2/Schemas/urn:none'), 404, 'ENTITY_NOT_FOUND')
    assertScimError(await client.get('/scim/v2/Nothing'), 404, 'ENTITY_NOT_FOUND')
    assertScimError(await directory.post('/Bulk', {}), 501, 'ENTITY_NOT_FOUND')
    assertScimError(await directory.get('/Me'), 501, 'ENTITY_NOT_FOUND')
    const wrong = await client.delete('/scim/v2/Schemas')
    assertScimError(wrong, 405, 'ENTITY_NOT_FOUND')
    assert.match(wrong.headers.get('allow') ?? '', /GET/)
    // Another route takes no SCIM.
    const elsewhere = await client.call('/v1/auth/sign-in/email', {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/scim+json' } },
    })
    assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [400, 'VALIDATION_FAILED'])
  })
})
