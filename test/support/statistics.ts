/** The middle value. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/**
 * The Mann–Whitney U test: how likely samples of one distribution would differ in rank as much as these
 * (two-sided, normal approximation, ties counted by their mean rank).
 */
export function mannWhitney(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, first: 1 })), ...b.map((value) => ({ value, first: 0 }))]
  all.sort((left, right) => left.value - right.value)
  let rankSum = 0
  let ties = 0
  for (let start = 0; start < all.length; ) {
    let end = start
    while (end < all.length && all[end]?.value === all[start]?.value) end += 1
    const tied = end - start
    ties += tied ** 3 - tied
    const meanRank = (start + 1 + end) / 2
    for (const { first } of all.slice(start, end)) rankSum += first * meanRank
    start = end
  }
  const [n, m] = [a.length, b.length]
  const total = n + m
  const u = rankSum - (n * (n + 1)) / 2
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))))
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / deviation
  return Math.min(1, erfc(z / Math.SQRT2))
}

/** The complementary error function (Numerical Recipes 6.2, relative error below 1.2e-7), for z of 0 or more. */
function erfc(z: number): number {
  const t = 1 / (1 + z / 2)
  const coefficients = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
    -0.82215223, 0.17087277,
  ]
  return t * Math.exp(coefficients.reduceRight((sum, c) => sum * t + c, 0) - z * z)
}

/** Far below any chance: the tests of a whole run compare some hundred pairs, and none is taken twice. */
const SURELY = 1e-6

/**
 * The pairs of kinds that take visibly different times, in words; none when there are none.
 * @param visible what an attacker could still see through the noise of a network: more than this many
 *   milliseconds, and more than a twentieth of the whole
 */
export function tellApart(samples: Record<string, number[]>, visible = 1): string[] {
  const kinds = Object.entries(samples).map(([name, values]) => ({ name, values, middle: median(values) }))
  return kinds.flatMap((one, index) =>
    kinds.slice(index + 1).flatMap((other) => {
      const gap = Math.abs(one.middle - other.middle)
      const isVisible = gap > visible && gap > 0.05 * Math.min(one.middle, other.middle)
      const chance = mannWhitney(one.values, other.values)
      if (!isVisible || chance > SURELY) return []
      return [
        `${one.name} ${one.middle.toFixed(2)} ms, ${other.name} ${other.middle.toFixed(2)} ms (p ${chance})`,
      ]
    }),
  )
}

/** The same values in a random order. */
export function shuffled<T>(values: T[]): T[] {
  const order = values.map((value) => ({ value, at: Math.random() }))
  return order.sort((a, b) => a.at - b.at).map(({ value }) => value)
}
