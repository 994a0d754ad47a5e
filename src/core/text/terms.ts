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
const ASCII_WORDS = /[a-z0-9]+(?:'[a-z]+)*/g
const APOSTROPHES = /['’ʼ]/g
/** Scripts that put nothing between words. */
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** The stretches of such a script in a word, and what is between them. */
const STRETCHES =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/**
 * What a text is found by: its words, without their case, their accents and an English plural; of scripts that write no
 * spaces, each two signs that stand together. The same for what is stored and for what is asked, whatever the engine.
 */
export function termsOf(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORDS) ?? []).map(asciiTerm)
  const terms: string[] = []
  for (const word of text.normalize('NFKC').match(WORDS) ?? []) {
    if (ASCII.test(word)) terms.push(asciiTerm(word.toLowerCase()))
    else terms.push(...foreignTerms(word))
  }
  return terms
}

/** Whether no letter of a text is beyond ASCII: its words are found many times faster. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/** How many terms a text has, and how often each of those that are looked for. */
export interface Counted {
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

  function countAll(text: string): Counted {
    const counts = terms.map(() => 0)
    const found = termsOf(text)
    for (const term of found) add(counts, term)
    return { length: found.length, counts }
  }

  return (text) => {
    const bytes = Buffer.from(text)
    // A letter beyond ASCII takes more than one.
    if (bytes.length !== text.length) return countAll(text)
    const counts = terms.map(() => 0)
    let length = 0
    for (let at = 0; at < bytes.length; ) {
      const start = at
      while (isWordAt(bytes, at)) at += 1
      if (at === start) {
        at += 1
        continue
      }
      length += 1
      const end = at
      at = endOfApostrophes(bytes, end)
      // Only of a word that may be one of them a text of its own is made.
      if (at > end || beginnings[pairOf(bytes[start], end > start + 1 ? bytes[start + 1] : 0)] === 1)
        add(counts, asciiTerm(text.slice(start, at).toLowerCase()))
    }
    return { length, counts }
  }
}

const APOSTROPHE = 39
const SIGNS = 128
/** Which signs of ASCII a word is made of: 1 a digit, 2 a letter. */
const WORD_SIGNS = Uint8Array.from({ length: SIGNS }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[0-9]/.test(sign) ? 1 : /[a-z]/i.test(sign) ? 2 : 0
})

function isWordAt(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && WORD_SIGNS[bytes[at] as number] !== 0
}

function isLetterAt(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && WORD_SIGNS[bytes[at] as number] === 2
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
