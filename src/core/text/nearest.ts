/** Names this far apart may be a slip of the fingers: one in a short name, two in a longer one. */
const MOST = (name: string) => (name.length < 4 ? 0 : name.length < 8 ? 1 : 2)

/** Of some names the one that `name` was perhaps meant to be; capitals do not count. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let found: string | undefined
  let least = MOST(wanted) + 1
  for (const one of names) {
    if (Math.abs(one.length - name.length) >= least) continue
    const slips = slipsBetween(wanted, one.toLowerCase())
    if (slips < least) [found, least] = [one, slips]
  }
  return found
}

/** Letters to add, to leave out, to change, or to swap with their neighbour, until the one is the other. */
function slipsBetween(one: string, other: string): number {
  let [twoAbove, above]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row += 1) {
    const here = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwapped = at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      here[at] = Math.min(
        (above[at] ?? 0) + 1,
        (here[at - 1] ?? 0) + 1,
        (above[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (twoAbove[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[twoAbove, above] = [above, here]
  }
  return above[other.length] ?? 0
}
