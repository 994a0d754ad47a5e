import { cutAt } from './cut-at.ts'
import { FREQUENT_WORDS } from './frequent-words.ts'

/** The longest term; longer ones are cut, in texts and in queries. */
const LONGEST_TERM = 64

/** Ignored marks: accents, and the points of Hebrew and Arabic. Vowel signs of other scripts are kept. */
const POINTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g
/** Letters that Unicode does not decompose, with their common ASCII spellings. */
const SPELLINGS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
const SPELLED = /[ßæœøłđðþı]/g
const ASCII = /^[\0-\x7f]*$/
/** Words of any script with their marks. An apostrophe does not end a word: `don't`, `l’eau`. */
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’ʼ]\p{L}+)*/gu
const ASCII_WORDS = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g
const APOSTROPHES = /['’ʼ]/g
/** Scripts without spaces between words. */
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** The parts of a word in such a script, and the parts between them. */
const STRETCHES =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** The separator of a compound that is also written as one word: `AB-1234` and `AB1234`, `e-mail` and `email`. */
const JOINTS = '-_\u2010'
/** A boundary inside a word: `userName`, `AB1234`. */
const SEAM = /[a-z][A-Z]|[0-9][A-Za-z]|[A-Za-z][0-9]/
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
/** A word with more parts is a digest or an id, and is not split. */
const MOST_PARTS = 5
/** Suffixes for stop words that are written as an acronym (`IT`) or as a name (`The Who`); no word contains these characters. */
export const WRITTEN_AS = { acronym: 'ª', name: 'º' } as const
/** A word after one of these characters and a space is inside a sentence. */
const BEFORE_BLANK = /[\p{L}\p{N},]/u

/** The terms of a text: those of its words, and additional ones. */
interface Terms {
  words: string[]
  /** Compounds as one word, the parts of a word, stop words that are written as a name. */
  more: string[]
}

/**
 * The search terms of a text, the same for stored texts and queries, on every engine:
 * words without case, accents and the English plural; pairs of neighbouring characters in scripts without spaces; hyphenated
 * compounds as one word; the parts of words like `userName`; stop words that are written as an acronym or a name.
 */
export function termsOf(text: string): string[] {
  const { words, more } = readTerms(text)
  return more.length === 0 ? words : words.concat(more)
}

/** As `termsOf`, with the two kinds of terms separate. */
export function readTerms(source: string): Terms {
  const isPlain = ASCII.test(source)
  const text = isPlain ? source : source.normalize('NFKC')
  const terms: Terms = { words: [], more: [] }
  let compound = { text: '', parts: 0, end: -1 }
  for (const found of text.matchAll(isPlain ? ASCII_WORDS : WORDS)) {
    const [word] = found
    const isJoined = found.index === compound.end + 1 && JOINTS.includes(text[compound.end] as string)
    if (!isJoined) addCompound(terms, compound)
    const open = isJoined ? compound : { text: '', parts: 0 }
    // A compound beyond the longest term is not extended.
    const joined = open.text.length > LONGEST_TERM ? open.text : open.text + word
    compound = { text: joined, parts: open.parts + 1, end: found.index + word.length }
    if (isPlain || ASCII.test(word)) addAscii(terms, word, text, found.index)
    else terms.words.push(...foreignTerms(word))
  }
  addCompound(terms, compound)
  return terms
}

function addCompound({ more }: Terms, { text, parts }: { text: string; parts: number }): void {
  if (parts < 2 || text.length > LONGEST_TERM) return
  if (ASCII.test(text)) more.push(asciiTerm(text.toLowerCase()))
  else if (!RUN.test(text)) more.push(...foreignTerms(text))
}

function addAscii({ words, more }: Terms, word: string, text: string, at: number): void {
  words.push(asciiTerm(word.toLowerCase()))
  if (SEAM.test(word)) more.push(...partsOf(word))
  const written = writtenAs(word, text, at)
  if (written !== undefined) more.push(written)
}

/** The parts of an ASCII word with inner boundaries. */
function partsOf(word: string): string[] {
  if (word.length > LONGEST_TERM || word.includes("'")) return []
  const parts = word.match(PARTS) ?? []
  return parts.length > MOST_PARTS ? [] : parts.map((part) => asciiTerm(part.toLowerCase()))
}

const LONGEST_FREQUENT = 6

/** The term of a stop word in capitals, or with a capital inside a sentence. */
function writtenAs(word: string, text: string, at: number): string | undefined {
  if (word.length < 2 || word.length > LONGEST_FREQUENT || !/^[A-Z]/.test(word)) return undefined
  const small = word.toLowerCase()
  if (!FREQUENT_WORDS.has(small)) return undefined
  if (word === word.toUpperCase()) return small + WRITTEN_AS.acronym
  const isWithin = at > 1 && text[at - 1] === ' ' && BEFORE_BLANK.test(text[at - 2] as string)
  return isWithin ? small + WRITTEN_AS.name : undefined
}

/** A passage and its place. */
export interface Placed {
  text: string
  heading: string | null
  sheet: string | null
  /** Of its document. */
  name: string
}

/** The text of a passage with its heading, whose words therefore count once more than they occur. */
export function bodyOf({ heading, text }: Pick<Placed, 'heading' | 'text'>): string {
  return heading === null ? text : `${heading}\n${text}`
}

/** The text of a passage's place: the names of its document and its sheet. */
export function placeOf({ name, sheet }: Pick<Placed, 'name' | 'sheet'>): string {
  return sheet === null ? name : `${name}\n${sheet}`
}

/** The terms of a passage: its own, and each term of its place that it lacks, once. The length counts only its own. */
export function passageTerms(placed: Placed): { terms: string[]; length: number } {
  const { words, more } = readTerms(bodyOf(placed))
  const own = [...words, ...more]
  const known = new Set(own)
  const others = new Set(termsOf(placeOf(placed)).filter((term) => !known.has(term)))
  return { terms: [...own, ...others], length: words.length }
}

/** Whether a text is ASCII only: then its words are found many times faster. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/** The number of words of a text, and the occurrences of each sought term. */
interface Counted {
  length: number
  counts: number[]
}

/** Counts sought terms in texts, with the same result as `termsOf`, but without making the terms of the text. */
export function createTermCounter(terms: string[]): (text: string) => Counted {
  const places = new Map(terms.map((term, index) => [term, index]))
  const beginnings = beginningsOf(terms)

  function add(counts: number[], term: string): void {
    const place = places.get(term)
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
  }

  /** Whether a part of a word may be a sought term, by its first two characters. */
  function mayBegin(bytes: Uint8Array, at: number): boolean {
    const second = at + 1 < bytes.length ? bytes[at + 1] : 0
    return beginnings[pairOf(bytes[at], second)] === 1 || beginnings[pairOf(bytes[at])] === 1
  }

  function countAll(text: string): Counted {
    const counts = terms.map(() => 0)
    const { words, more } = readTerms(text)
    for (const term of words) add(counts, term)
    for (const term of more) add(counts, term)
    return { length: words.length, counts }
  }

  return (text) => {
    const bytes = Buffer.from(text)
    // A letter beyond ASCII takes more than one byte.
    if (bytes.length !== text.length) return countAll(text)
    const counts = terms.map(() => 0)
    let length = 0
    const others = (more: string[]) => {
      for (const term of more) add(counts, term)
    }
    // The open compound: its start, its number of words, and the end of the last one.
    let [first, parts, last] = [0, 0, -2]
    const closeCompound = () => {
      // A compound is only joined where it may be a sought term.
      if (isWordAt(bytes, first + 1) && !mayBegin(bytes, first)) return
      const more: string[] = []
      addCompound({ words: [], more }, { text: text.slice(first, last).replace(/[-_]/g, ''), parts })
      others(more)
    }
    for (let at = 0; at < bytes.length; ) {
      const start = at
      let before = signAt(bytes, at)
      if (before === 0) {
        at += 1
        continue
      }
      const isCapital = before === CAPITAL
      const isWanted =
        beginnings[pairOf(bytes[start], isWordAt(bytes, start + 1) ? bytes[start + 1] : 0)] === 1
      let hasSeam = false
      let mayHavePart = false
      for (at += 1; at < bytes.length; at += 1) {
        const sign = signAt(bytes, at)
        if (sign === 0) break
        if (sign !== before) {
          const isSeam = SEAMS[before * 4 + sign] === 1
          hasSeam ||= isSeam
          mayHavePart ||= (isSeam || sign === CAPITAL) && mayBegin(bytes, at)
        } else if (sign === CAPITAL) mayHavePart ||= mayBegin(bytes, at)
        before = sign
      }
      length += 1
      const end = at
      if (bytes[end] === APOSTROPHE) at = endOfApostrophes(bytes, end)
      // A string is only made of a word that may be a sought term.
      if (at > end || isWanted) add(counts, asciiTerm(text.slice(start, at).toLowerCase()))
      if (hasSeam && (mayHavePart || mayBegin(bytes, start))) others(partsOf(text.slice(start, at)))
      if (isCapital && at - start <= LONGEST_FREQUENT) {
        const written = writtenAs(text.slice(start, at), text, start)
        if (written !== undefined) add(counts, written)
      }
      if (start === last + 1 && (bytes[last] === HYPHEN || bytes[last] === UNDERSCORE)) parts += 1
      else {
        if (parts > 1) closeCompound()
        first = start
        parts = 1
      }
      last = at
    }
    if (parts > 1) closeCompound()
    return { length, counts }
  }
}

const APOSTROPHE = 39
const HYPHEN = 45
const UNDERSCORE = 95
const SIGNS = 128
const CAPITAL = 3
/** The class of each ASCII character of a word: 1 digit, 2 lower case, 3 upper case. */
const WORD_SIGNS = Uint8Array.from({ length: SIGNS }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[0-9]/.test(sign) ? 1 : /[a-z]/.test(sign) ? 2 : /[A-Z]/.test(sign) ? CAPITAL : 0
})
/** Whether there is a boundary between two character classes, as in `SEAM`. */
const SEAMS = Uint8Array.from({ length: 16 }, (_, pair) => {
  const [first, second] = [pair >> 2, pair & 3]
  return first * second > 0 && first !== second && !(first === CAPITAL && second === 2) ? 1 : 0
})

