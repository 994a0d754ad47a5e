import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testClock } from '../../test/support/clock.ts'
import { createTextResolver, MOST_TEXTS_UNDER_WAY } from './text-resolver.ts'

describe('the resolver of texts', () => {
  it('does not let unanswered look-ups of one owner delay another, and refuses those beyond its queue', async () => {
    const asked: string[] = []
    const silent = Promise.withResolvers<string[]>()
    const lookUp = createTextResolver({
      clock: testClock(),
      ask: (name) => {
        asked.push(name)
        return name === 'silent.test' ? silent.promise : Promise.resolve([name])
      },
    })
    const waiting = Array.from({ length: MOST_TEXTS_UNDER_WAY + 100 }, () => lookUp('silent.test', 'hostile'))
    await assert.rejects(lookUp('silent.test', 'hostile'), { code: 'NAME_NOT_RESOLVED' })
    assert.deepEqual(await lookUp('good.test', 'one'), ['good.test'])
    assert.equal(asked.filter((name) => name === 'silent.test').length, MOST_TEXTS_UNDER_WAY)
    silent.resolve([])
    for (const answer of waiting) assert.deepEqual(await answer, [])
  })
})
