import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DOCUMENT_FAILURES } from '#src/core/failure-messages.ts'
import type { Id } from '#src/core/id.ts'
import { assertError } from '../support/attacks.ts'
import { useKnower, WAIT } from '../support/knowledge.ts'
import { onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

onBothEngines('a knowledge base', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)
  const knower = useKnower(server)
  const path = (base: string) => `/v1/knowledge-bases/${base}/documents`

  /** As if it had so much more, which would take long to write. */
  async function pretend(base: string, { documents = 0, chunks = 0 }) {
    const { tx } = (await server()).app.database
    const row = { knowledge_base_id: base as Id<'knowledgeBase'>, documents, chunks }
    await tx((one) => one.insertInto('knowledge_count').values(row).execute())
  }

  test('has 10,000 documents at most; one that is deleted makes room', async () => {
    const { call, base, add } = await knower()
    const id = await base()
    await pretend(id, { documents: 9_998 })
    const { id: first } = await add(id, 'The last but one.')
    const together = await Promise.all(
      ['The last.', 'One too many.'].map((text) => call(path(id), { body: { text } })),
    )
    assert.deepEqual(together.map(({ status }) => status).sort(), [201, 403])
    const refused = together.find(({ status }) => status === 403) as (typeof together)[0]
    assertError(refused, 'FORBIDDEN', { reason: 'too_many_documents', limit: 10_000 })
    assert.equal((await call(`/v1/documents/${first}`, { method: 'DELETE' })).status, 204)
    await add(id, 'There is room.')
  })

  it('has 100,000 chunks at most, whichever of two documents comes first, and keeps what it has when it is full', async () => {
    const { call, base, add, find } = await knower()
    const id = await base()
    const three = (word: string) => ['a', 'b', 'c'].map((one) => `# ${one}\n\n${word} ${one}\n`).join('\n')
    const { id: first, chunks } = await add(id, three('heron'))
    assert.equal(chunks, 3)
    await pretend(id, { chunks: 99_993 })
    const send = (word: string) => call(path(id), { body: { text: three(word) }, headers: WAIT })
    const together = await Promise.all([send('egret'), send('ibis')])
    assert.deepEqual(together.map(({ body }) => [body.status, body.error?.reason]).sort(), [
      ['failed', 'knowledge_base_full'],
      ['indexed', undefined],
    ])
    // What it holds itself is not counted against the new version.
    const again = await call(`/v1/documents/${first}/index`, { method: 'POST', headers: WAIT })
    assert.deepEqual([again.status, again.body.status], [200, 'indexed'])
    assert.equal((await find(id, 'heron')).length, 3)
    assert.equal((await call(`/v1/documents/${first}`, { method: 'DELETE' })).status, 204)
    const { body: full } = together.find(({ body }) => body.status === 'failed') as (typeof together)[0]
    const retried = await call(`/v1/documents/${full.id}/index`, { method: 'POST', headers: WAIT })
    assert.equal(retried.body.status, 'indexed')
  })

  test('takes no document of more than 20,000 chunks', async () => {
    const { call, base } = await knower()
    const answer = await call(path(await base()), {
      body: { text: '# a\nb\n# c\nd\n'.repeat(10_001) },
      headers: WAIT,
    })
    assert.deepEqual(answer.body.error, {
      ...{ code: 'INDEXING_FAILED', reason: 'too_many_chunks' },
      message: DOCUMENT_FAILURES.too_many_chunks,
    })
  })

  it('counts what its documents have, whatever is added, replaced, indexed again, deleted and fails at once', async () => {
    const { call, base } = await knower()
    const id = await base()
    const texts = Array.from({ length: 24 }, (_, index) =>
      index % 6 === 0 ? '. '.repeat(index + 1) : `Tern ${index}. `.repeat(40 * index),
    )
    const ids: string[] = (await Promise.all(texts.map((text) => call(path(id), { body: { text } })))).map(
      ({ body }) => body.id,
    )
    await Promise.all(
      ids.flatMap((one, index) => [
        ...(index % 3 === 0 ? [call(`/v1/documents/${one}/index`, { method: 'POST' })] : []),
        ...(index % 2 === 1
          ? ['Avocet. '.repeat(90 * index), ' '].map((text) =>
              call(`/v1/documents/${one}`, { method: 'PUT', body: { text: `${text}${'\n'.repeat(index)}` } }),
            )
          : []),
        ...(index % 4 === 1 ? [call(`/v1/documents/${one}`, { method: 'DELETE' })] : []),
      ]),
    )
    const { db } = (await server()).app.database
    const own = db.selectFrom('document').where('knowledge_base_id', '=', id as Id<'knowledgeBase'>)
    const rows = await until(
      () => own.select(['job_id', 'chunks', 'staged_chunks']).execute(),
      (all) => all.every(({ job_id }) => job_id === null),
      { what: 'all documents to have ended' },
    )
    assert.equal(rows.length, 18)
    const counted = await db
      .selectFrom('knowledge_count')
      .select(({ fn }) => [fn.sum('documents').as('documents'), fn.sum('chunks').as('chunks')])
      .where('knowledge_base_id', '=', id as Id<'knowledgeBase'>)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [Number(counted.documents), Number(counted.chunks)],
      [rows.length, rows.reduce((sum, { chunks }) => sum + chunks, 0)],
    )
    assert.equal((await call(`/v1/knowledge-bases/${id}`, { method: 'DELETE' })).status, 204)
    await until(
      () =>
        db
          .selectFrom('knowledge_count')
          .select('id')
          .where('knowledge_base_id', '=', id as Id<'knowledgeBase'>)
          .execute(),
      ({ length }) => length === 0,
      { what: 'what is counted of a deleted base to be gone' },
    )
  })
})
