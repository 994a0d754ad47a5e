/** The edit distance of a likely typing error: 1 in a short name, 2 in a longer one. */
const MOST = (name: string) => (name.length < 4 ? 0 : name.length < 8 ? 1 : FARTHEST)
const FARTHEST = 2

/** The most similar of some names, for a suggestion; case is ignored. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names, 1)[0]
}

/** Up to `most` similar names, the most similar first, for suggestions; case is ignored. */
export function nearestNames(name: string, names: Iterable<string>, most: number): string[] {
  const wanted = name.toLowerCase()
  const found: { one: string; slips: number }[] = []
  for (const one of names) {
    if (Math.abs(one.length - name.length) > FARTHEST) continue
    const slips = editDistance(wanted, one.toLowerCase())
    if (slips <= MOST(wanted)) found.push({ one, slips })
  }
  found.sort((a, b) => a.slips - b.slips)
  return found.slice(0, most).map(({ one }) => one)
}

/**
 * The Damerau–Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours. Distances above `FARTHEST` are not
 * computed: cells that far from the diagonal are skipped, so that the cost is linear in the length.
 */
function editDistance(one: string, other: string): number {
  let [twoAbove, above]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row += 1) {
    const here: number[] = []
    if (row <= FARTHEST) here[0] = row
    const last = Math.min(other.length, row + FARTHEST)
    for (let at = Math.max(1, row - FARTHEST); at <= last; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwapped = at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      here[at] = Math.min(
        slipsAt(above, at) + 1,
        slipsAt(here, at - 1) + 1,
        slipsAt(above, at - 1) + (isSame ? 0 : 1),
        isSwapped ? slipsAt(twoAbove, at - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[twoAbove, above] = [above, here]
  }
  return slipsAt(above, other.length)
}

const slipsAt = (line: number[], at: number): number => line[at] ?? Number.POSITIVE_INFINITY
