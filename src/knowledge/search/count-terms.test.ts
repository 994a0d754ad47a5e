import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { MINUTE, SECOND } from '../../core/clock.ts'
import { createTermCounts } from './count-terms.ts'

/** Counts like an index, and records the requested terms. */
function stand(rows: Record<string, number>) {
  const asked: string[][] = []
  let [now, terms] = [1_000_000, [] as string[]]
  const counter = createTermCounts({
    clock: { now: () => now },
    database: {
      db: {},
      textIndex: {
        countRows(_: string[], some: string[]) {
          terms = some
          return Object.assign(sql``, { compile: () => ({}) })
        },
      },
      reader: {
        async rows() {
          asked.push(terms)
          // An engine answers in any order.
          return terms.map((term, place) => ({ place, rows: rows[term] ?? 0 })).reverse()
        },
      },
    } as unknown as Parameters<typeof createTermCounts>[0]['database'],
  })
  const count = (names: string[], group = 'one') => counter([group], names)
  return { count, asked, rows, pass: (time: number) => (now += time) }
}

it('the count of a frequent term is asked for once a minute, any other each time', async () => {
  const { count, asked, rows, pass } = stand({ common: 90_000, rare: 3, edge: 5_000 })
  assert.deepEqual(await count(['rare', 'common', 'edge']), [3, 90_000, 5_000])
  Object.assign(rows, { rare: 4, common: 91_000, edge: 4_999 })
  assert.deepEqual(await count(['common', 'edge', 'none', 'rare']), [90_000, 4_999, 0, 4])
  assert.deepEqual(asked, [
    ['rare', 'common', 'edge'],
    ['edge', 'none', 'rare'],
  ])
  assert.deepEqual(await count(['common']), [90_000])
  assert.equal(asked.length, 2)
  pass(MINUTE)
  assert.deepEqual(await count(['common']), [91_000])
  assert.deepEqual(asked.at(-1), ['common'])
})

it('a count is of its bases alone, and not used from before the clock was set back', async () => {
  const { count, asked, pass } = stand({ common: 90_000 })
  await count(['common'])
  await count(['common'], 'other')
  assert.equal(asked.length, 2)
  pass(-SECOND)
  await count(['common'])
  assert.equal(asked.length, 3)
})
