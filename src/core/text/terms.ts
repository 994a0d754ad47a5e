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
