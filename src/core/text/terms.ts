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
const ASCII_WORD = /[a-z0-9]+/g
/** Words, and runs of scripts that put nothing between theirs. */
const WORD =
  /(?<run>[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&[\p{L}\p{M}]]+)|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv
/** Within a word it is no end of it: `don't`, `l’eau`. */
const APOSTROPHES = /(?<=\p{L})['’ʼ](?=\p{L})/gu

/**
 * What a text is found by: its words, without their case, their accents and an English plural; of scripts that write no
 * spaces, each two signs that stand together. The same for what is stored and for what is asked, whatever the engine.
 */
export function termsOf(text: string): string[] {
  const isAscii = ASCII.test(text)
  const plain = isAscii ? text.toLowerCase() : withoutPoints(text)
  const joined = plain.includes("'") || !isAscii ? plain.replace(APOSTROPHES, '') : plain
  if (isAscii) return (joined.match(ASCII_WORD) ?? []).map(singular)
  const terms: string[] = []
  for (const { 0: word, groups } of joined.matchAll(WORD)) {
    if (groups?.run === undefined) terms.push(singular(word))
    else for (const pair of pairsOf(word)) terms.push(pair)
  }
  return terms
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
  if (term.endsWith('ies')) return term.length > 4 ? `${term.slice(0, -3)}y` : term
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
