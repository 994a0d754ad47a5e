import { byScore, type Scored } from './rank.ts'

/** What was found by words, and what by vectors. */
interface Lists {
  words: Scored[]
  near: Scored[]
  /** Whether a passage has no vector, and so is found by its words alone. */
  isWordsAlone: (id: number) => boolean
}

/** The share of vectors where nothing speaks against them. */
const EQUAL = 0.5
/** Passages, the first by words, by which vectors are judged. */
const JUDGES = 5
/** A passage with so much of the query's weight in words is what the query means. */
const SURE = 0.5

/**
 * Joins two lists by what their scores say: how much of the query's weight a passage has in words, and where it stands between the
 * last and the first of the nearest. The parts are equal where the vectors agree with the words, or the words say little; where a
 * passage has the words of the query and the vectors know nothing of it, the vectors of this model mean little, and count less.
 * Ranks alone would not do: the first that shares a word by chance would be as good as the first that means the same.
 */
export function fuse({ words, near, isWordsAlone }: Lists): Scored[] {
  const nearness = new Map(scaled(near).map(({ id, score }) => [id, score]))
  const share = EQUAL * trustIn(nearness, words.filter(({ id }) => !isWordsAlone(id)).slice(0, JUDGES))
  const scores = new Map([...nearness].map(([id, score]) => [id, score * share]))
  for (const { id, score } of words)
    scores.set(id, isWordsAlone(id) ? score : (scores.get(id) ?? 0) + score * (1 - share))
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScore)
}

/**
 * How far vectors are trusted, from 0 to 1: as near as they are to the passages that have the words of the query. The less of
 * the query these passages have, the less they prove.
 */
function trustIn(nearness: Map<number, number>, judges: Scored[]): number {
  const all = judges.reduce((sum, { score }) => sum + score, 0)
  if (all === 0) return 1
  const agreed = judges.reduce((sum, { id, score }) => sum + score * (nearness.get(id) ?? 0), 0)
  const proof = Math.min(1, (judges[0]?.score ?? 0) / SURE) ** 2
  return 1 - proof * (1 - agreed / all)
}

/** From 0 to 1: how far apart the vectors of texts lie is another matter with each model. */
function scaled(near: Scored[]): Scored[] {
  const [most, least] = [near[0]?.score ?? 0, near.at(-1)?.score ?? 0]
  const spread = most - least
  return near.map(({ id, score }) => ({ id, score: spread > 0 ? (score - least) / spread : 1 }))
}
