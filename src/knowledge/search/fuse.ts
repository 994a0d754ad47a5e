import { byScore, type Scored } from './rank.ts'

/** What was found by words, and what by vectors. */
export interface Lists {
  words: Scored[]
  near: Scored[]
  /** Whether a passage has no vector, and so is found by its words alone. */
  isWordsAlone: (id: number) => boolean
}

/**
 * Joins two lists by what their scores say, in equal parts: how much of the query's weight a passage has in words, and where it
 * stands between the last and the first of the nearest. Ranks alone would not do: the first that shares a word by chance would
 * be as good as the first that means the same.
 */
export function fuse({ words, near, isWordsAlone }: Lists): Scored[] {
  const scores = new Map(nearness(near).map(({ id, score }) => [id, score / 2]))
  for (const { id, score } of words)
    scores.set(id, isWordsAlone(id) ? score : (scores.get(id) ?? 0) + score / 2)
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScore)
}

/** From 0 to 1: how far apart the vectors of texts lie is another matter with each model. */
function nearness(near: Scored[]): Scored[] {
  const [most, least] = [near[0]?.score ?? 0, near.at(-1)?.score ?? 0]
  const spread = most - least
  return near.map(({ id, score }) => ({ id, score: spread > 0 ? (score - least) / spread : 1 }))
}