function signAt(bytes: Uint8Array, at: number): number {
  return WORD_SIGNS[bytes[at] as number] as number
}

function isWordAt(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && WORD_SIGNS[bytes[at] as number] !== 0
}

function isLetterAt(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && (WORD_SIGNS[bytes[at] as number] as number) > 1
}

/** An apostrophe does not end a word where letters follow; where digits follow it does. */
function endOfApostrophes(bytes: Uint8Array, start: number): number {
  let end = start
  while (bytes[end] === APOSTROPHE && isLetterAt(bytes, end + 1)) {
    end += 2
    while (isLetterAt(bytes, end)) end += 1
  }
  return end
}

/** The index of the first two characters of a word, case-insensitive. Only characters outside words share an index. */
function pairOf(first = 0, second = 0): number {
  return (first | 32) * SIGNS + (second | 32)
}

/** The first two characters of the sought terms. Stemming does not change them. */
function beginningsOf(terms: string[]): Uint8Array {
  const table = new Uint8Array(SIGNS * SIGNS)
  for (const term of terms) {
    const [first, second] = [term.charCodeAt(0), term.length > 1 ? term.charCodeAt(1) : 0]
    if (first < SIGNS && second < SIGNS) table[pairOf(first, second)] = 1
  }
  return table
}

