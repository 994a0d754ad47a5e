/** Names this far apart may be a slip of the fingers: one in a short name, two in a longer one. */
const MOST = (name: string) => (name.length < 4 ? 0 : name.length < 8 ? 1 : FARTHEST)
const FARTHEST = 2

/** Of some names the one that `name` was perhaps meant to be; capitals do not count. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names, 1)[0]
}

/** Of some names those that `name` was perhaps meant to be, `most` of them and the nearest first; capitals do not count. */
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
 * Letters to add, to leave out, to change, or to swap with their neighbour, until the one is the other. More than `FARTHEST` are
 * not counted: cells that far from the diagonal are left out, so that long names cost no more than their length.
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
