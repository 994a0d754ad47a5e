import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DOCUMENT_FAILURES } from '#src/core/failure-messages.ts'
import { assertError } from '../support/attacks.ts'
import { useKnower, WAIT } from '../support/knowledge.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

onBothEngines('knowledge', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const knower = useKnower(server)

  it('is made, read, renamed and listed, by a name that no other base of the organization has', async () => {
    const { call } = await knower()
    const made = await call('/v1/knowledge-bases', { body: { name: 'Handbook' } })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    assert.match(id, /^knb_/)
    assert.equal(made.body.embedding, null)
    assert.match(String(made.headers.get('location')), new RegExp(`/v1/knowledge-bases/${id}$`))
    assertError(await call('/v1/knowledge-bases', { body: { name: 'Handbook' } }), 'DUPLICATE', {
      field: 'name',
      value: 'Handbook',
    })
    for (const name of ['\u200b', 'Guide\u202e'])
      assertError(await call('/v1/knowledge-bases', { body: { name } }), 'VALIDATION_FAILED', {
        field: 'name',
      })
    const renamed = await call(`/v1/knowledge-bases/${id}`, { method: 'PATCH', body: { name: 'Guide' } })
    assert.equal(renamed.body.name, 'Guide')
    const other = (await call('/v1/knowledge-bases', { body: { name: 'Handbook' } })).body
    assertError(
      await call(`/v1/knowledge-bases/${other.id}`, { method: 'PATCH', body: { name: 'Guide' } }),
      'DUPLICATE',
      { field: 'name' },
    )
    assertError(
      await call(`/v1/knowledge-bases/${id}`, { method: 'PATCH', body: { embedding: 'none-of-ours' } }),
      'VALIDATION_FAILED',
      { field: 'embedding', reason: 'unknown_model' },
    )
    const { data } = (await call('/v1/knowledge-bases')).body
    assert.deepEqual(
      data.map((one: { name: string }) => one.name),
      ['Handbook', 'Guide'],
    )
    // The name of a deleted one is free.
    assert.equal((await call(`/v1/knowledge-bases/${other.id}`, { method: 'DELETE' })).status, 204)
    assertError(await call(`/v1/knowledge-bases/${other.id}`), 'ENTITY_NOT_FOUND')
    assert.equal((await call('/v1/knowledge-bases', { body: { name: 'Handbook' } })).status, 201)
  })

  it('has documents of texts, which are found by their words with where they stand', async () => {
    const { call, base, add, search } = await knower()
    const id = await base()
    const text =
      '# Returns\n\nGoods may be sent back within thirty days.\n\n# Délivery\n\nParcels leave the warehouse on Mondays.'
    const document = await add(id, text, { name: 'Terms' })
    assert.deepEqual(
      [
        document.knowledgeBaseId,
        document.name,
        document.fileId,
        document.chunks,
        document.chars,
        document.error,
      ],
      [id, 'Terms', null, 2, text.length, null],
    )
    const { body } = await search(id, 'When do PARCELS leave?')
    assert.equal(body.mode, 'text')
    assert.equal(body.reason, null)
    const [{ score, ...first }] = body.data
    assert.ok(score > 0)
    assert.deepEqual(first, {
      documentId: document.id,
      documentName: 'Terms',
      knowledgeBaseId: id,
      chunkId: `${document.id}:1`,
      text: '# Délivery\n\nParcels leave the warehouse on Mondays.',
      location: { heading: 'Délivery' },
    })
    // Without its accent, in the plural, and by its heading.
    for (const query of ['delivery', 'deliveries', 'Warehouses'])
      assert.equal((await search(id, query)).body.data[0]?.chunkId, `${document.id}:1`, query)
    const read = (await call(`/v1/knowledge-bases/${id}`)).body
    assert.deepEqual([read.documents, read.chunks], [1, 2])
  })

  it('refuses a text that a base has already, and names the document; another base takes it', async () => {
    const { call, base, add } = await knower()
    const [one, other] = [await base(), await base()]
    const first = await add(one, 'The same to the letter.')
    const again = await call(`/v1/knowledge-bases/${one}/documents`, {
      body: { text: 'The same to the letter.' },
    })
    assertError(again, 'DUPLICATE', { field: 'text', documentId: first.id })
    await add(other, 'The same to the letter.')
  })

  test('tells of a document of both a text and a file, and of neither', async () => {
    const { call, base } = await knower()
    const path = `/v1/knowledge-bases/${await base()}/documents`
    assertError(await call(path, { body: { name: 'Nothing' } }), 'MISSING_REQUIRED_FIELD', { field: 'text' })
    const both = { text: 'a', fileId: 'fil_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42' }
    assertError(await call(path, { body: both }), 'VALIDATION_FAILED', {
      field: 'fileId',
      reason: 'beside_text',
    })
    const unknown = { fileId: both.fileId }
    assertError(await call(path, { body: unknown }), 'ENTITY_NOT_FOUND', {
      field: 'fileId',
      value: both.fileId,
    })
  })

  it('finds nothing of a document that is deleted, at once, and keeps no row of it', async () => {
    const { call, base, add, find } = await knower()
    const id = await base()
    const document = await add(id, 'A walrus sleeps.')
    await add(id, 'A heron stands.')
    assert.deepEqual(await find(id, 'walrus'), ['A walrus sleeps.'])
    assert.equal((await call(`/v1/documents/${document.id}`, { method: 'DELETE' })).status, 204)
    assert.deepEqual(await find(id, 'walrus'), [])
    assertError(await call(`/v1/documents/${document.id}`), 'ENTITY_NOT_FOUND')
    assert.equal((await call(`/v1/knowledge-bases/${id}`, { method: 'DELETE' })).status, 204)
    const { db } = (await server()).app.database
    const rows = async () => ({
      chunks: await db
        .selectFrom('chunk')
        .select('id')
        .where('knowledge_base_id', '=', id as never)
        .execute(),
      bases: await db
        .selectFrom('knowledge_base')
        .select('id')
        .where('id', '=', id as never)
        .execute(),
      removals: await db.selectFrom('removal').select('id').execute(),
    })
    await until(rows, ({ chunks, bases, removals }) => chunks.length + bases.length + removals.length === 0, {
      what: 'everything of a deleted base to be gone',
    })
  })

  test('shows what a document was until it has been indexed again', async () => {
    const { call, base, add, find } = await knower()
    const id = await base()
    const document = await add(id, 'An otter swims.')
    const again = await call(`/v1/documents/${document.id}/index`, { method: 'POST', headers: WAIT })
    assert.equal(again.status, 200, again.text)
    assert.equal(again.headers.get('preference-applied'), 'wait=30')
    assert.deepEqual(await find(id, 'otter'), ['An otter swims.'])
    const { db } = (await server()).app.database
    await until(
      () => db.selectFrom('chunk').select('version').where('document_id', '=', document.id).execute(),
      (rows) => rows.length === 1 && rows[0]?.version === 2,
      { what: 'the chunks of the old version to be gone' },
    )
  })

  test('shows its text in pages, which are the whole text, with the headings of its parts', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const text = `zero\n${['One', 'Two', 'Three'].map((one) => `# ${one}\n\n${'Owl \u{1f989}. '.repeat(12_000)}\n`).join('')}`
    const document = await add(id, text)
    const pages: { text: string; parts: { offset: number; heading?: string }[] }[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await call(`/v1/documents/${document.id}/text${cursor && `?cursor=${cursor}`}`)
      assert.deepEqual([answer.status, answer.body.indexed], [200, true], answer.text)
      assert.ok(answer.body.text.length <= 128 * 1024 && answer.body.text.isWellFormed())
      pages.push(answer.body)
      cursor = answer.body.nextCursor
    }
    assert.ok(pages.length > 2)
    assert.equal(pages.map((page) => page.text).join(''), text)
    assert.deepEqual(pages[0]?.parts.slice(0, 2), [{ offset: 0 }, { offset: 5, heading: 'One' }])
    for (const page of pages.slice(1)) {
      assert.equal(page.parts[0]?.offset, 0)
      for (const { offset, heading } of page.parts.slice(1))
        assert.ok(page.text.startsWith(`# ${heading}\n`, offset))
    }
    const page = (cursor: string) => call(`/v1/documents/${document.id}/text?cursor=${cursor}`)
    const { nextCursor } = (await call(`/v1/documents/${document.id}/text`)).body
    const mark = nextCursor.slice(nextCursor.indexOf('-'))
    const insideOwl = text.indexOf('\u{1f989}') + 1
    for (const offset of [text.length, insideOwl, 999_999_999_999])
      assertError(await page(`${offset}${mark}`), 'VALIDATION_FAILED', {
        ...{ field: 'cursor', value: `${offset}${mark}`, reason: 'not_of_this_text' },
      })
    for (const cursor of ['-1', '5', `1${nextCursor}0`, `x${mark}`])
      assertError(await page(cursor), 'VALIDATION_FAILED', { field: 'cursor' })
    // A page of one text is never followed by one of another: of a text, and of a file, which is read again too.
    const own = `/v1/documents/${document.id}`
    const other = `${'Other. '.repeat(30_000)}`
    assert.equal((await call(own, { method: 'PUT', body: { text: other }, headers: WAIT })).status, 200)
    assertError(await page(nextCursor), 'VALIDATION_FAILED', {
      ...{ field: 'cursor', value: nextCursor, reason: 'indexed_again' },
    })
    const file = await call('/v1/files?name=long.txt', { method: 'POST', body: other, headers: WAIT })
    assert.equal(
      (await call(own, { method: 'PUT', body: { fileId: file.body.id }, headers: WAIT })).status,
      200,
    )
    const first = (await call(`${own}/text`)).body
    const rest = (await page(first.nextCursor)).body
    assert.deepEqual([first.text + rest.text, rest.nextCursor], [other, null])
    const paths = [`${own}/text`, `/v1/files/${file.body.id}/text`]
    const [mine, ofFile] = [first.nextCursor, (await call(paths[1] as string)).body.nextCursor]
    assert.equal(mine, ofFile)
    assertError(await page(`1${mine}`), 'VALIDATION_FAILED', { field: 'cursor', reason: 'not_of_this_text' })
    const again = await call(`/v1/files/${file.body.id}/process`, { method: 'POST', headers: WAIT })
    assert.equal(again.status, 200, again.text)
    for (const path of paths)
      assertError(await call(`${path}?cursor=${mine}`), 'VALIDATION_FAILED', {
        ...{ field: 'cursor', value: mine, reason: 'read_again' },
      })
  })

  test('lists the passages of a document as a search names them, in the order of its text', async () => {
    const { call, base, add, search } = await knower()
    const id = await base()
    const text = Array.from({ length: 7 }, (_, index) => `# Part ${index}\n\nThe kite number${index}.`).join(
      '\n\n',
    )
    const document = await add(id, text)
    const list = async (query = '') => call(`/v1/documents/${document.id}/chunks${query}`)
    const whole = (await list()).body
    assert.deepEqual([whole.data.length, whole.nextCursor], [document.chunks, null])
    assert.deepEqual(whole.data[3], {
      chunkId: `${document.id}:3`,
      position: 3,
      text: '# Part 3\n\nThe kite number3.',
      location: { heading: 'Part 3' },
    })
    const [hit] = (await search(id, 'number5')).body.data
    const [first] = (await list(`?from=${hit.chunkId.split(':')[1]}&limit=1`)).body.data
    assert.deepEqual([first.chunkId, first.text, first.location], [hit.chunkId, hit.text, hit.location])
    const pages: object[] = []
    let cursor = ''
    do {
      const { body } = await list(`?limit=3${cursor && `&cursor=${cursor}`}`)
      pages.push(...body.data)
      cursor = body.nextCursor ?? ''
    } while (cursor !== '')
    assert.deepEqual(pages, whole.data)
    assert.deepEqual((await list('?from=7')).body, { data: [], nextCursor: null })
    // A list that is read on after another version has taken its place would skip and repeat.
    const begun = (await list('?limit=3')).body.nextCursor
    assert.equal(
      (await call(`/v1/documents/${document.id}/index`, { method: 'POST', headers: WAIT })).status,
      200,
    )
    assertError(await list(`?cursor=${begun}`), 'VALIDATION_FAILED', {
      ...{ field: 'cursor', value: begun, reason: 'indexed_again' },
    })
    const failed = await call(`/v1/knowledge-bases/${id}/documents`, { body: { text: ' ' }, headers: WAIT })
    const none = await call(`/v1/documents/${failed.body.id}/chunks`)
    assert.deepEqual(none.body, { data: [], nextCursor: null })
    assert.equal((await call(`/v1/documents/${failed.body.id}/text`)).body.indexed, false)
    assert.equal((await call(`/v1/documents/${failed.body.id}`, { method: 'DELETE' })).status, 204)
  })

  test('fails to index a text of nothing but signs, and says so to who waits', async () => {
    const { call, base } = await knower()
    const id = await base()
    const added = await call(`/v1/knowledge-bases/${id}/documents`, {
      body: { text: ' \n\t ' },
      headers: WAIT,
    })
    assert.equal(added.status, 201, added.text)
    assert.equal(added.body.status, 'failed')
    const message = DOCUMENT_FAILURES.no_text
    assert.deepEqual(added.body.error, { code: 'INDEXING_FAILED', reason: 'no_text', message })
    const { data: problems } = (await call('/v1/problems')).body
    assert.deepEqual(
      problems.map((one: Record<string, string>) => [one.id, one.reason, one.message, one.exampleId]),
      [[`document:${id}`, 'no_text', message, added.body.id]],
    )
    const again = await call(`/v1/documents/${added.body.id}/index`, { method: 'POST', headers: WAIT })
    assertError(again, 'INDEXING_FAILED', { documentId: added.body.id, reason: 'no_text' })
    assert.equal(again.body.error.message, message)
  })

  it('looks for words alone, whatever a query holds', async () => {
    const { base, add, find, search } = await knower()
    const id = await base()
    await add(id, 'Only the word badger is here.')
    for (const query of [
      '" OR kb:*',
      'owner:*',
      'NEAR(',
      'x" OR owner : "a',
      "') | 'a",
      ':* & !b',
      '{terms}: heron',
      '^',
    ])
      assert.deepEqual(await find(id, query), [], query)
    assert.equal((await find(id, 'NOT badger')).length, 1)
    for (const query of ['   ', '🦡', 'the of and'])
      assert.deepEqual((await search(id, query)).body, { data: [], mode: 'text', reason: null }, query)
    assert.equal((await search(id, 'b'.repeat(2_000))).status, 200)
    assertError(await search(id, 'b'.repeat(2_001)), 'VALIDATION_FAILED', { field: 'query' })
    assertError(await search(id, ''), 'VALIDATION_FAILED', { field: 'query' })
    assertError(await search(id, 'a\0b'), 'VALIDATION_FAILED', { field: 'query' })
    assertError(await search(id, 'badger', { limit: 51 }), 'VALIDATION_FAILED', { field: 'limit' })
  })
})
