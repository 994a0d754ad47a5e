import { shareOf } from '../../core/text/bm25.ts'
import { bodyOf, createTermCounter, type Placed, placeOf } from '../../core/text/terms.ts'
import type { WeightedTerm } from '../../db/engine/text-index.ts'

interface Candidate extends Placed {
  id: number
}

export interface Scored {
  id: number
  score: number
}

/** The input of a ranking. */
export interface Ranking {
  candidates: Candidate[]
  terms: WeightedTerm[]
}

/**
 * Ranks the candidates of an engine by BM25, with the same result on every engine. Equal candidates keep their order. A text of usual
 * length that has each term once scores 1.
 */
export function rankByText({ candidates, terms }: Ranking): Scored[] {
  const count = createTermCounter(terms.map(({ term }) => term))
  const places = new Map<string, number[]>()
  // Cached, because many candidates are of one document.
  const countPlace = (text: string) => {
    const known = places.get(text) ?? count(text).counts
    places.set(text, known)
    return known
  }
  const counted = candidates.map(({ id, ...placed }) => {
    const { length, counts } = count(bodyOf(placed))
    const place = countPlace(placeOf(placed))
    return { id, length, counts: counts.map((times, term) => times || Math.min(1, place[term] ?? 0)) }
  })
  const weights = terms.map(({ weight }) => weight)
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const scored = counted.map(({ id, length, counts }) => {
    const score = counts.reduce((sum, times, term) => sum + (weights[term] ?? 0) * shareOf(times, length), 0)
    return { id, score: score / whole }
  })
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
}

/** Sorts by score, best first; of equal ones the older first. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.id - b.id
}
