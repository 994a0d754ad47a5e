import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { SECOND, stopwatch } from '#src/core/clock.ts'
import { DOCUMENT_FAILURES } from '#src/core/failure-messages.ts'
import type { Id } from '#src/core/id.ts'
import { slowBook } from '../files/support.ts'
import { assertError } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { type EmbeddingsStub, startEmbeddings } from '../support/embeddings.ts'
import { holdRows, inOrder } from '../support/held-rows.ts'
import { useKnower, WAIT } from '../support/knowledge.ts'
import { nightly } from '../support/nightly.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

const stub: EmbeddingsStub = await startEmbeddings()
after(() => stub.stop())

/** Deletions that race with an indexing each, all at once. */
const ROUNDS = nightly(12, 5)

/** Has the endpoint of vectors answer no call until the function is called: what is indexed stays under way. */
function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  stub.held = promise
  return () => {
    stub.held = undefined
    resolve()
  }
}

onBothEngines('a document that is replaced', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { ...stub.env, DEFAULT_PLAN: 'scale' } })
  const knower = useKnower(server)

  async function put(id: string, body: object, headers: Record<string, string> = {}) {
    const { call } = await knower()
    return call(`/v1/documents/${id}`, { method: 'PUT', body, headers })
  }

  async function read(id: string) {
    const { call } = await knower()
    return (await call(`/v1/documents/${id}`)).body
  }

  async function upload(name: string, body: string | Buffer, headers: Record<string, string> = WAIT) {
    const { call } = await knower()
    const answer = await call(`/v1/files?name=${name}`, { method: 'POST', body, headers })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  /** By words alone, so that no search waits for a vector. */
  async function found(baseId: string, query: string) {
    const { find } = await knower()
    return find(baseId, query, { mode: 'text' })
  }

  const begun = (id: string) =>
    until(
      () => read(id),
      ({ status }) => status === 'indexing',
      { what: 'the indexing to be begun' },
    )

  const ended = (id: string) =>
    until(
      () => read(id),
      ({ status }) => status === 'indexed' || status === 'failed',
      { what: 'the indexing to end' },
    )

  /** A call that waits answers with the end of its work, or after 30 seconds, in which a busy machine may not have read a file. */
  async function waited(id: string, ask: () => Promise<Answer>) {
    const elapsed = stopwatch()
    const { status, body, text } = await ask()
    if (status === 200) return body
    assert.equal(status, 202, text)
    assert.ok(elapsed() >= 30 * SECOND, text)
    return ended(id)
  }

  async function credits() {
    const { call } = await knower()
    const { balance, reserved } = (await call('/v1/billing/balance')).body
    return { balance, reserved }
  }

  /** What the tables have of a base agrees with its documents, and nothing is stored of what was replaced. */
  async function assertWhole(baseId: string) {
    const { db } = (await server()).app.database
    const id = baseId as Id<'knowledgeBase'>
    const rows = await db.selectFrom('document').selectAll().where('knowledge_base_id', '=', id).execute()
    const chunks = await until(
      () => db.selectFrom('chunk').selectAll().where('knowledge_base_id', '=', id).execute(),
      (all) => all.length === rows.reduce((sum, one) => sum + one.chunks, 0),
      { what: 'what was replaced to be removed' },
    )
    for (const { document_id, version } of chunks)
      assert.equal(version, rows.find((row) => row.id === document_id)?.version)
    const counts = await db
      .selectFrom('knowledge_count')
      .select(['documents', 'chunks'])
      .where('knowledge_base_id', '=', id)
      .execute()
    const sum = (column: 'documents' | 'chunks') =>
      counts.reduce((total, one) => total + Number(one[column]), 0)
    assert.deepEqual([sum('documents'), sum('chunks')], [rows.length, chunks.length])
    const texts = await db
      .selectFrom('document_next_text')
      .innerJoin('document', 'document.id', 'document_next_text.document_id')
      .select('document_id')
      .where('knowledge_base_id', '=', id)
      .execute()
    assert.deepEqual(
      texts.map(({ document_id }) => document_id).sort(),
      rows
        .filter((row) => row.next_sha256 !== null && row.next_file_id === null)
        .map((row) => row.id)
        .sort(),
    )
  }

  it('keeps its id, is found as it was until the new content is indexed, and never as both or neither', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const before = await add(id, 'This beast is an otter.', { name: 'Otters' })
    const release = hold()
    const text = 'This beast is a badger.'
    const answer = await put(before.id, { text, name: 'Badgers' })
    assert.equal(answer.status, 202, answer.text)
    const { replacement, ...as } = answer.body
    assert.deepEqual([as.id, as.name, as.sha256, as.chunks], [before.id, 'Otters', before.sha256, 1])
    assert.deepEqual([replacement.name, replacement.fileId], ['Badgers', null])
    await begun(before.id)
    assert.deepEqual(await found(id, 'beast'), ['This beast is an otter.'])
    assert.equal((await call(`/v1/documents/${before.id}/text`)).body.text, 'This beast is an otter.')
    release()
    const after = await until(
      async () => {
        assert.equal((await found(id, 'beast')).length, 1)
        return read(before.id)
      },
      ({ status }) => status === 'indexed',
      { what: 'the replacement to be indexed' },
    )
    assert.deepEqual(
      [after.name, after.sha256, after.replacement, after.chars, after.createdAt],
      ['Badgers', replacement.sha256, null, text.length, before.createdAt],
    )
    assert.deepEqual(await found(id, 'beast'), [text])
    assert.equal((await found(id, 'badgers')).length, 1)
    assert.deepEqual((await call(`/v1/documents/${before.id}/text`)).body.text, text)
    await assertWhole(id)
    const { data } = (await call('/v1/events?limit=100&type=document.indexed')).body
    const whole = await Promise.all(data.map((one: { id: string }) => call(`/v1/events/${one.id}`)))
    const own = whole.map(({ body }) => body.data).filter((one) => one.documentId === before.id)
    assert.deepEqual(own.map(({ name, status }) => [name, status]).sort(), [
      ['Badgers', 'indexed'],
      ['Otters', 'indexed'],
    ])
  })

  test('stays what it was when the new content fails, says why, and takes it by the next indexing', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A walrus sleeps.')
    stub.next = [() => ({ status: 401, body: {} })]
    const refused = await put(document.id, { text: 'A seal barks.' }, WAIT)
    assertError(refused, 'INDEXING_FAILED', { documentId: document.id, reason: 'embeddings_status_401' })
    assert.equal(refused.body.error.message, DOCUMENT_FAILURES.embeddings_status_401)
    const failed = await read(document.id)
    assert.deepEqual(
      [failed.status, failed.error.message, failed.name, failed.replacement.name, failed.chunks],
      ['failed', DOCUMENT_FAILURES.embeddings_status_401, 'A walrus sleeps.', 'A seal barks.', 1],
    )
    assert.deepEqual(await found(id, 'walrus'), ['A walrus sleeps.'])
    await assertWhole(id)
    const again = await call(`/v1/documents/${document.id}/index`, { method: 'POST', headers: WAIT })
    assert.deepEqual([again.status, again.body.name, again.body.replacement], [200, 'A seal barks.', null])
    assert.deepEqual([await found(id, 'walrus'), await found(id, 'seal')], [[], ['A seal barks.']])
    await assertWhole(id)
  })

  it('becomes the last of several replacements, whatever was under way', async () => {
    const { base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A heron, version zero.')
    const release = hold()
    await put(document.id, { text: `A heron, version one. ${'More of it. '.repeat(400)}` })
    await begun(document.id)
    await put(document.id, { text: 'A heron, version two.' })
    const last = await put(document.id, { text: 'A heron, version three.', name: 'Third' })
    assert.deepEqual([last.status, last.body.status, last.body.replacement.name], [202, 'queued', 'Third'])
    release()
    const after = await ended(document.id)
    assert.deepEqual([after.status, after.name, after.replacement], ['indexed', 'Third', null])
    assert.deepEqual(await found(id, 'heron'), ['A heron, version three.'])
    await assertWhole(id)
    // Many at once: one of them is what it is in the end, and nothing of the others stays.
    const texts = Array.from({ length: 20 }, (_, index) => `An egret, version ${index}.`)
    const answers = await Promise.all(texts.map((text) => put(document.id, { text })))
    for (const { status, text } of answers) assert.ok([200, 202].includes(status), text)
    assert.equal((await ended(document.id)).status, 'indexed')
    const [only, ...others] = await found(id, 'egret')
    assert.ok(texts.includes(only ?? ''))
    assert.deepEqual([others, await found(id, 'heron')], [[], []])
    await assertWhole(id)
  })

  test('is not indexed once more for what it is, or is about to be; its own content is no duplicate', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A stork flies.', { name: 'Stork' })
    const asked = stub.asked.length
    const same = await put(document.id, { text: 'A stork flies.', name: 'Stork' })
    assert.deepEqual([same.status, same.body], [200, document])
    assert.equal(stub.asked.length, asked)
    const release = hold()
    const first = await put(document.id, { text: 'A crane flies.' })
    await begun(document.id)
    const second = await put(document.id, { text: 'A crane flies.' })
    assert.deepEqual([second.status, second.body.status], [202, 'indexing'])
    assert.deepEqual(second.body.replacement, first.body.replacement)
    // What it was is had back.
    const back = await put(document.id, { text: 'A stork flies.', name: 'Storks' })
    assert.equal(back.body.replacement.sha256, document.sha256)
    release()
    assert.equal((await ended(document.id)).name, 'Storks')
    assert.deepEqual([await found(id, 'crane'), (await found(id, 'stork')).length], [[], 1])
    const key = { 'idempotency-key': crypto.randomUUID(), ...WAIT }
    const done = await put(document.id, { text: 'A crane lands.' }, key)
    assert.deepEqual([done.status, done.body.name], [200, 'A crane lands.'])
    await put(document.id, { text: 'A crane stands.' }, WAIT)
    const repeated = await put(document.id, { text: 'A crane lands.' }, key)
    assert.deepEqual(
      [repeated.status, repeated.headers.get('idempotent-replayed'), repeated.body.replacement?.name],
      [202, 'true', 'A crane lands.'],
    )
    assertError(await put(document.id, { name: 'Nothing' }), 'MISSING_REQUIRED_FIELD', { field: 'text' })
    assert.equal((await call(`/v1/documents/${document.id}`)).body.status, 'indexed')
  })

  test('takes no content that another document of its base has, or is about to have', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const [one, two] = [await add(id, 'A finch sings.'), await add(id, 'A wren sings.')]
    assertError(await put(one.id, { text: 'A wren sings.' }), 'DUPLICATE', {
      ...{ field: 'text', documentId: two.id },
    })
    const release = hold()
    assert.equal((await put(one.id, { text: 'A robin sings.' })).status, 202)
    const path = `/v1/knowledge-bases/${id}/documents`
    for (const text of ['A robin sings.', 'A finch sings.'])
      for (const answer of [await put(two.id, { text }), await call(path, { body: { text } })])
        assertError(answer, 'DUPLICATE', { field: 'text', documentId: one.id })
    release()
    await ended(one.id)
    // What it was is free.
    assert.equal((await put(two.id, { text: 'A finch sings.' }, WAIT)).status, 200)
    await assertWhole(id)
  })

  test('is of a file then, or of a text, as the last content is, and waits for a file that is processed', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A tern dives.')
    const file = await upload('plover.md', '# Plovers\n\nA plover runs.\n')
    const ofFile = await put(document.id, { fileId: file.id }, WAIT)
    assert.deepEqual(
      [ofFile.status, ofFile.body.name, ofFile.body.fileId, ofFile.body.sha256],
      [200, 'plover.md', file.id, file.sha256],
    )
    const text = async () => (await call(`/v1/documents/${document.id}/text`)).body
    assert.deepEqual(
      [(await text()).text, (await text()).parts[0], (await text()).indexed],
      ['# Plovers\n\nA plover runs.\n', { offset: 0, heading: 'Plovers' }, true],
    )
    // Read anew, the file has another text than is found.
    const reread = await call(`/v1/files/${file.id}/process`, {
      method: 'POST',
      body: { charset: 'utf-16le' },
      headers: WAIT,
    })
    assert.equal(reread.body.status, 'processed', reread.text)
    assert.equal((await text()).indexed, false)
    assert.equal((await found(id, 'plover')).length, 1)
    const ofText = await put(document.id, { text: 'A curlew calls.' }, WAIT)
    assert.deepEqual([ofText.status, ofText.body.fileId], [200, null])
    assert.equal((await text()).text, 'A curlew calls.')
    for (let index = 0; index < 3; index += 1) {
      const { id: fileId } = await upload(`${index}.txt`, `A snipe, number ${index}.`, {})
      assert.equal((await put(document.id, { fileId })).body.replacement?.fileId, fileId)
    }
    const last = await until(
      () => read(document.id),
      ({ status, name }) => status === 'indexed' && name === '2.txt',
      { what: 'the last file to be indexed' },
    )
    assert.equal(last.replacement, null)
    assert.deepEqual(await found(id, 'snipe'), ['A snipe, number 2.'])
    assertError(await put(document.id, { fileId: document.id.replace('doc_', 'fil_') }), 'ENTITY_NOT_FOUND', {
      field: 'fileId',
    })
    const broken = await upload('broken.pdf', '%PDF-1.7\nnothing of one')
    const refused = await put(document.id, { fileId: broken.id }, WAIT)
    assertError(refused, 'PARSE_FAILED', { documentId: document.id, fileId: broken.id, reason: 'corrupt' })
    assert.deepEqual(await found(id, 'snipe'), ['A snipe, number 2.'])
    await assertWhole(id)
  })

  test('becomes the new content when its old file is deleted meanwhile, and is found once that is indexed', async () => {
    const { call, base } = await knower()
    const id = await base()
    const file = await upload('old.txt', 'A gannet dives.')
    const path = `/v1/knowledge-bases/${id}/documents`
    const document = (await call(path, { body: { fileId: file.id }, headers: WAIT })).body
    const release = hold()
    await put(document.id, { text: 'A petrel glides.', name: 'Petrels' })
    await begun(document.id)
    assert.equal((await call(`/v1/files/${file.id}`, { method: 'DELETE' })).status, 204)
    const between = await read(document.id)
    assert.deepEqual(
      [between.name, between.fileId, between.replacement, between.chunks, between.indexedAt],
      ['Petrels', null, null, 0, null],
    )
    assert.deepEqual(await found(id, 'gannet'), [])
    release()
    assert.equal((await ended(document.id)).status, 'indexed')
    assert.deepEqual(await found(id, 'petrel'), ['A petrel glides.'])
    await assertWhole(id)
  })

  test('stays what it was when the new file is deleted meanwhile, and says so', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A puffin nests.')
    const file = await upload('auk.txt', 'An auk swims.')
    const release = hold()
    await put(document.id, { fileId: file.id })
    await begun(document.id)
    assert.equal((await call(`/v1/files/${file.id}`, { method: 'DELETE' })).status, 204)
    const stays = await read(document.id)
    assert.deepEqual(
      [stays.status, stays.error, stays.replacement, stays.name],
      [
        'failed',
        { code: 'INDEXING_FAILED', reason: 'file_deleted', message: DOCUMENT_FAILURES.file_deleted },
        null,
        'A puffin nests.',
      ],
    )
    release()
    assert.deepEqual(await found(id, 'puffin'), ['A puffin nests.'])
    const again = await call(`/v1/documents/${document.id}/index`, { method: 'POST', headers: WAIT })
    assert.deepEqual([again.status, again.body.error], [200, null])
    assert.deepEqual(await found(id, 'auk'), [])
    await assertWhole(id)
    // A document whose old and new version are of one file is deleted with the file.
    const own = await upload('own.txt', 'A guillemot.')
    await put(document.id, { fileId: own.id }, WAIT)
    const later = hold()
    await put(document.id, { fileId: own.id, name: 'Other name' })
    assert.equal((await call(`/v1/files/${own.id}`, { method: 'DELETE' })).status, 204)
    later()
    assertError(await call(`/v1/documents/${document.id}`), 'ENTITY_NOT_FOUND')
    await assertWhole(id)
  })

  it('is indexed as the new content in whatever moment of it the old file is deleted', async () => {
    const { call, base } = await knower()
    const id = await base()
    const rounds = Array.from({ length: ROUNDS }, async (_, index) => {
      const file = await upload(`${index}.txt`, `A scoter, number ${index}.`)
      const path = `/v1/knowledge-bases/${id}/documents`
      const document = (await call(path, { body: { fileId: file.id }, headers: WAIT })).body
      assert.equal((await put(document.id, { text: `A smew, number ${index}.` })).status, 202)
      assert.equal((await call(`/v1/files/${file.id}`, { method: 'DELETE' })).status, 204)
      const { status, error, chunks, replacement } = await ended(document.id)
      assert.deepEqual([status, error, chunks, replacement], ['indexed', null, 1, null])
    })
    await Promise.all(rounds)
    // A search finds ten at most.
    assert.deepEqual(
      [(await found(id, 'smew')).length, await found(id, 'scoter')],
      [Math.min(ROUNDS, 10), []],
    )
    await assertWhole(id)
  })

  test('withdraws its replacement by a PUT of what it is, while that is indexed and after it failed, and pays nothing', async () => {
    const { base, add } = await knower()
    const id = await base()
    const own = { text: 'A bittern booms.', name: 'Bitterns' }
    const document = await add(id, own.text, own)
    const before = await credits()
    const release = hold()
    await put(document.id, { text: 'A crake creaks.' })
    await begun(document.id)
    assert.equal((await credits()).reserved, 1)
    const back = await put(document.id, own)
    assert.deepEqual([back.status, { ...back.body, updatedAt: document.updatedAt }], [200, document])
    assert.deepEqual(await credits(), before)
    release()
    await assertWhole(id)
    assertError(await put(document.id, { text: ' \n ' }, WAIT), 'INDEXING_FAILED', { reason: 'no_text' })
    const again = await put(document.id, own, WAIT)
    assert.deepEqual([again.status, { ...again.body, updatedAt: document.updatedAt }], [200, document])
    assert.deepEqual([await credits(), await found(id, 'bittern')], [before, [own.text]])
    await assertWhole(id)
  })

  test('is awaited through the reading of its file, and indexed again once a file that is read anew is', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A pratincole.')
    const file = await upload('slow.xlsx', slowBook(4, { rows: 150, text: 'A courser runs.' }), {})
    assert.equal(file.status, 'processing')
    const replaced = await waited(document.id, () => put(document.id, { fileId: file.id }, WAIT))
    assert.deepEqual([replaced.status, replaced.fileId], ['indexed', file.id])
    assert.deepEqual(await found(id, 'courser'), ['A courser runs.'])
    assert.equal((await call(`/v1/files/${file.id}/process`, { method: 'POST' })).status, 202)
    const path = `/v1/documents/${document.id}/index`
    const queued = await call(path, { method: 'POST' })
    assert.deepEqual([queued.status, queued.body.status, queued.body.error], [202, 'queued', null])
    const again = await waited(document.id, () => call(path, { method: 'POST', headers: WAIT }))
    assert.equal(again.status, 'indexed')
    assert.ok(again.indexedAt > replaced.indexedAt)
    assert.equal((await call(`/v1/documents/${document.id}/text`)).body.indexed, true)
    await assertWhole(id)
  })

  test('answers who waits for a replacement of what became of that one, and who repeats the request as at first', async () => {
    const { base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A fulmar.')
    const release = hold()
    const first = put(document.id, { text: 'A shearwater.', name: 'First' }, WAIT)
    await begun(document.id)
    const refused = await put(document.id, { text: ' ', name: 'Second' }, WAIT)
    assertError(refused, 'INDEXING_FAILED', { documentId: document.id, reason: 'no_text' })
    release()
    const { status, body } = await first
    assert.deepEqual([status, body.status, body.replacement.name], [202, 'queued', 'First'])
    const key = { 'idempotency-key': crypto.randomUUID(), ...WAIT }
    const made = await put(document.id, { text: 'A gadfly petrel.', name: 'Third' }, key)
    assert.deepEqual([made.status, made.body.name], [200, 'Third'])
    const repeated = await put(document.id, { text: 'A gadfly petrel.', name: 'Third' }, key)
    assert.deepEqual([repeated.status, repeated.body], [200, made.body])
    await assertWhole(id)
  })

  test('is gone when it or its base is deleted meanwhile, with what was to come', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const [one, two] = [await add(id, 'A lark.'), await add(id, 'A pipit.')]
    const release = hold()
    const { balance } = await credits()
    for (const { id: documentId } of [one, two]) {
      await put(documentId, { text: `Another ${documentId}.` })
      await begun(documentId)
    }
    assert.deepEqual(await credits(), { balance: balance - 2, reserved: 2 })
    assert.equal((await call(`/v1/documents/${one.id}`, { method: 'DELETE' })).status, 204)
    assert.equal((await credits()).reserved, 1)
    assertError(await put(one.id, { text: 'Too late.' }), 'ENTITY_NOT_FOUND', { field: 'id', value: one.id })
    assert.equal((await call(`/v1/knowledge-bases/${id}`, { method: 'DELETE' })).status, 204)
    assertError(await put(two.id, { text: 'Too late.' }), 'ENTITY_NOT_FOUND', { field: 'id', value: two.id })
    // Their credits come back at once, though what indexes them has not ended.
    assert.deepEqual(
      await until(credits, ({ reserved }) => reserved === 0, { what: 'what was reserved to come back' }),
      { balance, reserved: 0 },
    )
    release()
    const { db } = (await server()).app.database
    await until(
      async () => [
        ...(await db
          .selectFrom('chunk')
          .select('document_id')
          .where('document_id', 'in', [one.id, two.id])
          .execute()),
        ...(await db
          .selectFrom('document_next_text')
          .select('document_id')
          .where('document_id', 'in', [one.id, two.id])
          .execute()),
      ],
      ({ length }) => length === 0,
      { what: 'all of deleted documents to be gone' },
    )
  })

  if (engine !== 'postgres') return

  it('is the second of two replacements at once', async () => {
    const { base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A dunlin.')
    const [first, second] = await inOrder(await server(), 'knowledge_base', id, [
      () => put(document.id, { text: 'A knot, first.' }),
      () => put(document.id, { text: 'A knot, second.' }),
    ])
    assert.deepEqual([first.status, second.status], [202, 202])
    await ended(document.id)
    assert.deepEqual(await found(id, 'knot'), ['A knot, second.'])
    await assertWhole(id)
  })

  it('is deleted by who comes after its replacement, and not replaced after that', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const remove = (documentId: string) => call(`/v1/documents/${documentId}`, { method: 'DELETE' })
    const [one, two] = [await add(id, 'A ruff.'), await add(id, 'A reeve.')]
    const [replaced, deleted] = await inOrder(await server(), 'document', one.id, [
      () => put(one.id, { text: 'A godwit.' }),
      () => remove(one.id),
    ])
    assert.deepEqual([replaced.status, deleted.status], [202, 204])
    const [before, late] = await inOrder(await server(), 'document', two.id, [
      () => remove(two.id),
      () => put(two.id, { text: 'A whimbrel.' }),
    ])
    assert.equal(before.status, 204)
    assertError(late, 'ENTITY_NOT_FOUND', { field: 'id', value: two.id })
    await assertWhole(id)
  })

  it('loses, or refuses, a new file that is deleted at the same moment', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A stint.')
    const remove = (fileId: string) => call(`/v1/files/${fileId}`, { method: 'DELETE' })
    const [one, two] = [await upload('one.txt', 'A dotterel.'), await upload('two.txt', 'A lapwing.')]
    const release = hold()
    const [replaced, deleted] = await inOrder(await server(), 'file', one.id, [
      () => put(document.id, { fileId: one.id }),
      () => remove(one.id),
    ])
    assert.deepEqual([replaced.status, deleted.status], [202, 204])
    const { status, error, replacement } = await read(document.id)
    assert.deepEqual([status, error.reason, replacement], ['failed', 'file_deleted', null])
    release()
    const [before, late] = await inOrder(await server(), 'file', two.id, [
      () => remove(two.id),
      () => put(document.id, { fileId: two.id }),
    ])
    assert.equal(before.status, 204)
    assertError(late, 'ENTITY_NOT_FOUND', { field: 'fileId', value: two.id })
    assert.deepEqual(await found(id, 'stint'), ['A stint.'])
    await assertWhole(id)
  })

  it('is replaced after the end of an indexing that comes first, and instead of one that comes later', async () => {
    const { base, add } = await knower()
    const id = await base()
    const document = await add(id, 'A skua.')
    for (const isFirst of [true, false]) {
      const release = hold()
      await put(document.id, { text: `A tattler, ${isFirst}.` })
      await begun(document.id)
      const rows = await holdRows(await server(), 'document', 'id = $1', [document.id])
      try {
        // What indexes waits to write its passages, and settles right after it.
        const index = async () => release()
        const replace = () => put(document.id, { text: `A turnstone, ${isFirst}.` })
        const line = isFirst ? [index, replace] : [replace, index]
        const [one, two] = [
          await rows.lineUp(line[0] as typeof replace),
          await rows.lineUp(line[1] as typeof replace),
        ]
        await rows.release()
        await Promise.all([one.answer, two.answer])
      } finally {
        await rows.release()
        release()
      }
      assert.equal((await ended(document.id)).status, 'indexed')
      assert.deepEqual(
        [await found(id, 'turnstone'), await found(id, 'tattler')],
        [[`A turnstone, ${isFirst}.`], []],
      )
      await assertWhole(id)
    }
  })
})
