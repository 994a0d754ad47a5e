import { FREQUENT_WORDS } from '../../core/text/frequent-words.ts'
import { readTerms, termsOf, WRITTEN_AS } from '../../core/text/terms.ts'

/** Terms of a query that are looked for; of more, the longest, which are found in the fewest texts. */
const MOST_TERMS = 32

/** As terms. They are looked for where they are written as a name or an acronym. */
const FREQUENT = new Set(termsOf([...FREQUENT_WORDS].join(' ')))

/** What is looked for. */
interface QueryTerm {
  term: string
  /** It is a word as the query has it; else another way to write one, which says nothing where no text has it. */
  isOwn: boolean
}

/**
 * What is looked for: words alone, whatever else a query holds. Of one that has none but frequent words, texts are found that have them as
 * names or acronyms, however the query writes them.
 */
export function queryTerms(query: string): QueryTerm[] {
  const { words, more } = readTerms(query)
  const own = new Set(words.filter((term) => !FREQUENT.has(term)))
  const names =
    own.size > 0 ? [] : words.flatMap((word) => Object.values(WRITTEN_AS).map((end) => word + end))
  const others = new Set([...more, ...names].filter((term) => !FREQUENT.has(term) && !own.has(term)))
  return [...longest(own, true), ...longest(others, false)].slice(0, MOST_TERMS)
}

function longest(terms: Set<string>, isOwn: boolean): QueryTerm[] {
  const some = [...terms]
  const chosen =
    some.length <= MOST_TERMS ? some : some.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  return chosen.slice(0, MOST_TERMS).map((term) => ({ term, isOwn }))
}
