import set from '../fixtures/retrieval.json' with { type: 'json' }

/** Short passages, and questions with the passage that answers each: written for these tests. */
export const PASSAGES: string[] = set.passages
type Question = [question: string, passage: number]
export const QUESTIONS = set.questions as Question[]
/** Questions that have no word in common with the passage that answers them. */
export const PARAPHRASES = set.paraphrases as Question[]

/** How well questions are answered. */
export interface Quality {
  /** The share of questions whose passage is among the first five. */
  recallAt5: number
  /** The mean of one over the rank of the passage, 0 where it is not among the first ten. */
  mrr: number
}

/** @param ask the texts that are found, the best first */
export async function measureQuality(
  ask: (question: string) => Promise<string[]>,
  questions = QUESTIONS,
): Promise<Quality> {
  let [found, sum] = [0, 0]
  for (const [question, index] of questions) {
    const rank = (await ask(question)).slice(0, 10).indexOf(PASSAGES[index] ?? '')
    if (rank >= 0) sum += 1 / (rank + 1)
    if (rank >= 0 && rank < 5) found += 1
  }
  return { recallAt5: found / questions.length, mrr: sum / questions.length }
}
