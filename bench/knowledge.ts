import { stopwatch } from '#src/core/clock.ts'
import { runForOwner } from '#src/core/context.ts'
import type { Database } from '#src/db/database.ts'
import { textGroupOf } from '#src/knowledge/indexing/staged-version.ts'
import { queryTerms } from '#src/knowledge/search/query-terms.ts'
import type { Search } from '#src/knowledge/search/search.ts'
import { generator, wordAt } from '../test/support/notes.ts'
import { ms, spreadOf, whole } from './figures.ts'
import { openSearch } from './knowledge-search.ts'
import { type Base, seedBase, textOf, word } from './knowledge-seed.ts'
import { vectorRow, watchLoop } from './knowledge-vectors.ts'
import type { Options } from './options.ts'
import type { Row } from './table.ts'

const ORGANIZATIONS = 50
const CHUNKS = 100_000
const SEARCHES = 400
/** Searches beside a hostile neighbour. */
const FEWER = 100
const GOAL_P95 = 15
const GOAL_STALL = 50

/** Measures searches of many organizations, alone and beside a neighbour with a large base that searches all the time. */
export async function benchKnowledge({ engine, progress }: Options): Promise<Row[]> {
  const { store, database, search, close } = await openSearch(engine)
  const random = generator(7)
  const bases: Base[] = []
  progress(`${whole(CHUNKS)} chunks of ${ORGANIZATIONS} organizations are written`)
  const written = stopwatch()
  for (let index = 0; index < ORGANIZATIONS; index += 1)
    bases.push(await seedBase(database, CHUNKS / ORGANIZATIONS, textOf(random)))
  const seconds = written() / 1_000
  if (engine === 'postgres') await store.seed([])
  progress('they are searched')
  const quiet = await measure(search, bases, random)
  const bare = await measureBare(database, bases, random)
  progress('one organization writes as many chunks as it may')
  const large = await seedBase(database, CHUNKS, textOf(random))
  if (engine === 'postgres') await store.seed([])
  progress('it searches them all the time')
  let isOver = false
  const hostile = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isOver) await ask(search, large, COMMON)
    }),
  )
  const busy = await measure(search, bases, random, FEWER)
  isOver = true
  await hostile
  progress('a base is searched by vectors')
  const near = await vectorRow(database, random, GOAL_STALL)
  await close()
  return [
    {
      name: `search, ${whole(CHUNKS)} chunks of ${ORGANIZATIONS} organizations`,
      measured: `p50 ${ms(quiet.p50)}, p95 ${ms(quiet.p95)}`,
      raw: `index alone p50 ${ms(bare.p50)}, p95 ${ms(bare.p95)}`,
      goal: `p95 ≤ ${GOAL_P95} ms`,
      isMet: quiet.p95 <= GOAL_P95,
    },
    {
      name: `the same while another searches ${whole(CHUNKS)} chunks of its own`,
      measured: `p50 ${ms(busy.p50)}, p95 ${ms(busy.p95)}, no pause of the loop over ${ms(busy.stall)}`,
      raw: `p95 ${ms(quiet.p95)}, no pause over ${ms(quiet.stall)} alone`,
      goal: `no pause over ${GOAL_STALL} ms`,
      isMet: busy.stall <= GOAL_STALL,
    },
    near,
    {
      name: 'chunks written a second, found from the swap on',
      measured: whole(CHUNKS / seconds),
      raw: '',
      goal: '',
      isMet: true,
    },
  ]
}

/** A query of the most frequent words. */
const COMMON = [1, 2, 3, 4, 5, 6, 7, 8].map(wordAt).join(' ')

/** For its organization, as a request, so that it has its share of the connections. */
const ask = (search: Search, { organizationId, id }: Base, query: string) =>
  runForOwner(organizationId, () => search({ organizationId, baseIds: [id], query, limit: 10, mode: 'auto' }))

/** Two words that many texts have, and two that few have. */
const queryOf = (random: () => number) =>
  `${word(random)} ${word(random)} ${wordAt(Math.floor(1_000 + 5_000 * random()))} ${wordAt(Math.floor(20 + 100 * random()))}`

async function measure(search: Search, bases: Base[], random: () => number, searches = SEARCHES) {
  const stop = watchLoop()
  const took: number[] = []
  for (let index = 0; index < searches; index += 1) {
    const elapsed = stopwatch()
    await ask(search, bases[index % bases.length] as Base, queryOf(random))
    took.push(elapsed())
  }
  return { ...spreadOf(took), stall: stop() }
}

async function measureBare({ db, reader, textIndex }: Database, bases: Base[], random: () => number) {
  const took: number[] = []
  for (let index = 0; index < SEARCHES; index += 1) {
    const { id } = bases[index % bases.length] as Base
    const terms = queryTerms(queryOf(random))
    const elapsed = stopwatch()
    await reader.rows(
      textIndex
        .findRows({
          groups: [textGroupOf(id)],
          terms: terms.map(({ term }) => ({ term, weight: 1 })),
          limit: 100,
        })
        .compile(db),
    )
    took.push(elapsed())
  }
  return spreadOf(took)
}
