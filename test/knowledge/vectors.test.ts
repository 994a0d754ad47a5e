import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { sql } from 'kysely'
import { DAY, MINUTE, SECOND } from '#src/core/clock.ts'
import { DOCUMENT_FAILURES } from '#src/core/failure-messages.ts'
import type { Id } from '#src/core/id.ts'
import type { WithVector } from '#src/db/engine/reader.ts'
import { searchVectors } from '#src/knowledge/search/search-vectors.ts'
import { assertError } from '../support/attacks.ts'
import { type EmbeddingsStub, MODEL, startEmbeddings, vectorOf } from '../support/embeddings.ts'
import { freePort } from '../support/free-port.ts'
import { createKnower, useKnower, WAIT } from '../support/knowledge.ts'
import { onBothEngines, startPostern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { advanceAtRest } from '../support/rest.ts'
import { until, within } from '../support/waits.ts'

const stub: EmbeddingsStub = await startEmbeddings()
after(() => stub.stop())

onBothEngines('vectors', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: stub.env })
  const knower = useKnower(server)

  /** Fails to index a document again, and the old version of it is still found. */
  async function fails(answers: EmbeddingsStub['next'], reason: string): Promise<void> {
    const { call, base, add, find } = await knower()
    const id = await base()
    const document = await add(id, 'The automobile is red.')
    stub.next = answers
    const again = await call(`/v1/documents/${document.id}/index`, { method: 'POST', headers: WAIT })
    assertError(again, 'INDEXING_FAILED', { documentId: document.id, reason })
    assert.deepEqual(stub.next, [])
    assert.deepEqual(await find(id, 'automobile'), ['The automobile is red.'])
    const { body } = await call(`/v1/documents/${document.id}`)
    assert.deepEqual(
      [body.status, body.error.reason, body.chunks, body.embedding],
      ['failed', reason, 1, MODEL],
    )
  }

  it('find what means the same in other words, beside what has the words', async () => {
    const { base, add, search } = await knower()
    const id = await base()
    await add(id, '# Garage\nThe automobile is red.')
    await add(id, 'A lemon is sour.')
    assert.ok(stub.asked.some(({ input }) => input[0] === 'Garage\n# Garage\nThe automobile is red.'))
    const last = stub.asked.at(-1)
    assert.deepEqual([last?.model, last?.authorization], [MODEL, 'Bearer a-key-of-the-operator'])
    const both = (await search(id, 'car')).body
    assert.deepEqual(
      [both.mode, both.reason, both.data[0].text],
      ['both', null, '# Garage\nThe automobile is red.'],
    )
    const near = (await search(id, 'car', { mode: 'vector' })).body
    assert.deepEqual([near.mode, near.data.length], ['vector', 2])
    assert.ok(near.data[0].score > near.data[1].score && near.data[0].score <= 1.000_001)
    const text = (await search(id, 'car', { mode: 'text' })).body
    assert.deepEqual(text, { data: [], mode: 'text', reason: null })
  })

  test('leave the request that waits for them answered as accepted, where the store is away at the end of the wait', async () => {
    const { app, clock } = await server()
    const { call, base } = await knower()
    const id = await base()
    const [held, before] = [Promise.withResolvers<void>(), stub.asked.length]
    stub.held = held.promise
    const rename = (from: string, to: string) =>
      app.database.tx((tx) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx))
    const waiting = call(`/v1/knowledge-bases/${id}/documents`, {
      ...{ body: { text: 'The automobile is red.' }, headers: { prefer: 'wait=2' } },
    })
    await until(
      async () => stub.asked.length,
      (asked) => asked > before,
      { what: 'a call for vectors' },
    )
    await rename('document', 'document_away')
    let answer: Awaited<typeof waiting>
    try {
      clock.advance(2 * SECOND)
      answer = await within('the answer at the end of the wait', waiting)
    } finally {
      await rename('document_away', 'document')
      stub.held = undefined
      held.resolve()
    }
    assert.deepEqual([answer.status, answer.body.status], [201, 'queued'], answer.text)
  })

  it('come before what shares a word by chance, and words before what is merely near', async () => {
    const { base, add, find } = await knower()
    const id = await base()
    const [meant, chance, lemon] = [
      'We sell every car, and you buy with a guarantee.',
      'The garden is wet in the morning.',
      'A lemon is sour, and so is a lime.',
    ]
    for (const text of [chance, lemon, 'Rain falls on the roof.', meant]) await add(id, text)
    const query = 'purchase of a vehicle this morning'
    assert.deepEqual(await find(id, query, { mode: 'text' }), [chance])
    assert.equal((await find(id, query, { mode: 'vector' }))[0], meant)
    assert.equal((await find(id, query))[0], meant)
    // The vector of this query is that of cars, but two of its words are in another text, which weigh more.
    const other = 'automobile automobile vehicle lemon lime'
    assert.equal((await find(id, other, { mode: 'vector' }))[0], meant)
    assert.equal((await find(id, other))[0], lemon)
  })

  test('are of the bases that want them', async () => {
    const { base, add, search } = await knower()
    const id = await base({ embedding: null })
    const before = stub.asked.length
    const document = await add(id, 'The automobile is red.')
    assert.equal(document.embedding, null)
    assert.equal(stub.asked.length, before)
    assert.deepEqual([(await search(id, 'automobile')).body.reason], [null])
    const { mode, reason, data } = (await search(id, 'automobile', { mode: 'vector' })).body
    assert.deepEqual([mode, reason, data.length], ['text', 'no_embedding', 1])
  })

  test('are not used until each document has those of the model, and the answer says so', async () => {
    const { call, base, add, search } = await knower()
    const id = await base({ embedding: null })
    const [one, two] = [await add(id, 'The automobile is red.'), await add(id, 'A lemon is sour.')]
    await call(`/v1/knowledge-bases/${id}`, { method: 'PATCH', body: { embedding: MODEL } })
    const told = async () => {
      const { mode, reason } = (await search(id, 'automobile')).body
      return [mode, reason]
    }
    assert.deepEqual(await told(), ['text', 'not_indexed_with_model'])
    for (const [index, { id: documentId }] of [one, two].entries()) {
      const again = await call(`/v1/documents/${documentId}/index`, { method: 'POST', headers: WAIT })
      assert.equal(again.body.embedding, MODEL, again.text)
      if (index === 0) assert.deepEqual(await told(), ['text', 'not_indexed_with_model'])
    }
    assert.deepEqual(await told(), ['both', null])
  })

  it('are found behind however many that are of no version that is found', async () => {
    const { base, add } = await knower()
    const id = (await base()) as Id<'knowledgeBase'>
    const { id: document_id, chunks } = await add(id, 'The automobile is red.')
    assert.equal(chunks, 1)
    const { database } = (await server()).app
    const to = Float32Array.from(vectorOf('car'))
    const row = { knowledge_base_id: id, document_id, vector: new Uint8Array(to.buffer) }
    const [first, last] = [1_000_000, 1_002_600]
    await database.tx(async (tx) => {
      for (let chunk_id = first; chunk_id < last; chunk_id += 100)
        await tx
          .insertInto('chunk_vector')
          .values(
            Array.from({ length: 100 }, (_, index) => ({ ...row, chunk_id: chunk_id + index, version: 99 })),
          )
          .execute()
      await tx
        .insertInto('chunk_vector')
        .values({ ...row, chunk_id: last, version: 1 })
        .execute()
    })
    const found = await searchVectors(database, [id], MODEL, to)
    assert.equal(found.length, 2)
    assert.equal(found[0]?.id, last)
  })

  it('are asked for with any text, and go on being found after what the database refuses', async () => {
    const { base, add } = await knower()
    const id = await base()
    await add(id, 'The automobile is red.')
    const { db, reader } = (await server()).app.database
    const to = Float32Array.from(vectorOf('car'))
    const nearest = (baseId: string, documentId: string, column = 'chunk_id') => {
      const page = sql<WithVector>`select ${sql.ref(column)} as id, vector from chunk_vector
        where knowledge_base_id = ${baseId} and document_id <> ${documentId}`
      return reader.nearest(() => page.compile(db), to, 10)
    }
    await assert.rejects(nearest(id, '', 'missing'), /missing/)
    for (const other of ["it's", '\\', "\\' or $1", ''])
      assert.equal((await nearest(id, other)).length, 1, other)
    assert.deepEqual(await nearest(`${id}' or '1' = '1`, ''), [])
  })

  test('that are too few, of different lengths, or no numbers, fail a document, and the old version is found', async () => {
    const row = (embedding: unknown) => () => ({ body: { data: [{ index: 0, embedding }] } })
    await fails([() => ({ body: { data: [] } })], 'embeddings_malformed')
    await fails([row([null, 1])], 'embeddings_malformed')
    await fails([row(['NaN', 1])], 'embeddings_malformed')
    await fails([row([])], 'embeddings_malformed')
    await fails([row([0, 0])], 'embeddings_malformed')
    await fails([() => ({ body: 'no list' })], 'embeddings_malformed')
    await fails([() => ({ status: 401, body: {} })], 'embeddings_status_401')
  })

  test('are asked for again after what passes, when the endpoint says, and given up after four tries', async () => {
    const { call, base, find } = await knower()
    const id = await base()
    const { clock } = await server()
    const path = `/v1/knowledge-bases/${id}/documents`
    stub.next = [() => ({ status: 429, headers: { 'retry-after': '120' }, body: {} })]
    const added = (await call(path, { body: { text: 'The automobile is red.' } })).body
    await until(
      () => stub.next.length,
      (left) => left === 0,
      { what: 'the first try' },
    )
    const { db } = (await server()).app.database
    const due = await until(
      () =>
        db.selectFrom('job').selectAll().where('payload', 'like', `%${added.id}%`).executeTakeFirstOrThrow(),
      ({ attempts }) => attempts === 1,
      { what: 'the first try to be settled' },
    )
    assert.ok(Number(due.due_at) >= clock.now() + 60_000)
    clock.advance(120_000)
    await until(
      async () => (await call(`/v1/documents/${added.id}`)).body.status,
      (status) => status === 'indexed',
      { what: 'the second try' },
    )
    assert.equal((await find(id, 'automobile')).length, 1)
    stub.next = Array.from({ length: 4 }, () => () => ({ status: 500, body: {} }))
    assert.equal((await call(`/v1/documents/${added.id}/index`, { method: 'POST' })).status, 202)
    const ended = await until(
      async () => {
        await advanceAtRest(await server(), 5 * SECOND)
        return (await call(`/v1/documents/${added.id}`)).body
      },
      ({ status }) => status === 'failed',
      { what: 'the fourth try' },
    )
    assert.deepEqual([ended.error.reason, stub.next.length], ['embeddings_status_500', 0])
    assert.equal((await find(id, 'automobile')).length, 1)
  })

  test('that are refused for a day fail a document, which waits no longer', async () => {
    const { call, base } = await knower()
    const { clock, app } = await server()
    const busy = () => ({ status: 429, headers: { 'retry-after': '172800' }, body: {} })
    stub.next = [busy]
    const path = `/v1/knowledge-bases/${await base()}/documents`
    const { id } = (await call(path, { body: { text: 'The automobile is late.' } })).body
    const job = app.database.db.selectFrom('job').selectAll().where('payload', 'like', `%${id}%`)
    await until(
      () => job.executeTakeFirstOrThrow(),
      ({ attempts }) => attempts === 1,
      { what: 'the first try to be settled' },
    )
    stub.next = []
    clock.advance(DAY + MINUTE)
    const ended = await until(
      async () => (await call(`/v1/documents/${id}`)).body,
      ({ status }) => status === 'failed',
      { what: 'the end of a document that waits' },
    )
    assert.deepEqual(ended.error, {
      ...{ code: 'INDEXING_FAILED', reason: 'horizon_passed' },
      message: DOCUMENT_FAILURES.horizon_passed,
    })
  })

  test('that cannot be had for a query leave the search to its words, and the answer says so', async () => {
    const { base, add, search } = await knower()
    const id = await base()
    await add(id, 'The automobile is red.')
    stub.next = [() => ({ status: 503, body: {} })]
    const { mode, reason, data } = (await search(id, 'automobile', { mode: 'vector' })).body
    assert.deepEqual([mode, reason, data.length], ['text', 'embeddings_unavailable', 1])
    // The endpoint that has failed is left alone for ten seconds.
    const before = stub.asked.length
    assert.equal((await search(id, 'automobile')).body.reason, 'embeddings_unavailable')
    assert.equal(stub.asked.length, before)
    ;(await server()).clock.advance(10_000)
    assert.equal((await search(id, 'automobile')).body.mode, 'both')
    // A clock that is set back does not prolong that pause.
    stub.next = [() => ({ status: 503, body: {} })]
    assert.equal((await search(id, 'automobile')).body.mode, 'text')
    ;(await server()).clock.advance(-MINUTE)
    assert.equal((await search(id, 'automobile')).body.mode, 'both')
  })

  test('of another length than those of the documents leave the search to its words, and the answer says so', async () => {
    const { base, add, search } = await knower()
    const id = await base()
    await add(id, 'The automobile is red.')
    const short = () => ({ body: { data: [{ object: 'embedding', index: 0, embedding: [1, 2, 3] }] } })
    for (const mode of ['auto', 'vector']) {
      stub.next = [short]
      const answer = (await search(id, 'automobile', { mode })).body
      assert.deepEqual([answer.mode, answer.reason, answer.data.length], ['text', 'not_comparable', 1])
    }
    assert.deepEqual((await search(await base(), 'automobile')).body, {
      data: [],
      mode: 'both',
      reason: null,
    })
  })

  test('are not asked for a query without a word that is looked for, and the answer says so', async () => {
    const { base, add, search } = await knower()
    const id = await base()
    await add(id, 'The automobile is red.')
    const before = stub.asked.length
    for (const mode of ['auto', 'vector'])
      for (const query of ['who is it', '!?'])
        assert.deepEqual((await search(id, query, { mode })).body, {
          data: [],
          mode: 'text',
          reason: 'no_words',
        })
    assert.equal((await search(id, 'who is it', { mode: 'text' })).body.reason, null)
    assert.equal(stub.asked.length, before)
  })

  test('of a model that the server has no more are not used, until the documents have those of another', async () => {
    const first = await startPostern(engine, { env: stub.env })
    const before = await createKnower(first)
    const id = await before.base()
    const { id: documentId } = await before.add(id, 'The automobile is red.')
    await first.stop()
    const second = await startPostern(engine, {
      env0: first.env,
      env: { EMBEDDINGS_MODEL: 'another-model', PORT: String(await freePort()) },
    })
    try {
      const call: typeof before.call = (path, more = {}) =>
        second.client().call(path, { token: before.token, ...more })
      const mode = async () => {
        const { body } = await call(`/v1/knowledge-bases/${id}/search`, { body: { query: 'automobile' } })
        assert.equal(body.data.length, 1)
        return [body.mode, body.reason]
      }
      const again = () => call(`/v1/documents/${documentId}/index`, { method: 'POST', headers: WAIT })
      assert.deepEqual(await mode(), ['text', 'model_not_configured'])
      // By its words it can be indexed as ever.
      assert.deepEqual(
        [(await again()).body.embedding, await mode()],
        [null, ['text', 'model_not_configured']],
      )
      const body = { embedding: 'another-model' }
      assert.equal((await call(`/v1/knowledge-bases/${id}`, { method: 'PATCH', body })).status, 200)
      assert.deepEqual(await mode(), ['text', 'not_indexed_with_model'])
      assert.deepEqual([(await again()).body.embedding, await mode()], ['another-model', ['both', null]])
    } finally {
      await second.stop()
    }
  })
})

it('the stub holds what means the same for near', () => {
  assert.deepEqual(vectorOf('automobile'), vectorOf('car'))
})
