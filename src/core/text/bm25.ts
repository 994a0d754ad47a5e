/** The usual parameters of BM25: k1, the saturation of repeated terms, and b, the weight of the text's length. */
export const SATURATION = 1.2
export const LENGTH_WEIGHT = 0.75
/**
 * The average length of a text in terms. It is fixed, so that the score of a text does not depend on the other texts of its base.
 */
export const USUAL_LENGTH = 150

/**
 * Inverse document frequency (IDF).
 * @param having texts that have the term
 * @param all all texts
 * @returns a number above 0: small where all texts have the term
 */
export function weightOf(having: number, all: number): number {
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5))
}

/**
 * The share of a term's weight that a text scores.
 * @param times occurrences of the term
 * @param length terms of the text
 * @returns 1 for one occurrence in a text of usual length
 */
export function shareOf(times: number, length: number): number {
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / USUAL_LENGTH)
  return (times * (SATURATION + 1)) / (times + norm)
}
