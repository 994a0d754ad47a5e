import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attendEach } from './attend-each.ts'
import { turn } from './clock.ts'

it('items are attended one after the other, and one that fails is reported and counted without holding up the others', async () => {
  const steps: string[] = []
  const failures = await attendEach(
    new Set(['a', 'b', 'c', 'd']),
    async (item) => {
      steps.push(`${item} begins`)
      await turn()
      if (item === 'b' || item === 'd') throw new Error(`no ${item}`)
      steps.push(`${item} ends`)
    },
    (error, item) => steps.push(`${item} fails: ${(error as Error).message}`),
  )
  assert.equal(failures, 2)
  assert.deepEqual(steps, [
    ...['a begins', 'a ends', 'b begins', 'b fails: no b'],
    ...['c begins', 'c ends', 'd begins', 'd fails: no d'],
  ])
})
