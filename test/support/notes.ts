/** Words that a note is made of; some are in nearly every note and most in few, as in a language. */
const VOCABULARY = 4_000
const SHORTEST = 10
const LONGEST = 90

/** A pseudo-random number from 0 to 1 each time, the same in each run. */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A word for a number, of letters alone. */
export const wordAt = (index: number) =>
  `x${String(index).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] as string)}`
export const wordOf = (random: () => number) => wordAt(Math.floor(VOCABULARY ** random()))
const textOf = (words: number, random: () => number) =>
  Array.from({ length: words }, () => wordOf(random)).join(' ')

/** The word that one note has, and no other. */
const rareOf = (index: number) => `rare${wordAt(index)}`

/** So many notes of unequal length; each has a word that no other has. */
export function notesOf(count: number, random: () => number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const words = textOf(SHORTEST + Math.floor((LONGEST - SHORTEST) * random()), random).split(' ')
    words.splice(Math.floor(words.length * random()), 0, rareOf(index))
    return words.join(' ')
  })
}

/** Words below this one are in a third of the notes and more. */
const FREQUENT = 12
const frequentOf = (random: () => number) => wordAt(Math.floor(FREQUENT ** random()))

/** Questions of words of all kinds; every second is of a few frequent words and the rare one of a note, which is to be found. */
export function questionsOf(
  count: number,
  random: () => number,
  notes = 3_000,
): { query: string; rare: string | undefined }[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { query: textOf(2 + Math.floor(5 * random()), random), rare: undefined }
    const rare = rareOf(Math.floor(notes * random()))
    return { query: `${frequentOf(random)} ${frequentOf(random)} ${frequentOf(random)} ${rare}`, rare }
  })
}
