import { byScore, type Scored } from './rank.ts'

/** The results of the search by words and of the search by vectors. */
interface Lists {
  words: Scored[]
  near: Scored[]
  /** Whether a passage has no vector, so that only its words count. */
  isWordsAlone: (id: number) => boolean
}

/** The weight of vectors that are fully trusted. */
const EQUAL = 0.5
/** The number of best passages by words that the trust in vectors is computed from. */
const JUDGES = 5
/** A passage with this share of the query's weight in words certainly matches the query. */
const SURE = 0.5

/**
 * Fuses both lists by scores: the share of the query's weight that a passage has in words, and its similarity scaled to the range of
 * the list. Both parts weigh the same where the vectors agree with the words, or the words are not significant. Where a passage has
 * the words of the query but no near vector, the vectors are unreliable and weigh less. Fusion by ranks is not used, because the first
 * passage that shares a word by chance would equal the first that has the same meaning.
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
 * The trust in vectors, from 0 to 1: the similarity of the passages that have the words of the query. The fewer of the query's words
 * they have, the less they reduce the trust.
 */
function trustIn(nearness: Map<number, number>, judges: Scored[]): number {
  const all = judges.reduce((sum, { score }) => sum + score, 0)
  if (all === 0) return 1
  const agreed = judges.reduce((sum, { id, score }) => sum + score * (nearness.get(id) ?? 0), 0)
  const proof = Math.min(1, (judges[0]?.score ?? 0) / SURE) ** 2
  return 1 - proof * (1 - agreed / all)
}

/** Scales scores to 0 to 1, because the range of similarities differs by model. */
function scaled(near: Scored[]): Scored[] {
  const [most, least] = [near[0]?.score ?? 0, near.at(-1)?.score ?? 0]
  const spread = most - least
  return near.map(({ id, score }) => ({ id, score: spread > 0 ? (score - least) / spread : 1 }))
}
