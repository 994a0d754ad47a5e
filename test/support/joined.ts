import { generator, notesOf, wordOf } from './notes.ts'

/** Notes, questions about them, and vectors that know what a question is about, or do not. */
export interface Joined {
  notes: string[]
  questions: { query: string; note: number }[]
  /** `good` places a question near its note, `hostile` places every text at random. */
  vectorsOf: Record<'good' | 'hostile', (text: string) => number[]>
}

const NOTES = 300
const QUESTIONS = 84
const DIMENSIONS = 32
/** How far a question lies from its note, for each dimension. */
const NOISE = 0.9
/** Words of a question: of its note, of other notes by chance, and of no note. */
const [OWN, CHANCE, UNKNOWN] = [5, 3, 3]

/**
 * Of three questions, two share words with their note, and the third shares none, so that only a good vector finds its note. No
 * question contains the word that its note alone has.
 */
export function joinedSet(seed = 5, many = QUESTIONS): Joined {
  const random = generator(seed)
  const notes = notesOf(NOTES, random)
  const questions = Array.from({ length: many }, (_, index) => {
    const note = Math.floor(NOTES * random())
    const words = (notes[note] as string).split(' ').filter((word) => !word.startsWith('rare'))
    const own = Array.from({ length: OWN }, () => words[Math.floor(words.length * random())] as string)
    const chance = Array.from({ length: CHANCE }, () => wordOf(random)).filter(
      (word) => !words.includes(word),
    )
    const unknown = Array.from({ length: UNKNOWN }, (_, place) => `other${wordOf(random)}${'abcd'[place]}`)
    const query = index % 3 === 2 ? [...chance, ...unknown] : [...own, ...chance]
    return { query: `${query.join(' ')}`, note }
  })
  const centres = notes.map(() => gaussian(random))
  const asked = questions.map(({ note }) =>
    gaussian(random).map((noise, place) => (centres[note]?.[place] ?? 0) + NOISE * noise),
  )
  const known = new Map(notes.map((text, index) => [text, centres[index] as number[]]))
  for (const [index, { query }] of questions.entries()) known.set(query, asked[index] as number[])
  return {
    notes,
    questions,
    vectorsOf: {
      // A note is embedded together with its heading.
      good: (text) => known.get(text) ?? known.get(text.split('\n').at(-1) ?? '') ?? gaussian(hashed(text)),
      hostile: (text) => gaussian(hashed(text)),
    },
  }
}

/** How many questions have their note among the first five. */
export async function hitsOf(
  { questions, notes }: Joined,
  ask: (query: string) => Promise<string[]>,
): Promise<number> {
  let hits = 0
  for (const { query, note } of questions) {
    const texts = (await ask(query)).slice(0, 5)
    if (texts.some((text) => text.endsWith(notes[note] as string))) hits += 1
  }
  return hits
}

function gaussian(random: () => number): number[] {
  const one = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: DIMENSIONS }, one)
}

/** Random numbers that are the same for the same text. */
function hashed(text: string): () => number {
  let hash = 2_166_136_261
  for (const sign of text) hash = Math.imul(hash ^ sign.charCodeAt(0), 16_777_619) >>> 0
  return generator(hash)
}
