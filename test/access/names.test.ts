import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newId } from '#src/core/id.ts'
import { WINDOW } from '#src/db/windows.ts'
import { administrator, apiKey, member, PASSWORD, type Person, rename, tokenOf } from '../support/people.ts'
import { onBothEngines, type Postern, postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'

/** Searches a list. @returns the names of the items that are found, and the cursor of the next page */
async function found(running: Postern, token: string, path: string, search: string, more = '') {
  const { status, body, text } = await running
    .client()
    .get(`${path}?search=${encodeURIComponent(search)}${more}`, { token })
  assert.equal(status, 200, text)
  const names = body.data.map((item: Record<string, string>) => item.name ?? item.url ?? item.email)
  return { names, next: body.nextCursor as string | null }
}

onBothEngines('what people find by name', (engine) => {
  const server = usePostern(engine)

  /** Makes something in an administrator's organization. @returns its id */
  async function create({ token }: Person, path: string, body: object): Promise<string> {
    const { status, body: made, text } = await (await server()).client().post(path, body, { token })
    assert.equal(status, 201, text)
    return made.id
  }

  it('is webhooks by their URL or description, agents and bases by their name', async () => {
    const urls = ['https://example.com/Orders', 'https://example.com/crm', 'https://example.org/a%20b_c']
    const running = await server()
    const admin = await administrator(running)
    for (const url of urls) await create(admin, '/v1/webhooks', { url, events: ['*'] })
    const customers = {
      url: 'https://example.net/',
      events: ['file.processed'],
      description: 'Customers of Acme Österreich, Ämter',
    }
    await create(admin, '/v1/webhooks', customers)
    const gone = await create(admin, '/v1/agents', { name: 'Seller of old' })
    assert.equal((await running.client().delete(`/v1/agents/${gone}`, { token: admin.token })).status, 204)
    for (const name of ['Seller', 'Übersetzer', 'ÜBER ALLES', 'Writer', 'Écrivain âgé'])
      await create(admin, '/v1/agents', { name })
    for (const name of [
      ...['Handbook', 'Price list (Österreich)', 'Straße', 'Übersicht ändern'],
      ...['Études élémentaires', 'E\u0301cole'],
    ])
      await create(admin, '/v1/knowledge-bases', { name })
    const other = await administrator(running)
    for (const [path, search, names] of [
      ['/v1/webhooks', 'oRDERS', [urls[0]]],
      ['/v1/webhooks', 'acme', [customers.url]],
      ['/v1/webhooks', 'EXAMPLE.com', [urls[1], urls[0]]],
      ['/v1/webhooks', '%20b_', [urls[2]]],
      ['/v1/webhooks', 'a_c', []],
      ['/v1/webhooks', "'", []],
      ['/v1/agents', ' sell ', ['Seller']],
      ['/v1/agents', 'über', ['ÜBER ALLES', 'Übersetzer']],
      ['/v1/agents', 'ÜBERSETZER', ['Übersetzer']],
      ['/v1/knowledge-bases', 'hand', ['Handbook']],
      ['/v1/knowledge-bases', 'österreich', ['Price list (Österreich)']],
      ['/v1/knowledge-bases', 'straße', ['Straße']],
      ['/v1/knowledge-bases', 'STRASSE', ['Straße']],
      ['/v1/knowledge-bases', 'übersicht ändern', ['Übersicht ändern']],
      ['/v1/knowledge-bases', 'ÜBERSICHT Ändern', ['Übersicht ändern']],
      ['/v1/knowledge-bases', 'études élémentaires', ['Études élémentaires']],
      ['/v1/knowledge-bases', 'ÉTUDES éLé', ['Études élémentaires']],
      ['/v1/knowledge-bases', 'e\u0301TUDES', ['Études élémentaires']],
      ['/v1/knowledge-bases', 'école', ['E\u0301cole']],
      ['/v1/webhooks', 'ämter', [customers.url]],
      ['/v1/webhooks', 'ACME ÖSTERREICH, äMTER', [customers.url]],
      ['/v1/agents', 'éCRIVAIN ÂGÉ', ['Écrivain âgé']],
    ] as const) {
      assert.deepEqual((await found(running, admin.token, path, search)).names, names, `${path} ${search}`)
      assert.deepEqual((await found(running, other.token, path, search)).names, [], 'not of another one')
    }
    const first = await found(running, admin.token, '/v1/webhooks', 'example.', '&limit=2')
    assert.deepEqual(first.names, [customers.url, urls[2]])
    const second = await found(
      running,
      admin.token,
      '/v1/webhooks',
      'example.',
      `&limit=2&cursor=${first.next}`,
    )
    assert.deepEqual(second, { names: [urls[1], urls[0]], next: null })
    for (const [eventType, names] of [
      ['file.processed', [customers.url, urls[2], urls[1], urls[0]]],
      ['agent.run.completed', [urls[2], urls[1], urls[0]]],
    ] as const) {
      const both = await found(running, admin.token, '/v1/webhooks', 'EXAMPLE.', `&eventType=${eventType}`)
      assert.deepEqual(both.names, names, eventType)
    }
    for (const search of ['', '%20', '%00', 'x'.repeat(101)])
      assert.equal(
        (await running.client().get(`/v1/agents?search=${search}`, { token: admin.token })).status,
        400,
      )
  })

  it('is members by given name, family name, both, and address', async () => {
    const running = await server()
    const admin = await administrator(running)
    const colleague = await member(running, admin)
    await rename(colleague, 'Émilie', 'du Châtelet')
    const path = `/v1/organizations/${admin.organizationId}/members`
    for (const [search, names] of [
      ['ADA', [admin.email]],
      ['ada lovelace', [admin.email]],
      ['émilie DU', [colleague.email]],
      ['éMILIE DU CHÂTELET', [colleague.email]],
      ['CHÂTELET', [colleague.email]],
      [colleague.email.toUpperCase(), [colleague.email]],
      ['lovelace ada', []],
    ] as const)
      assert.deepEqual((await found(running, admin.token, path, search)).names, names, search)
  })

  it('is found among more rows than are looked at in one go', async () => {
    const running = await server()
    const admin = await administrator(running)
    await create(admin, '/v1/webhooks', { url: 'https://example.com/the-first', events: ['*'] })
    const { db } = running.app.database
    const [known] = await db
      .selectFrom('webhook')
      .selectAll()
      .where('organization_id', '=', admin.organizationId as never)
      .execute()
    assert.ok(known)
    const now = running.clock.now() + 1_000
    const rows = Array.from({ length: WINDOW + 1 }, () => ({
      ...known,
      id: newId('webhook', now),
      url: 'https://example.com/other',
    }))
    await running.app.database.tx(async (tx) => {
      for (let at = 0; at < rows.length; at += 500)
        await tx
          .insertInto('webhook')
          .values(rows.slice(at, at + 500))
          .execute()
    })
    const { names } = await found(running, admin.token, '/v1/webhooks', 'the-first')
    assert.deepEqual(names, ['https://example.com/the-first'])
  })
})

onBothEngines('who did something', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** What the API answers about some ids, as pairs of kind and name. */
  async function named(asker: Pick<Person, 'token'>, ...ids: string[]) {
    const running = await server()
    const { status, body, text } = await running
      .client()
      .get(`/v1/actors?ids=${ids.join(',')}`, { token: asker.token })
    assert.equal(status, 200, text)
    const rows = body.data as { id: string; kind: string; name: string | null }[]
    return Object.fromEntries(rows.map(({ id, kind, name }) => [id, [kind, name]]))
  }

  it('is named: members as they are called, former members as they were when they left', async () => {
    const running = await server()
    const admin = await administrator(running)
    const [stays, leaves, goes] = [
      await member(running, admin),
      await member(running, admin),
      await member(running, admin),
    ]
    await rename(leaves, 'Grace', 'Hopper')
    const path = `/v1/organizations/${admin.organizationId}/members`
    for (const { accountId } of [leaves, goes])
      assert.equal(
        (await running.client().delete(`${path}/${accountId}`, { token: admin.token })).status,
        204,
      )
    const ids = [admin, stays, leaves, goes].map(({ accountId }) => accountId)
    assert.deepEqual(await named(admin, ...ids), {
      [admin.accountId]: ['member', 'Ada Lovelace'],
      [stays.accountId]: ['member', 'Ada Lovelace'],
      [leaves.accountId]: ['former_member', 'Grace Hopper'],
      [goes.accountId]: ['former_member', 'Ada Lovelace'],
    })
    // A later name is none of the organization's business, and a deleted account has none.
    const elsewhere = await administrator(running)
    const { token } = await invited(elsewhere, leaves)
    await rename({ ...leaves, token }, 'Other', 'Name')
    const deleted = await postern(running, 'account', '--email', goes.email, '--delete')
    assert.equal(deleted.code, 0, deleted.err)
    assert.deepEqual(await named(stays, leaves.accountId, goes.accountId), {
      [leaves.accountId]: ['former_member', 'Grace Hopper'],
    })
    assert.deepEqual(await named(elsewhere, ...ids), { [leaves.accountId]: ['member', 'Other Name'] })
    // Back again, the member has today's name; having left once more, the name of that time.
    await invited(admin, leaves)
    assert.deepEqual(await named(admin, leaves.accountId), { [leaves.accountId]: ['member', 'Other Name'] })
    await running.client().delete(`${path}/${leaves.accountId}`, { token: admin.token })
    assert.deepEqual(await named(admin, leaves.accountId), {
      [leaves.accountId]: ['former_member', 'Other Name'],
    })
  })

  /** Invites a person who has an account, and who accepts by signing in. */
  async function invited(inviter: Person, person: Person): Promise<{ token: string }> {
    const running = await server()
    const made = await running
      .client()
      .post('/v1/invitations', { email: person.email }, { token: inviter.token })
    assert.equal(made.status, 201, made.text)
    const accepted = await person.client.post('/v1/auth/sign-in/email', {
      ...{ email: person.email, password: PASSWORD },
    })
    assert.equal(accepted.status, 200, accepted.text)
    return { token: await tokenOf(person.client, inviter.organizationId) }
  }

  test('is a machine: administrators read the name of its service account and key, members that it is one', async () => {
    const running = await server()
    const admin = await administrator(running)
    const colleague = await member(running, admin)
    const key = await apiKey(running, admin)
    const { body } = await running.client().get('/v1/api-keys', { token: admin.token })
    const [{ id, serviceAccountId }] = body.data as [{ id: string; serviceAccountId: string }]
    const both = [id, serviceAccountId]
    const kinds = (name: string | null) => ({
      [id]: ['api_key', name],
      [serviceAccountId]: ['service_account', name],
    })
    assert.deepEqual(await named(admin, ...both), kinds('machine'))
    assert.deepEqual(await named({ token: key }, ...both), kinds('machine'))
    assert.deepEqual(await named(colleague, ...both), kinds(null))
    assert.deepEqual(await named(await administrator(running), ...both), {})
  })

  test('takes a hundred ids of accounts and keys, and nothing else', async () => {
    const running = await server()
    const { token, accountId } = await administrator(running)
    const many = (count: number) => Array.from({ length: count }, () => newId('account', 0))
    assert.deepEqual(await named({ token }, ...many(99), accountId), {
      [accountId]: ['member', 'Ada Lovelace'],
    })
    for (const ids of [
      '',
      'x',
      accountId.slice(4),
      newId('webhook', 0),
      `${accountId},`,
      many(101).join(','),
    ])
      assert.equal((await running.client().get(`/v1/actors?ids=${ids}`, { token })).status, 400, ids)
  })
})
