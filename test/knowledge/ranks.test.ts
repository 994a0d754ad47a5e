import assert from 'node:assert/strict'
import { it } from 'node:test'
import { termsOf } from '#src/core/text/terms.ts'
import { queryTerms } from '#src/knowledge/search/query-terms.ts'
import { startEmbeddings } from '../support/embeddings.ts'
import { hitsOf, joinedSet } from '../support/joined.ts'
import { createKnower } from '../support/knowledge.ts'
import { IS_NIGHTLY, nightly } from '../support/nightly.ts'
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
    const found = new Map<string, string[]>()
    for (const mode of ['text', 'vector', 'auto']) {
      for (const [question] of QUESTIONS) {
        const [one = [], other] = await Promise.all(both.map(({ ask }) => ask(mode)(question)))
        assert.deepEqual(one, other ?? one, `${mode}: ${question}`)
        found.set(`${mode} ${question}`, one)
      }
    }
    // Generous: what a change of cutting or ranking breaks shows far below.
    const bounds = { text: [0.9, 0.8], vector: [0.45, 0.35], auto: [0.95, 0.93] }
    for (const [mode, [recall = 0, mrr = 0]] of Object.entries(bounds)) {
      const quality = await measureQuality(async (question) => found.get(`${mode} ${question}`) ?? [])
      assert.ok(quality.recallAt5 >= recall && quality.mrr >= mrr, `${mode}: ${JSON.stringify(quality)}`)
    }
  } finally {
    for (const { stop } of both) await stop()
    await stub.stop()
  }
})

it('joining vectors loses nothing of what the better of both finds, whether they mean something or nothing', async () => {
  const stub = await startEmbeddings()
  const servers = await Promise.all(ENGINES.map((engine) => startPostern(engine, { env: stub.env })))
  try {
    const set = joinedSet(5, nightly(84, 42))
    const text = set.notes.map((note, index) => `# n${index}\n${note}\n`).join('')
    for (const [turn, [kind, vectorOf]] of Object.entries(set.vectorsOf).entries()) {
      stub.vectorOf = vectorOf
      for (const [place, server] of servers.entries()) {
        // By day each kind has one engine: the test before this one shows that both find the same.
        if (!IS_NIGHTLY && place !== turn % servers.length) continue
        const { add, base, find } = await createKnower(server)
        const id = await base()
        assert.equal((await add(id, text)).chunks, set.notes.length)
        const hits = (mode: string) => hitsOf(set, (query) => find(id, query, { mode }))
        const [words, vectors, both] = [await hits('text'), await hits('vector'), await hits('auto')]
        const told = `${kind} vectors on ${ENGINES[place]}: ${words} by words, ${vectors} by vectors, ${both} by both`
        assert.ok(kind === 'good' ? vectors > words : words > 5 * vectors, told)
        assert.ok(both >= 0.95 * Math.max(words, vectors), told)
      }
    }
  } finally {
    for (const server of servers) await server.stop()
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
