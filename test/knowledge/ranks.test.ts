import assert from 'node:assert/strict'
import { it } from 'node:test'
import { termsOf } from '#src/core/text/terms.ts'
import { queryTerms } from '#src/knowledge/search/query-terms.ts'
import { startEmbeddings } from '../support/embeddings.ts'
import { createKnower } from '../support/knowledge.ts'
import { ENGINES, type EngineName, startPostern } from '../support/postern.ts'
import { measureQuality, PARAPHRASES, PASSAGES, QUESTIONS } from '../support/retrieval.ts'
import { until } from '../support/waits.ts'

/** All passages in one base, each a document; answers how its questions are asked. */
async function stand(engine: EngineName, env: Record<string, string>) {
  const postern = await startPostern(engine, { env })
  const { call, base, find } = await createKnower(postern)
  const id = await base()
  const path = `/v1/knowledge-bases/${id}/documents`
  for (const text of PASSAGES) assert.equal((await call(path, { body: { text } })).status, 201)
  await until(
    async () => (await call(`/v1/knowledge-bases/${id}`)).body.chunks,
    (chunks) => chunks === PASSAGES.length,
    { what: 'all passages to be indexed' },
  )
  return { ask: (mode: string) => (query: string) => find(id, query, { mode }), stop: postern.stop }
}

it('the same is found in the same order on both engines, and well enough', async () => {
  const stub = await startEmbeddings()
  const both = await Promise.all(ENGINES.map((engine) => stand(engine, stub.env)))
  try {
    for (const mode of ['text', 'vector', 'auto']) {
      for (const [question] of QUESTIONS) {
        const [one, other] = await Promise.all(both.map(({ ask }) => ask(mode)(question)))
        assert.deepEqual(one, other, `${mode}: ${question}`)
      }
    }
    // Generous: what a change of cutting or ranking breaks shows far below.
    const bounds = { text: [0.9, 0.8], vector: [0.45, 0.35], auto: [0.95, 0.93] }
    for (const [mode, [recall = 0, mrr = 0]] of Object.entries(bounds)) {
      const quality = await measureQuality((both[0] as (typeof both)[number]).ask(mode))
      assert.ok(quality.recallAt5 >= recall && quality.mrr >= mrr, `${mode}: ${JSON.stringify(quality)}`)
    }
  } finally {
    for (const { stop } of both) await stop()
    await stub.stop()
  }
})

it('a question in other words has no word of its passage: by words alone it finds another one, or none', () => {
  for (const [question, index] of PARAPHRASES) {
    const words = new Set(termsOf(PASSAGES[index] ?? ''))
    assert.deepEqual(
      queryTerms(question).filter(({ term }) => words.has(term)),
      [],
      question,
    )
  }
})