function asciiTerm(word: string): string {
  return singular(word.includes("'") ? word.replaceAll("'", '') : word)
}

function foreignTerms(word: string): string[] {
  const plain = withoutPoints(word).replace(APOSTROPHES, '')
  if (!RUN.test(plain)) return (plain.match(WORDS) ?? []).map(singular)
  return (plain.match(STRETCHES) ?? []).flatMap((stretch) =>
    RUN.test(stretch) ? pairsOf(stretch) : (stretch.match(WORDS) ?? []).map(singular),
  )
}

function withoutPoints(text: string): string {
  return text
    .normalize('NFKD')
    .replace(POINTS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(SPELLED, (letter) => SPELLINGS[letter] ?? letter)
}

function pairsOf(run: string): string[] {
  const signs = [...run]
  if (signs.length === 1) return signs
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`)
}

const PLAIN = /^[a-z]+$/

/** Removes an English plural by three rules that hardly ever unite unrelated words. */
function singular(word: string): string {
  const term = word.length > LONGEST_TERM ? cut(word) : word
  if (term.length < 4 || !term.endsWith('s') || !PLAIN.test(term)) return term
  if (/(?:us|ss|is)$/.test(term)) return term
  if (term.endsWith('ies') && term.length > 4) return `${term.slice(0, -3)}y`
  return /(?:x|ch|sh|ss|z)es$/.test(term) ? term.slice(0, -2) : term.slice(0, -1)
}

function cut(word: string): string {
  return word.slice(0, cutAt(word, LONGEST_TERM))
}
