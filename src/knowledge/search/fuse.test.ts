import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fuse } from './fuse.ts'

const never = () => false

describe('lists by words and by vectors', () => {
  const joined = (words: [number, number][], near: [number, number][]) => {
    const scored = (list: [number, number][]) => list.map(([id, score]) => ({ id, score }))
    return fuse({ words: scored(words), near: scored(near), isWordsAlone: never }).map(({ id, score }) => [
      id,
      Math.round(score * 1_000),
    ])
  }

  it('are joined in equal parts where they agree, whatever the vectors of a model lie apart', () => {
    for (const [most, middle, least] of [
      [1, 0.5, 0],
      [0.92, 0.91, 0.9],
    ] as const)
      assert.deepEqual(
        joined(
          [[1, 0.6]],
          [
            [1, most],
            [2, middle],
            [3, least],
          ],
        ),
        [
          [1, 800],
          [2, 250],
          [3, 0],
        ],
      )
  })

  const near: [number, number][] = [
    [1, 1],
    [2, 0.5],
    [3, 0],
  ]

  it('leave the first place to words that a passage has, where vectors put it far away', () => {
    // The passages that have the words are as near as (0.6 × 0 + 0.2 × 0.5) ÷ 0.8 says: an eighth of one half is left to vectors.
    assert.deepEqual(
      joined(
        [
          [3, 0.6],
          [2, 0.2],
        ],
        near,
      ),
      [
        [3, 563],
        [2, 219],
        [1, 63],
      ],
    )
    // The same holds for a passage without a near vector.
    assert.deepEqual(joined([[4, 0.5]], near)[0], [4, 500])
  })

  it('leave it to vectors, where no passage has more than a few of the words', () => {
    assert.deepEqual(joined([[4, 0.1]], near), [
      [1, 480],
      [2, 240],
      [4, 52],
      [3, 0],
    ])
  })

  it('judge vectors by the first five by words, and by none that has no vector', () => {
    const five: [number, number][] = [11, 12, 13, 14, 15].map((id) => [id, 0.8])
    assert.deepEqual(joined([...five, [1, 0.7]], near)[0], [11, 800])
    const found = fuse({
      words: [
        { id: 9, score: 0.9 },
        { id: 1, score: 0.5 },
      ],
      near: near.map(([id, score]) => ({ id, score })),
      isWordsAlone: (id) => id === 9,
    })
    assert.deepEqual(found.slice(0, 2), [
      { id: 9, score: 0.9 },
      { id: 1, score: 0.75 },
    ])
  })

  it('leave what has no vector to its words', () => {
    const near = [
      { id: 1, score: 0.9 },
      { id: 2, score: 0.1 },
    ]
    const words = [{ id: 3, score: 0.4 }]
    const scoreIn = (isWordsAlone: (id: number) => boolean) =>
      fuse({ words, near, isWordsAlone }).find(({ id }) => id === 3)?.score ?? 0
    assert.equal(
      scoreIn((id) => id === 3),
      0.4,
    )
    assert.equal(Math.round(scoreIn(never) * 1_000), 328)
  })

  it('of which one is empty are the other, and equal ones stand by age', () => {
    const equal = [
      { id: 7, score: 0.4 },
      { id: 9, score: 0.4 },
    ]
    const ids = (words: typeof equal, near: typeof equal) =>
      fuse({ words, near, isWordsAlone: never }).map(({ id }) => id)
    assert.deepEqual([ids(equal, []), ids([], equal.toReversed()), ids([], [])], [[7, 9], [7, 9], []])
    // Equally near vectors distinguish nothing, and count as nearest.
    const near = fuse({ words: [], near: equal, isWordsAlone: never })
    assert.deepEqual(
      near.map(({ score }) => score),
      [0.5, 0.5],
    )
  })
})
