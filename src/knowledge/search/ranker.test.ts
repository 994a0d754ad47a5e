import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { type Ranking, rankByText } from './rank.ts'
import { createRanker } from './ranker.ts'

const ranker = createRanker()
after(() => ranker.close())

/** A hundred texts, each with some of three words. */
function ranking(length: number, word: string): Ranking {
  const texts = Array.from(
    { length: 100 },
    (_, id) => `${word} heron${'s'.repeat(id % 7)} ${'wing '.repeat(id)}`,
  )
  return {
    candidates: texts.map((text, id) => ({
      ...{ id, text: text.padEnd(length, ' reed').slice(0, length) },
      ...{ heading: null, sheet: null, name: 'Birds' },
    })),
    terms: ['heron', 'wing', word].map((term, place) => ({ term, weight: 1 + place })),
  }
}

it('long texts are ranked beside the event loop and short ones at once, with the same result', async () => {
  for (const [length, word, isAtOnce] of [
    [250, 'egret', true],
    [400, 'egret', false],
    [90, 'цапля', true],
    [150, 'цапля', false],
  ] as const) {
    const asked = ranking(length, word)
    let scored: unknown
    const answer = ranker.rank(asked).then((result) => {
      scored = result
    })
    // What runs here ends before the event loop turns, and no message of a thread arrives before.
    await new Promise((resolve) => process.nextTick(resolve))
    assert.equal(scored !== undefined, isAtOnce, `${length} characters, ${word}`)
    await answer
    assert.deepEqual(scored, rankByText(asked))
  }
})
