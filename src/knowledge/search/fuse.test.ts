import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fuse } from './fuse.ts'

const never = () => false

describe('lists by words and by vectors', () => {
  it('are joined in equal parts, whatever the vectors of a model lie apart', () => {
    const words = [
      { id: 3, score: 0.6 },
      { id: 2, score: 0.2 },
    ]
    for (const [most, middle, least] of [
      [1, 0.5, 0],
      [0.92, 0.91, 0.9],
    ] as const) {
      const near = [
        { id: 1, score: most },
        { id: 2, score: middle },
        { id: 3, score: least },
      ]
      const joined = fuse({ words, near, isWordsAlone: never })
      assert.deepEqual(
        joined.map(({ id, score }) => [id, Math.round(score * 1_000)]),
        [
          [1, 500],
          [2, 350],
          [3, 300],
        ],
      )
    }
  })

  it('leave what has no vector to its words', () => {
    const near = [
      { id: 1, score: 0.9 },
      { id: 2, score: 0.1 },
    ]
    const words = [{ id: 3, score: 0.6 }]
    const first = (isWordsAlone: (id: number) => boolean) => fuse({ words, near, isWordsAlone })[0]
    assert.deepEqual(
      first((id) => id === 3),
      { id: 3, score: 0.6 },
    )
    assert.equal(first(never)?.id, 1)
  })

  it('of which one is empty are the other, and equal ones stand by age', () => {
    const equal = [
      { id: 7, score: 0.4 },
      { id: 9, score: 0.4 },
    ]
    const ids = (words: typeof equal, near: typeof equal) =>
      fuse({ words, near, isWordsAlone: never }).map(({ id }) => id)
    assert.deepEqual([ids(equal, []), ids([], equal.toReversed()), ids([], [])], [[7, 9], [7, 9], []])
    // Vectors that are all as near tell nothing apart, and are as near as can be.
    const near = fuse({ words: [], near: equal, isWordsAlone: never })
    assert.deepEqual(
      near.map(({ score }) => score),
      [0.5, 0.5],
    )
  })
})
