import { FREQUENT_WORDS } from '../../core/text/frequent-words.ts'
import { readTerms, termsOf, WRITTEN_AS } from '../../core/text/terms.ts'

/** Terms of a query, at most. Of more, the longest are kept, because they are the rarest. */
const MOST_TERMS = 32

/** The terms of stop words. Only their spellings as a name or an acronym are sought. */
const FREQUENT = new Set(termsOf([...FREQUENT_WORDS].join(' ')))

/** A sought term. */
interface QueryTerm {
  term: string
  /** Whether it is a word of the query. Otherwise it is another spelling, which is ignored where no text has it. */
  isOwn: boolean
}

/**
 * The sought terms of a query. A query of stop words only finds texts that have them as names or acronyms, regardless of their spelling
 * in the query.
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
