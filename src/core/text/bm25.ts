/** BM25, with what is usual: how soon more of a term says no more, and how much the length of a text counts. */
export const SATURATION = 1.2
export const LENGTH_WEIGHT = 0.75
/**
 * Terms of a text of usual length. It is the same in every base and for every question, so that the score of a text rests on no other
 * text that happens to be found with it.
 */
export const USUAL_LENGTH = 150

/**
 * What a term says that so many of all texts have: little where all have it, most where none has.
 * @returns a number above 0
 */
export function weightOf(having: number, all: number): number {
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5))
}

/** What a text of so many terms has of the weight of one that it has so many times: 1 where it has usual length and the term once. */
export function shareOf(times: number, length: number): number {
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / USUAL_LENGTH)
  return (times * (SATURATION + 1)) / (times + norm)
}
