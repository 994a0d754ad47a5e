const WORD = /[\p{L}\p{N}]+/gu
/** Scripts without spaces: the search takes each of their signs as a word. */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/** As the search compares words: without case, accents and an English plural. */
function plain(word: string): string {
  const bare = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.length > 3 ? bare.replace(/s$/, '') : bare
}

/** A text in parts, each with whether it is a word of the query. */
export function marked(text: string, query: string): [part: string, isMarked: boolean][] {
  const wanted = new Set((query.match(WORD) ?? []).map(plain))
  const signs = new Set([...query].filter((sign) => DENSE.test(sign)))
  const parts: [string, boolean][] = []
  const add = (part: string, isMarked: boolean) => {
    const last = parts.at(-1)
    if (part === '') return
    if (last?.[1] === isMarked) last[0] += part
    else parts.push([part, isMarked])
  }
  let at = 0
  for (const found of text.matchAll(WORD)) {
    const [word] = found
    add(text.slice(at, found.index), false)
    if (DENSE.test(word)) for (const sign of word) add(sign, signs.has(sign))
    else add(word, wanted.has(plain(word)))
    at = found.index + word.length
  }
  add(text.slice(at), false)
  return parts
}
