import assert from 'node:assert/strict'
import { pause, SECOND } from '#src/core/clock.ts'
import { type EmbeddingsStub, startEmbeddings } from '../test/support/embeddings.ts'
import { hitsOf, joinedSet } from '../test/support/joined.ts'
import { createKnower } from '../test/support/knowledge.ts'
import { startPostern } from '../test/support/postern.ts'
import { measureQuality, PARAPHRASES, PASSAGES, QUESTIONS } from '../test/support/retrieval.ts'
import { startEmbeddingModel } from './embedding-model.ts'
import type { Options } from './options.ts'
import type { Row } from './table.ts'

/** The mode that an answer names for each requested mode, where there are vectors. */
const ANSWERED: Record<string, string> = { text: 'text', vector: 'vector', auto: 'both' }
/** The server leaves a late endpoint alone for this long. */
const LEFT_ALONE = 10 * SECOND
const TRIES = 10

const SETS = {
  [`${QUESTIONS.length} questions over ${PASSAGES.length} passages`]: QUESTIONS,
  [`${PARAPHRASES.length} questions without a word of their passage`]: PARAPHRASES,
}
const row = (name: string, measured: string): Row => ({ name, measured, raw: '', goal: '', isMet: true })

/** How well questions are answered: the same on both engines, as a test holds. */
export async function benchKnowledgeQuality({ progress }: Pick<Options, 'progress'>): Promise<Row[]> {
  progress('the vectors are those of a stub')
  const stub = await startEmbeddings()
  const rows = await measure(stub.env, { text: 'text', vector: 'vectors of a stub', auto: 'both' })
  progress('the vectors know everything, or nothing')
  rows.push(...(await measureJoined(stub)))
  await stub.stop()
  const model = await startEmbeddingModel()
  if (typeof model === 'string')
    return [
      ...rows,
      row('the same by a real model', `not measured here (bench/embeddings.py says how): ${model}`),
    ]
  progress(`the vectors are those of ${model.name}`)
  const real = await measure(model.env, {
    vector: `vectors of ${model.name}`,
    auto: 'text and those vectors',
  })
  await model.stop()
  return [...rows, ...real]
}

/** Measures the hits of a search by words and vectors, as a share of the better one of both alone, with good vectors and with random ones. */
async function measureJoined(stub: EmbeddingsStub): Promise<Row[]> {
  const postern = await startPostern('sqlite', { env: stub.env })
  const { base, add, find } = await createKnower(postern)
  const set = joinedSet()
  const rows: Row[] = []
  for (const [kind, vectorOf] of Object.entries(set.vectorsOf)) {
    stub.vectorOf = vectorOf
    const id = await base()
    await add(id, set.notes.map((note, index) => `# n${index}\n${note}\n`).join(''))
    const hits = (mode: string) => hitsOf(set, (query) => find(id, query, { mode }))
    const [words, vectors, both] = [await hits('text'), await hits('vector'), await hits('auto')]
    const kept = both / Math.max(words, vectors)
    rows.push({
      name: `${set.questions.length} questions over ${set.notes.length} notes, among the first five, ${kind} vectors`,
      measured: `${words} by text, ${vectors} by vectors, ${both} by both`,
      raw: '',
      goal: '≥ 0.95 of the better',
      isMet: kept >= 0.95,
    })
  }
  await postern.stop()
  return rows
}

/** @param modes of a search, each with how it is called in the table */
async function measure(env: Record<string, string>, modes: Record<string, string>): Promise<Row[]> {
  const postern = await startPostern('sqlite', { env })
  const { base, add, search } = await createKnower(postern)
  const id = await base()
  for (const text of PASSAGES) await add(id, text)
  /** @returns the texts that are found; not by another way than was asked for, as where the vectors of a question came late */
  async function find(query: string, mode: string): Promise<string[]> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { body, text } = await search(id, query, { mode })
      if (body.mode === ANSWERED[mode]) return body.data.map((one: { text: string }) => one.text)
      assert.equal(body.reason, 'embeddings_unavailable', text)
      await pause(LEFT_ALONE)
    }
    throw new Error('there are no vectors of a question in time: this machine is too busy')
  }
  const rows: Row[] = []
  for (const [set, questions] of Object.entries(SETS))
    for (const [mode, how] of Object.entries(modes)) {
      const { recallAt5, mrr } = await measureQuality((question) => find(question, mode), questions)
      rows.push(row(`${set}, by ${how}`, `recall@5 ${recallAt5.toFixed(2)}, MRR ${mrr.toFixed(2)}`))
    }
  await postern.stop()
  return rows
}
