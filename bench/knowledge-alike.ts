import assert from 'node:assert/strict'
import { stopwatch } from '#src/core/clock.ts'
import type { Database } from '#src/db/database.ts'
import { textGroupOf } from '#src/knowledge/indexing/staged-version.ts'
import { queryTerms } from '#src/knowledge/search/query-terms.ts'
import { generator, notesOf, questionsOf } from '../test/support/notes.ts'
import { ms, spreadOf, whole } from './figures.ts'
import { openSearch } from './knowledge-search.ts'
import { seedBase } from './knowledge-seed.ts'
import type { Options } from './options.ts'
import { ENGINE_NAMES, type EngineName } from './store.ts'
import type { Row } from './table.ts'

/** Passages that one base may have. */
const PASSAGES = 100_000
const QUESTIONS = 200
const TITLES: Record<EngineName, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const [ALIKE, GOAL_P95] = [0.99, 15]

/** Measures whether both engines find the same in a base of the largest size, and how long a search takes there. */
export async function benchKnowledgeAlike({ progress }: Pick<Options, 'progress'>): Promise<Row[]> {
  const random = generator(11)
  const notes = notesOf(PASSAGES, random)
  const questions = questionsOf(QUESTIONS, random, PASSAGES)
  const both: Asked[] = []
  for (const engine of ENGINE_NAMES) {
    progress(`${TITLES[engine]} has ${whole(PASSAGES)} passages written into one base, and is asked`)
    both.push(await askAll(engine, notes, questions))
  }
  const [one, other] = both as [Asked, Asked]
  const same = questions.filter((_, index) => one.found[index]?.join('\n') === other.found[index]?.join('\n'))
  const rare = questions.flatMap(({ rare }, index) => (rare === undefined ? [] : [{ rare, index }]))
  const firsts = rare.filter(({ rare, index }) =>
    both.every(({ found }) => found[index]?.[0]?.split(' ').includes(rare)),
  )
  const share = same.length / questions.length
  return [
    {
      name: `${questions.length} questions over ${whole(PASSAGES)} passages of one base: the same first ten, in the same order, on both engines`,
      measured: `${same.length} of ${questions.length}; the one with the rare word first ${firsts.length} of ${rare.length}`,
      raw: '',
      goal: '≥ 99 of 100, the rare word always',
      isMet: share >= ALIKE && firsts.length === rare.length,
    },
    ...both.map(({ engine, whole, index }) => ({
      name: `one such question, ${TITLES[engine]}`,
      measured: `p50 ${ms(whole.p50)}, p95 ${ms(whole.p95)}`,
      raw: `index alone p50 ${ms(index.p50)}, p95 ${ms(index.p95)}`,
      goal: `p95 ≤ ${GOAL_P95} ms`,
      isMet: whole.p95 <= GOAL_P95,
    })),
  ]
}

type Spread = ReturnType<typeof spreadOf>

/** The results of one engine: for each question the texts of the first ten passages, and the times of all questions. */
interface Asked {
  engine: EngineName
  found: string[][]
  whole: Spread
  index: Spread
}

async function askAll(
  engine: EngineName,
  notes: string[],
  questions: ReturnType<typeof questionsOf>,
): Promise<Asked> {
  const { store, database, search, close } = await openSearch(engine)
  const { organizationId, id } = await seedBase(database, notes.length, (index) => notes[index] as string)
  await store.seed([])
  const found: string[][] = []
  const [took, bare] = [[] as number[], [] as number[]]
  for (const { query } of questions) {
    const elapsed = stopwatch()
    const { passages } = await search({ organizationId, baseIds: [id], query, limit: 10, mode: 'text' })
    took.push(elapsed())
    bare.push(await askIndex(database, textGroupOf(id), query))
    found.push(passages.map(({ text }) => text))
  }
  assert.ok(found.every(({ length }) => length > 0))
  await close()
  return { engine, found, whole: spreadOf(took), index: spreadOf(bare) }
}

/** Milliseconds that the index takes to count the passages of each word, without reading one of them. */
async function askIndex({ db, reader, textIndex }: Database, group: string, query: string): Promise<number> {
  const terms = queryTerms(query).map(({ term }) => term)
  const elapsed = stopwatch()
  await reader.rows(textIndex.countRows([group], terms).compile(db))
  return elapsed()
}
