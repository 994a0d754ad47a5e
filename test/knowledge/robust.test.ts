import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR } from '#src/core/clock.ts'
import { DOCUMENT_FAILURES } from '#src/core/failure-messages.ts'
import type { Id } from '#src/core/id.ts'
import { rankByText } from '#src/knowledge/search/rank.ts'
import { assertError } from '../support/attacks.ts'
import { Client } from '../support/browser.ts'
import { createKnower, useKnower, WAIT } from '../support/knowledge.ts'
import {
  postern as command,
  onBothEngines,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { startProcess } from '../support/process.ts'
import { advanceAtRest } from '../support/rest.ts'
import { until } from '../support/waits.ts'

/** A text of so many chunks, each with a word of its own. */
const long = (chunks: number) =>
  Array.from(
    { length: chunks },
    (_, index) => `Part ${index} of kestrel. ${`filler${index} `.repeat(100)}`,
  ).join('\n\n')

onBothEngines('knowledge', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const knower = useKnower(server)

  it('is of one organization: its bases, documents and files are nobody else’s, wherever they are named', async () => {
    const postern = await server()
    const ours = await knower()
    const theirs = await createKnower(postern)
    const [base, foreign] = [await ours.base(), await theirs.base()]
    await theirs.add(foreign, 'The secret of the ibis.')
    const file = (await theirs.call('/v1/files?name=a.txt', { method: 'POST', body: 'An ibis.' })).body
    const added = await ours.call(`/v1/knowledge-bases/${base}/documents`, { body: { fileId: file.id } })
    assertError(added, 'ENTITY_NOT_FOUND', { field: 'fileId', value: file.id })
    assertError(await ours.search(foreign, 'ibis'), 'ENTITY_NOT_FOUND', { field: 'id' })
    assert.deepEqual(await ours.find(base, 'ibis'), [])
    // At use as well: whatever has been kept as an id of a base.
    const { createSearch } = await import('#src/knowledge/search/search.ts')
    const search = createSearch({
      clock: postern.clock,
      database: postern.app.database,
      embeddings: undefined,
      ranker: { rank: async (ranking) => rankByText(ranking), close: async () => {} },
    })
    const ask = (organizationId: string, baseIds: string[]) =>
      search({
        organizationId: organizationId as Id<'organization'>,
        baseIds: baseIds as Id<'knowledgeBase'>[],
        query: 'ibis',
        limit: 5,
        mode: 'auto',
      })
    assert.equal((await ask(theirs.admin.organizationId, [foreign])).passages.length, 1)
    assert.deepEqual((await ask(ours.admin.organizationId, [base, foreign])).passages, [])
    assert.deepEqual((await ask(theirs.admin.organizationId, [])).passages, [])
  })

  it('finds each passage once, however many of its document there are, and all of the old ones until the swap', async () => {
    const { call, base, add, find, search } = await knower()
    const id = await base()
    const document = await add(id, long(350))
    assert.ok(document.chunks >= 350)
    const chunks = (await search(id, 'kestrel', { limit: 50 })).body.data.map(
      (one: { chunkId: string }) => one.chunkId,
    )
    assert.equal(new Set(chunks).size, 50)
    assert.match((await find(id, 'filler349', { limit: 1 }))[0] ?? '', /filler349/)
    // While it is indexed again there are twice as many rows, and no answer shows a passage twice or none.
    assert.equal((await call(`/v1/documents/${document.id}/index`, { method: 'POST' })).status, 202)
    await until(
      async () => {
        const found = (await search(id, 'kestrel', { limit: 50 })).body.data
        assert.equal(new Set(found.map((one: { chunkId: string }) => one.chunkId)).size, 50)
        return (await call(`/v1/documents/${document.id}`)).body.status
      },
      (status) => status === 'indexed',
      { what: 'the new version' },
    )
    assert.equal((await call(`/v1/documents/${document.id}`, { method: 'DELETE' })).status, 204)
    assert.deepEqual(await find(id, 'kestrel'), [])
  })

  test('is deleted in whatever state a document is', async () => {
    const { call, base, find } = await knower()
    const id = await base()
    const { db } = (await server()).app.database
    for (let round = 0; round < 4; round += 1) {
      const added = await call(`/v1/knowledge-bases/${id}/documents`, {
        body: { text: `${round} ${long(120)}` },
      })
      if (round > 0)
        await until(
          async () => (await call(`/v1/documents/${added.body.id}`)).body.status,
          (status) => status !== 'queued',
          { what: 'a document that is begun' },
        )
      assert.equal((await call(`/v1/documents/${added.body.id}`, { method: 'DELETE' })).status, 204)
    }
    assert.deepEqual(await find(id, 'kestrel'), [])
    await until(
      () =>
        db
          .selectFrom('chunk')
          .select('id')
          .where('knowledge_base_id', '=', id as Id<'knowledgeBase'>)
          .execute(),
      ({ length }) => length === 0,
      { what: 'all chunks of deleted documents to be gone' },
    )
  })

  test('publishes document.indexed for both ends, once each', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    const document = await add(id, 'An egret stands.', { name: 'Egrets' })
    const failed = (
      await call(`/v1/knowledge-bases/${id}/documents`, {
        body: { text: '\n \n', name: 'Blank' },
        headers: WAIT,
      })
    ).body
    const events = (await call('/v1/events?limit=100')).body.data.filter(
      (one: { type: string }) => one.type === 'document.indexed',
    )
    const dataOf = async (name: string) => {
      const whole = await Promise.all(events.map((one: { id: string }) => call(`/v1/events/${one.id}`)))
      return whole.map(({ body }) => body.data).filter((data) => data?.name === name)
    }
    const [{ durationMs, ...good }, ...more] = await dataOf('Egrets')
    assert.ok(durationMs >= 0)
    assert.deepEqual(more, [])
    const common = { knowledgeBaseId: id }
    assert.deepEqual(good, {
      ...common,
      documentId: document.id,
      name: 'Egrets',
      status: 'indexed',
      chunks: 1,
      error: null,
    })
    const [bad] = await dataOf('Blank')
    assert.deepEqual(
      [bad.documentId, bad.status, bad.error],
      [
        failed.id,
        'failed',
        { code: 'INDEXING_FAILED', reason: 'no_text', message: DOCUMENT_FAILURES.no_text },
      ],
    )
  })

  it('ends with its organization', async () => {
    const postern = await server()
    const { admin, call, base, add } = await createKnower(postern)
    const id = await base()
    await add(id, 'A godwit flies.')
    const { name } = (await call('/v1/organizations')).body.data[0]
    const { code, err } = await command(postern, 'organizations', '--delete', name, '--yes')
    assert.equal(code, 0, err)
    assert.equal((await call(`/v1/knowledge-bases/${id}`)).status, 401)
    const { db } = postern.app.database
    await until(
      () =>
        db
          .selectFrom('document')
          .select('id')
          .where('organization_id', '=', admin.organizationId as Id<'organization'>)
          .execute(),
      ({ length }) => length === 0,
      { what: 'the documents of a deleted organization to be gone' },
    )
    // Housekeeping begins anew each hour; a moment for it to do so.
    const jobsLeft = async () => {
      await advanceAtRest(postern, 2 * HOUR)
      return db
        .selectFrom('job')
        .select('id')
        .where('organization_id', '=', admin.organizationId as Id<'organization'>)
        .execute()
    }
    await until(jobsLeft, ({ length }) => length === 0, {
      what: 'the jobs of a deleted organization to be gone',
    })
  })

  test('costs one credit for each hundred chunks that are indexed, and nothing where that fails', async () => {
    const postern = await startPostern(engine, { env: { DEFAULT_PLAN: 'team' } })
    try {
      const { call, base, add } = await createKnower(postern)
      const id = await base()
      const spent = async () => 10_000 - (await call('/v1/billing/balance')).body.balance
      await add(id, 'Short.')
      assert.equal(await spent(), 1)
      const { chunks } = await add(id, long(150))
      assert.ok(chunks > 100 && chunks <= 200)
      assert.equal(await spent(), 3)
      const failed = await call(`/v1/knowledge-bases/${id}/documents`, {
        body: { text: '\n \n' },
        headers: WAIT,
      })
      assert.equal(await spent(), 3)
      const path = `/v1/documents/${failed.body.id}`
      const put = (text: string) => call(path, { method: 'PUT', body: { text }, headers: WAIT })
      assert.equal((await put('A replacement costs what it indexes.')).status, 200)
      assert.equal(await spent(), 4)
      assert.equal((await put('A replacement costs what it indexes.')).status, 200)
      assertError(await put(' '), 'INDEXING_FAILED', { reason: 'no_text' })
      assert.equal(await spent(), 4)
    } finally {
      await postern.stop()
    }
  })

  test('that is killed while it indexes goes on after the start, and finds all of it once', async () => {
    const prepared = await startPostern(engine)
    const { token, base: newBase } = await createKnower(prepared)
    const base = await newBase()
    await prepared.stop()
    const { env } = prepared
    const texts = Array.from({ length: 6 }, (_, index) => `${index} ${long(300)}`)
    const first = await startProcess(env)
    const call = (url: string, path: string, body?: unknown) => new Client(url).call(path, { token, body })
    const ids: string[] = []
    for (const text of texts)
      ids.push((await call(first.url, `/v1/knowledge-bases/${base}/documents`, { text })).body.id)
    await until(
      async () => (await call(first.url, `/v1/documents/${ids[0]}`)).body.status,
      (status) => status !== 'queued',
      { what: 'indexing to have begun' },
    )
    // On PostgreSQL another process is there already, and takes over what the first has left.
    const start = () => startPostern(engine, { env0: env })
    const second = engine === 'postgres' ? await start() : undefined
    await first.kill()
    const next = second ?? (await start())
    const documents = await until(
      async () => (await call(next.url, `/v1/knowledge-bases/${base}/documents`)).body.data,
      (data) => data.every(({ status }: { status: string }) => status === 'indexed'),
      { what: 'all documents to be indexed' },
    )
    assert.equal(documents.length, texts.length)
    const found = (
      await call(next.url, `/v1/knowledge-bases/${base}/search`, { query: 'filler299', limit: 50 })
    ).body.data
    assert.equal(new Set(found.map((one: { chunkId: string }) => one.chunkId)).size, found.length)
    assert.equal(new Set(found.map((one: { documentId: string }) => one.documentId)).size, texts.length)
    const { chunks } = (await call(next.url, `/v1/knowledge-bases/${base}`)).body
    assert.equal(
      chunks,
      documents.reduce((sum: number, one: { chunks: number }) => sum + one.chunks, 0),
    )
    await next.stop()
  })
})
