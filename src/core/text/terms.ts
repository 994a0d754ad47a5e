import { FREQUENT_WORDS } from './frequent-words.ts'

/** No term is longer; what is cut off of one is cut off of all. */
const LONGEST_TERM = 64

/** Marks that a word is found without: accents, and the points of Hebrew and Arabic. Vowel signs of other scripts stay. */
const POINTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g
/** Letters that stay one when they are taken apart, and are written as others where they are not at hand. */
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
/** Words of any script, with what they are written with; an apostrophe is no end of one: `don't`, `l’eau`. */
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’ʼ]\p{L}+)*/gu
const ASCII_WORDS = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g
const APOSTROPHES = /['’ʼ]/g
/** Scripts that put nothing between words. */
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** The stretches of such a script in a word, and what is between them. */
const STRETCHES =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** What stands between the parts of a compound that is written as one word as well: `AB-1234` and `AB1234`, `e-mail` and `email`. */
const JOINTS = '-_\u2010'
/** A seam inside of a word: `userName`, `AB1234`. */
const SEAM = /[a-z][A-Z]|[0-9][A-Za-z]|[A-Za-z][0-9]/
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
/** A word of more parts is none that was written in parts: a digest, an id. */
const MOST_PARTS = 5
/** Ends the term of a frequent word that is written as an acronym (`IT`), and as a name (`The Who`); no word has these signs. */
export const WRITTEN_AS = { acronym: 'ª', name: 'º' } as const
/** A word is in a sentence behind one of these and a blank. */
const BEFORE_BLANK = /[\p{L}\p{N},]/u

/** The terms of a text: those of its words as they stand there, and those by which they are found beside. */
interface Terms {
  words: string[]
  /** Compounds as one word, the parts of a word, frequent words that are written as a name. */
  more: string[]
}

/**
 * What a text is found by: its words, without their case, their accents and an English plural; of scripts that write no
 * spaces, each two signs that stand together; of compounds with a hyphen the whole, and of words with a seam the parts; of frequent
 * words how they are written. The same for what is stored and for what is asked, whatever the engine.
 */
export function termsOf(text: string): string[] {
  const { words, more } = readTerms(text)
  return more.length === 0 ? words : words.concat(more)
}

/** As `termsOf`, apart. */
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
    // What is too long already grows no further.
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

/** The parts of a word of ASCII that has a seam. */
function partsOf(word: string): string[] {
  if (word.length > LONGEST_TERM || word.includes("'")) return []
  const parts = word.match(PARTS) ?? []
  return parts.length > MOST_PARTS ? [] : parts.map((part) => asciiTerm(part.toLowerCase()))
}

const LONGEST_FREQUENT = 6

/** The term of a frequent word that is written in capitals, or with one where no sentence begins. */
function writtenAs(word: string, text: string, at: number): string | undefined {
  if (word.length < 2 || word.length > LONGEST_FREQUENT || !/^[A-Z]/.test(word)) return undefined
  const small = word.toLowerCase()
  if (!FREQUENT_WORDS.has(small)) return undefined
  if (word === word.toUpperCase()) return small + WRITTEN_AS.acronym
  const isWithin = at > 1 && text[at - 1] === ' ' && BEFORE_BLANK.test(text[at - 2] as string)
  return isWithin ? small + WRITTEN_AS.name : undefined
}

/** A text, and where it stands. */
export interface Placed {
  text: string
  heading: string | null
  sheet: string | null
  /** Of its document. */
  name: string
}

/** The words of a passage itself: its heading counts as often as it stands there, and once more. */
export function bodyOf({ heading, text }: Pick<Placed, 'heading' | 'text'>): string {
  return heading === null ? text : `${heading}\n${text}`
}

/** What a passage is found by beside its own words. */
export function placeOf({ name, sheet }: Pick<Placed, 'name' | 'sheet'>): string {
  return sheet === null ? name : `${name}\n${sheet}`
}

/** What a passage is found by: its own terms, and once each those of its place that it has not. The length is that of its own words. */
export function passageTerms(placed: Placed): { terms: string[]; length: number } {
  const { words, more } = readTerms(bodyOf(placed))
  const own = [...words, ...more]
  const known = new Set(own)
  const others = new Set(termsOf(placeOf(placed)).filter((term) => !known.has(term)))
  return { terms: [...own, ...others], length: words.length }
}

/** Whether no letter of a text is beyond ASCII: its words are found many times faster. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/** How many words a text has, and how often each of the terms that are looked for. */
interface Counted {
  length: number
  counts: number[]
}

/** Counts terms in texts, as if all of a text's had been made by `termsOf`. */
export function createTermCounter(terms: string[]): (text: string) => Counted {
  const places = new Map(terms.map((term, index) => [term, index]))
  const beginnings = beginningsOf(terms)

  function add(counts: number[], term: string): void {
    const place = places.get(term)
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
  }

  /** Whether a part of a word may be one of the terms; one of a single sign has none of its own behind it. */
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
    // A letter beyond ASCII takes more than one.
    if (bytes.length !== text.length) return countAll(text)
    const counts = terms.map(() => 0)
    let length = 0
    const others = (more: string[]) => {
      for (const term of more) add(counts, term)
    }
    // The compound that is open: where it begins, how many words it has, and where the last of them ends.
    let [first, parts, last] = [0, 0, -2]
    const closeCompound = () => {
      // Only one that may be one of the terms is put together.
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
      // Only of a word that may be one of them a text of its own is made.
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
/** Which signs of ASCII a word is made of: 1 a digit, 2 a small letter, 3 a capital. */
const WORD_SIGNS = Uint8Array.from({ length: SIGNS }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[0-9]/.test(sign) ? 1 : /[a-z]/.test(sign) ? 2 : /[A-Z]/.test(sign) ? CAPITAL : 0
})
/** `SEAM` is this sign twice. */
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

/** An apostrophe with letters behind it is no end of a word, digits are. */
function endOfApostrophes(bytes: Uint8Array, start: number): number {
  let end = start
  while (bytes[end] === APOSTROPHE && isLetterAt(bytes, end + 1)) {
    end += 2
    while (isLetterAt(bytes, end)) end += 1
  }
  return end
}

/** The place of two signs that a word begins with, large ones as small ones; a few others share it, and no word has them. */
function pairOf(first = 0, second = 0): number {
  return (first | 32) * SIGNS + (second | 32)
}

/** The first two signs of terms; nothing that makes a term of a word changes them. */
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

/** The three rules that hardly ever join two words that have nothing in common. */
function singular(word: string): string {
  const term = word.length > LONGEST_TERM ? cut(word) : word
  if (term.length < 4 || !term.endsWith('s') || !PLAIN.test(term)) return term
  if (/(?:us|ss|is)$/.test(term)) return term
  if (term.endsWith('ies') && term.length > 4) return `${term.slice(0, -3)}y`
  return /(?:x|ch|sh|ss|z)es$/.test(term) ? term.slice(0, -2) : term.slice(0, -1)
}

function cut(word: string): string {
  const end = isLowSurrogate(word, LONGEST_TERM) ? LONGEST_TERM - 1 : LONGEST_TERM
  return word.slice(0, end)
}

/** Whether a cut here would be inside of a character. */
export function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}
