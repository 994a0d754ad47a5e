import assert from 'node:assert/strict'
import { it } from 'node:test'
import { turn } from './clock.ts'
import { forEachDespiteErrors, forEachPagedDespiteErrors } from './for-each-despite-errors.ts'

it('items are attended one after the other, and one that fails is reported without holding up the others', async () => {
  const steps: string[] = []
  await forEachDespiteErrors(
    new Set(['a', 'b', 'c', 'd']),
    async (item) => {
      steps.push(`${item} begins`)
      await turn()
      if (item === 'b' || item === 'd') throw new Error(`no ${item}`)
      steps.push(`${item} ends`)
    },
    (error, item) => steps.push(`${item} fails: ${(error as Error).message}`),
  )
  assert.deepEqual(steps, [
    ...['a begins', 'a ends', 'b begins', 'b fails: no b'],
    ...['c begins', 'c ends', 'd begins', 'd fails: no d'],
  ])
})

function never(): never {
  throw new Error('called')
}

/** Numbers from 1 to `last`, in pages of three. */
function numbers(last: number) {
  const asked: (number | undefined)[] = []
  return {
    asked,
    most: 3,
    async read(after: number | undefined) {
      asked.push(after)
      const first = (after ?? 0) + 1
      return [first, first + 1, first + 2].filter((one) => one <= last)
    },
  }
}

it('a page on which every item fails holds up no later page', async () => {
  const pages = numbers(7)
  const [done, failed]: [number[], number[]] = [[], []]
  await forEachPagedDespiteErrors(
    pages,
    async (one) => {
      if (one < 7) throw new Error('always')
      done.push(one)
    },
    (_error, one) => failed.push(one),
  )
  assert.deepEqual([failed, done, pages.asked], [[1, 2, 3, 4, 5, 6], [7], [undefined, 3, 6]])
})

it('pages are read until one is not full, or the work is over', async () => {
  const whole = numbers(6)
  await forEachPagedDespiteErrors(whole, async () => {}, never)
  assert.deepEqual(whole.asked, [undefined, 3, 6])
  const [cut, done] = [numbers(9), [] as number[]]
  await forEachPagedDespiteErrors(
    { ...cut, isOver: () => done.length === 4 },
    async (one) => void done.push(one),
    never,
  )
  assert.deepEqual(
    [done, cut.asked],
    [
      [1, 2, 3, 4],
      [undefined, 3],
    ],
  )
  await forEachPagedDespiteErrors({ ...cut, isOver: () => true }, never, never)
  assert.equal(cut.asked.length, 2)
})
