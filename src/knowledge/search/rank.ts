import { createTermCounter } from '../../core/text/terms.ts'

/** BM25, with what is usual. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

export interface Candidate {
  id: number
  text: string
  heading: string | null
}

export interface Scored {
  id: number
  score: number
}

/** What is to be ordered. */
export interface Ranking {
  candidates: Candidate[]
  terms: string[]
  /** How many texts there are, where the candidates are all of them that match. */
  universe: number
}

/**
 * Orders what an engine has found, by the same measure on every engine: BM25 over the candidates. A term that all of them
 * have says little, one that few have says much. What a text of usual length has of the query by having each term once is 1.
 */
export function rankByText({ candidates, terms, universe }: Ranking): Scored[] {
  const count = createTermCounter(terms)
  const counted = candidates.map(({ id, text, heading }) => ({ id, ...count(`${heading ?? ''}\n${text}`) }))
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length)
  const all = Math.max(universe, counted.length)
  const weights = terms.map((_, term) => {
    const having = counted.filter(({ counts }) => (counts[term] ?? 0) > 0).length
    return Math.log(1 + (all - having + 0.5) / (having + 0.5))
  })
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const scored = counted.map(({ id, length, counts }) => {
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / average)
    const score = counts.reduce(
      (sum, times, term) => sum + ((weights[term] ?? 0) * times * (SATURATION + 1)) / (times + norm),
      0,
    )
    return { id, score: score / whole }
  })
  return scored.filter(({ score }) => score > 0).sort(byScore)
}

/** The best first; of equal ones the older. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.id - b.id
}
