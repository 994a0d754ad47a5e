import { termsOf } from '../../core/text/terms.ts'

/** Terms of a query that are looked for; of more, the longest, which are found in the fewest texts. */
const MOST_TERMS = 32

/** English words that are in every text, as terms; a query of nothing else finds nothing. */
const EVERYWHERE = new Set(
  termsOf(
    `a about all also an and any are as at be been but by can could did do does for from had has have he her his how i if in
    into is it its just me more most my no not of on or other our out she should so some such than that the their them then
    there these they this those to up us was we were what when where which who why will with would you your`,
  ),
)

/** What is looked for: words alone, whatever else a query holds. */
export function queryTerms(query: string): string[] {
  const terms = [...new Set(termsOf(query))].filter((term) => !EVERYWHERE.has(term))
  if (terms.length <= MOST_TERMS) return terms
  return terms.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, MOST_TERMS)
}
